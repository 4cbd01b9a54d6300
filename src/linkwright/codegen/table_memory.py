"""Where tables of counted loops lie in memory: what nobody touches has no place, and what is over makes room.

While a program is laid out, every table gets cells of its own (tables.py). Here each group of cells learns from which
stretch of the program to which it is needed, and groups that never meet share their places: the loops over columns of a
Jacobian come one after the other, and so do their tables.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable
from typing import NamedTuple

from .outline import Outline
from .tables import Line, Memory, Move

LoopMoves = dict[int, list[Move]]  # number of a loop -> what it copies after a pass


class _Group(NamedTuple):
    """Cells that keep their order and distances, and the stretches that they are needed in."""

    first: int
    size: int
    begin: int
    end: int


def place_tables(outline: Outline, results: LoopMoves, outputs: Iterable[int]) -> LoopMoves:
    """Give the cells of `outline` their places, and return the moves with these. `outputs` are values that are part of
    an output."""
    places = _fit(_groups(outline, results, outputs))
    tables = outline.tables
    new = {group.first + k: place + k for group, place in places.items() for k in range(group.size)}
    tables.fixed = {value: new[cell] for value, cell in tables.fixed.items() if cell in new}
    tables.size = max(new.values(), default=-1) + 1
    for loop in outline.loops:
        loop.rows = [_moved(move, new) for move in loop.rows]
    return {number: [_moved(move, new) for move in moves] for number, moves in results.items()}


def _moved(move: Move, new: dict[int, int]) -> Move:
    source, target = (x._replace(first=new[x.first]) if x.memory is Memory.FIXED else x for x in move[:2])
    return Move(source, target, move.columns)


def _groups(outline: Outline, results: LoopMoves, outputs: Iterable[int]) -> list[_Group]:
    tables, stretches = outline.tables, outline.stretches
    starts = sorted(tables.groups)
    needed: dict[int, tuple[int, int]] = {}  # number of a group -> first and last stretch
    with_next: set[int] = set()  # groups that a line goes on from to the next one

    def touch(cell: int, span: tuple[int, int]) -> None:
        group = bisect_right(starts, cell) - 1
        begin, end = needed.get(group, span)
        needed[group] = min(begin, span[0]), max(end, span[1])

    def touch_line(line: Line, passes: int, span: tuple[int, int]) -> None:
        if line.memory is Memory.FIXED:
            ends = line.first, line.first + (passes - 1) * line.per_pass
            low, high = (bisect_right(starts, x) - 1 for x in (min(ends), max(ends)))
            with_next.update(range(low, high))
            for group in range(low, high + 1):
                touch(starts[group], span)

    outermost = _outermost(outline)
    for k, stretch in enumerate(stretches):
        # what one pass of a loop leaves the next may read
        span = outermost[stretch.around[0]] if stretch.around else (k, k)
        for value in (*(x for y in stretch.instructions for x in y.operands), *(x for w in stretch.writes for x in w)):
            if value in tables.fixed:
                touch(tables.fixed[value], span)
    for loop in outline.loops:
        span = outermost[loop.number]
        for value in loop.found:
            touch(tables.fixed[value], span)
        for move in (*loop.rows, *results[loop.number]):
            touch_line(move.source, loop.limit, span)
            touch_line(move.target, loop.limit, span)
    for value in outputs:
        if value in tables.fixed:
            touch(tables.fixed[value], (len(stretches) - 1, len(stretches) - 1))

    groups: list[_Group] = []
    for number, (begin, end) in sorted(needed.items()):
        after = starts[number + 1] if number + 1 < len(starts) else tables.size
        last = groups[-1] if groups else None
        if last is not None and number - 1 in with_next:
            groups[-1] = _Group(last.first, after - last.first, min(last.begin, begin), max(last.end, end))
        else:
            groups.append(_Group(starts[number], after - starts[number], begin, end))
    return groups


def _outermost(outline: Outline) -> dict[int, tuple[int, int]]:
    """Loop -> the first and last stretch of the outermost loop around it."""
    spans: dict[int, tuple[int, int]] = {}
    for k, stretch in enumerate(outline.stretches):
        if stretch.around:
            spans[stretch.around[0]] = spans.get(stretch.around[0], (k, k))[0], k
    return {
        number: spans[stretch.around[0]] for stretch in outline.stretches for number in stretch.around
    }  # fmt: skip


def _fit(groups: list[_Group]) -> dict[_Group, int]:
    """Group -> place of its first cell: the first where it meets no other, in the order in which they are needed."""
    placed: list[tuple[int, _Group]] = []
    places: dict[_Group, int] = {}
    for group in sorted(groups, key=lambda x: (x.begin, x.first)):
        place = 0
        for other, there in placed:
            if there.begin <= group.end and group.begin <= there.end and other < place + group.size:
                place = max(place, other + there.size)
        insort(placed, (place, group))
        places[group] = place
    return places
