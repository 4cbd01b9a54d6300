"""Columns of a Jacobian through the stages of a solution: in a straight line each, or together in a loop.

In a straight line a column meets its own zeros. Columns in a loop share one body, for all entries that any of them has:
more operations, but code that is there once, and a sample alone has several columns in its lanes (codegen/together.py).
So neighbours with entries in nearly the same places, those of one limb say, take all stages in a loop of their own;
others take the first ones in a straight line, and in a loop what is the same for all of them. Which is cheapest is
counted before anything is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple

from ..algorithms.tree.loop_costs import LOOP, WRITTEN_DOWN
from ..scalar import Scalar, is_zero, repeat

Column = list[Scalar]
Places = frozenset[int]


@dataclass(frozen=True)
class ColumnStage:
    """run    a column -> what becomes of it
    work   the places of its entries -> (multiply-adds, the places of entries afterwards)
    """

    run: Callable[[Column], Column]
    work: Callable[[Places], tuple[int, Places]]


class Part(NamedTuple):
    """Neighbours, and the first of the stages that they take in a loop."""

    columns: range
    looped_from: int


def through_stages(columns: Mapping[int, Column], stages: Sequence[ColumnStage], *, looped: bool) -> dict[int, Column]:
    """What all stages make of columns, by their number; without loops unless `looped`."""
    found: dict[int, Column] = {}
    places = {j: frozenset(k for k, x in enumerate(column) if not is_zero(x)) for j, column in columns.items()}
    for part in partition(places, stages) if looped else [Part(range(j, j + 1), len(stages)) for j in columns]:
        before, within = stages[: part.looped_from], stages[part.looped_from :]
        results = [_run(before, columns[j]) for j in part.columns]
        if within:
            body = partial(_pass, within)
            _, results = repeat(body, count=len(results), tables=[results])
        found.update(zip(part.columns, results, strict=True))
    return found


def has_loops(places: Mapping[int, Places], stages: Sequence[ColumnStage]) -> bool:
    """Whether any of these columns go in a loop."""
    return any(part.looped_from < len(stages) for part in partition(places, stages))


def _pass(stages: Sequence[ColumnStage], _, column) -> tuple[list, Column]:
    return [], _run(stages, list(column))


def _run(stages: Sequence[ColumnStage], column: Column) -> Column:
    for stage in stages:
        column = stage.run(column)
    return column


def partition(places: Mapping[int, Places], stages: Sequence[ColumnStage]) -> list[Part]:
    """The cheapest of all, for columns with entries at these places."""

    @cache
    def stage_by_stage(at: Places) -> tuple[list[int], list[Places]]:
        """(multiply-adds of all stages up to each, where there are entries before it)."""
        works, seen = [0], [at]
        for stage in stages:
            work, at = stage.work(at)
            works.append(works[-1] + work)
            seen.append(at)
        return works, seen

    @cache
    def work_from(first: int, at: Places) -> int:
        work, total = 0, 0
        for stage in stages[first:]:
            work, at = stage.work(at)
            total += work
        return total

    written = 1.0 + WRITTEN_DOWN
    parts: list[Part] = []
    for run in _neighbours(places):
        cheapest = [(0.0, Part(range(0), 0))]  # of the first columns of the run: (cost, the last part)
        for stop in range(run.start + 1, run.stop + 1):
            choices = []
            line = [0] * (len(stages) + 1)  # multiply-adds before each stage, of all columns from `start` on
            union: list[Places] = [frozenset()] * (len(stages) + 1)
            for start in range(stop - 1, run.start - 1, -1):
                works, seen = stage_by_stage(places[start])
                line = [x + own for x, own in zip(line, works, strict=True)]
                union = [x | own for x, own in zip(union, seen, strict=True)]
                before, size = cheapest[start - run.start][0], stop - start
                choices.append((before + written * line[-1], Part(range(start, stop), len(stages))))
                for first in range(len(stages)):
                    in_line = line[first] + size * len(union[first])  # the table is written too
                    cost = written * in_line + (size + WRITTEN_DOWN) * work_from(first, union[first]) + LOOP
                    choices.append((before + cost, Part(range(start, stop), first)))
            cheapest.append(min(choices, key=lambda choice: choice[0]))
        last: list[Part] = []
        while (stop := last[-1].columns.start if last else run.stop) > run.start:
            last.append(cheapest[stop - run.start][1])
        parts += reversed(last)
    return parts


def _neighbours(numbers: Mapping[int, object]) -> list[range]:
    runs: list[range] = []
    for j in sorted(numbers):
        if runs and runs[-1].stop == j:
            runs[-1] = range(runs[-1].start, j + 1)
        else:
            runs.append(range(j, j + 1))
    return runs
