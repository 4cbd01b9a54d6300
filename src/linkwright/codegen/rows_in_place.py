"""Loops whose passes need nothing of each other: their bodies read rows, and write results, where these are.

A body of any counted loop finds its row at fixed places, to which it is copied before the pass (counted.py). Where
nothing is carried and the body is one stretch, it is told the number of the pass instead: elements of tables and of
outputs that lie side by side from pass to pass are then read and written by pointers that go along with it. What lies
otherwise is copied as ever.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from .places import Place, Places
from .plan import LoopCall, Plan
from .registers import Action
from .tables import Line, Memory, Move, single_columns
from .vector_type import VectorType

_ALONG_SUFFIX = "_along"
_ALONG = re.compile(rf"%(\w+){_ALONG_SUFFIX}\b")


@dataclass(frozen=True)
class RowsInPlace:
    """read      slot of the row -> where its elements lie
    written   slot of a result -> where it goes
    rows      what is copied before a pass all the same
    results   and after it
    """

    read: dict[int, Line]
    written: dict[int, Line]
    rows: tuple[Move, ...]
    results: tuple[Move, ...]


def rows_in_place(plan: Plan, loop: LoopCall, vector: VectorType) -> RowsInPlace:
    if not loop.independent:
        return RowsInPlace({}, {}, loop.rows, loop.results)
    rows = [column for move in loop.rows for column in single_columns(move)]
    results = [column for move in loop.results for column in single_columns(move)]
    uses = Counter(move.source for move in results)
    stored = {step.slot for k in loop.chunks for step in plan.chunks[k] if step.action is Action.STORE}
    read: dict[int, Line] = {}
    written: dict[int, Line] = {}
    copied: tuple[list[Move], list[Move]] = [], []
    for move in rows:
        if move.source.memory is Memory.FIXED and move.source.per_pass == 1 and not uses[move.target]:
            read[plan.fixed_start + move.target.first] = move.source
        else:
            copied[0].append(move)
    for move in results:
        slot, line = plan.fixed_start + move.source.first, move.target
        fits = line.memory is Memory.FIXED or not vector.converts
        if slot in stored and fits and line.per_pass == 1 and uses[move.source] == 1:
            written[slot] = line
        else:
            copied[1].append(move)
    return RowsInPlace(read, written, tuple(copied[0]), tuple(copied[1]))


def goes_along(place: Place) -> bool:
    """Whether it is another one in every pass."""
    return place[0].endswith(_ALONG_SUFFIX)


def body_places(plan: Plan, rows: RowsInPlace, places: Places, one: VectorType) -> Places:
    """Places of a body that is told the pass; `one` is what a table holds for it."""

    def along(place: Place) -> Place:
        return f"{place[0]}{_ALONG_SUFFIX}", place[1]

    def slot_read(slot: int) -> Place:
        line = rows.read.get(slot)
        return places.slot_read(slot) if line is None else along(places.slot_read(plan.fixed_start + line.first))

    def slot_written(slot: int) -> Place:
        line = rows.written.get(slot)
        if line is None:
            return places.slot_written(slot)
        if line.memory is Memory.OUTPUT:
            return along(places.output(line.array, line.first))
        return along(places.slot_written(plan.fixed_start + line.first))

    def prologue(lines: Iterable[str]) -> list[str]:
        lines = list(lines)
        names = sorted({name for line in lines for name in _ALONG.findall(line)})
        pointers = [f"%{name}_along = getelementptr {one.text}, ptr %{name}, i64 %pass" for name in names]
        return [*places.prologue([*lines, *pointers]), *pointers]

    return replace(
        places, parameters=f"{places.parameters}, i64 %pass", slot_read=slot_read, slot_written=slot_written,
        prologue=prologue,
    )  # fmt: skip
