"""Tables of counted loops: where a pass finds its row, and where it leaves its results.

A body is compiled once, so it reads its row and writes its results at fixed places in memory. Before each pass the row
is copied there from wherever the table is: the user's input, the results of an earlier loop, constants; after it the
results are copied to their row. That takes columns whose elements lie at even distances; others are written to a table
of their own, each value by the stretch that computes it, or else by the one before the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import NamedTuple


class Memory(IntEnum):
    FIXED = 0  # cells of tables: slots apart from the others
    INPUT = 1
    OUTPUT = 2
    CONSTANTS = 3
    VECTORS = 4  # a vector each, with a pass in every lane: together.py


class Line(NamedTuple):
    """Elements first + pass * per_pass + column * per_column of an array."""

    memory: Memory
    array: int  # the number of an input or output
    first: int
    per_pass: int
    per_column: int = 0

    def elements(self, passes: int, columns: int) -> set[int]:
        return {
            self.first + p * self.per_pass + c * self.per_column for p in range(passes) for c in range(columns)
        }  # fmt: skip


class Move(NamedTuple):
    """What is copied in every pass."""

    source: Line
    target: Line
    columns: int = 1


Place = tuple[Memory, int, int]  # memory, array, element


def even_line(places: Sequence[Place | None]) -> Line | None:
    """The line that elements, one a pass, lie on, if there is one."""
    if None in places:
        return None
    memory, array, first = places[0]  # type: ignore[misc]
    step = places[1][2] - first if len(places) > 1 else 0  # type: ignore[index]
    if any(place != (memory, array, first + p * step) for p, place in enumerate(places)):
        return None
    return Line(memory, array, first, step)


def single_columns(move: Move) -> Iterator[Move]:
    for c in range(move.columns):
        source, target = (x._replace(first=x.first + c * x.per_column, per_column=0) for x in move[:2])
        yield Move(source, target)


def merged(moves: Sequence[Move]) -> list[Move]:
    """Moves of single columns, neighbours at even distances taken together."""
    result: list[Move] = []
    for move in moves:
        last = result[-1] if result else None
        joined = None if last is None else _joined(last, move)
        if joined is None:
            result.append(move)
        else:
            result[-1] = joined
    return result


def _joined(group: Move, move: Move) -> Move | None:
    lines = []
    for old, new in zip(group[:2], move[:2], strict=True):
        step = new.first - old.first if group.columns == 1 else old.per_column
        if new != old._replace(first=old.first + group.columns * step, per_column=0):
            return None
        lines.append(old._replace(per_column=step))
    return Move(lines[0], lines[1], group.columns + 1)


class TableWriter:
    """Finds or makes the tables of a program's loops.

    fixed       values that have a cell in a table -> which; a place in memory once table_memory.py has been here
    groups      the first cells of what was reserved together
    size        cells there are
    constants   numbers that loops read by index
    """

    def __init__(self, new_value: Callable[[], int], leaf_place: Callable[[int], Place | None]):
        self.fixed: dict[int, int] = {}
        self.constants: list[float] = []
        self.groups: list[int] = []
        self.size = 0
        self._new_value, self._leaf_place = new_value, leaf_place

    def reserve(self, count: int) -> list[int]:
        """New values that lie side by side."""
        values = [self._new_value() for _ in range(count)]
        if values:
            self.groups.append(self.size)
        for value in values:
            self.fixed[value] = self.size
            self.size += 1
        return values

    def line(self, value: int) -> Line:
        """Of a fixed value: the same place in every pass."""
        return Line(Memory.FIXED, 0, self.fixed[value], 0)

    def source(self, column: list[int], number_of: Callable[[int], float | None]) -> tuple[Line, list[tuple[int, int]]]:
        """Where a loop can read these values, one a pass, and what must be written for that: (value, cell)."""
        line = even_line([self._place(value) for value in column])
        if line is not None:
            return line, []
        numbers = [number_of(value) for value in column]
        if None not in numbers:
            first = len(self.constants)
            self.constants += numbers  # type: ignore[arg-type]
            return Line(Memory.CONSTANTS, 0, first, 1), []
        cells = self.reserve(len(column))
        return Line(Memory.FIXED, 0, self.fixed[cells[0]], 1), list(zip(column, cells, strict=True))

    def _place(self, value: int) -> Place | None:
        if value in self.fixed:
            return Memory.FIXED, 0, self.fixed[value]
        return self._leaf_place(value)
