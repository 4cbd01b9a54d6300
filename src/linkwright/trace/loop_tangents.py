"""Guards and counted loops that compute tangents beside values.

A guard carries the tangents of its results, and starts from those of what holds otherwise. So does a counted loop,
which also gets tangents of its rows and gives those of its results. Loops that end when a condition holds have no rule:
that one has found its values does not mean that it has found their derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..errors import UnsupportedError
from .derivative_rules import is_zero
from .graph import CARRIED, OUTER, ROW, Graph
from .ops import Op
from .program import Input, Output, Program, Repeat, Until

if TYPE_CHECKING:
    from .tangents import Tangents

Direction = Callable[[Graph, int, int], "int | float"]  # graph, number of an input, element -> its tangent
Key = tuple[int, int]  # direction, element
Found = tuple[list, list[list]]  # results of a loop, and for each direction their tangents
LAST = -1  # stands for the last element that a body carries, as long as their number is open


def refuse_open_loop(loop: Until, program: str) -> None:
    if loop.limit > 1:
        raise UnsupportedError(
            f"program {program!r} has a loop that ends when a condition holds, and no rule for its "
            f"derivative; differentiate a variant with a fixed number of iterations"
        )


def guard_tangents(copy: Tangents, loop: Until, values: Sequence[int]) -> Found:
    """Write a guard that computes tangents too into the graph of `copy`; `values` are the operands of the old one."""
    refuse_open_loop(loop, copy.program.name)
    count = loop.carried - 1  # without whether a sample needs it
    starts, needed, outer = values[:count], values[count], values[count + 1 :]
    carried, read = _moving(copy, starts), _moving(copy, outer)
    places = {CARRIED: _after(count, carried), OUTER: _after(len(outer), read)}
    columns = range(len(copy.columns))
    body = copy.of_body(
        loop.body,
        [_direction(c, places) for c in columns],
        lambda number, k: LAST if number == CARRIED and k == count else k,
    )
    following, running = loop.body.outputs
    nodes = following.nodes[:count]
    # those that stand still otherwise, but not in the body
    more = [key for key in _moving(body, nodes) if key not in places[CARRIED]]
    results = [body.image[x] for x in nodes] + [body.columns[c][nodes[k]] for c, k in (*carried, *more)]
    given = [copy.image[x] for x in starts] + [copy.columns[c][starts[k]] for c, k in (*carried, *more)]
    reads = [copy.image[x] for x in outer] + [copy.columns[c][outer[k]] for c, k in read]
    new = _closed(loop, body, [*results, body.image[running.nodes[0]]], len(reads))
    result = _append(copy, Op.UNTIL, new, [*given, copy.image[needed], *reads])
    at = _after(count, [*carried, *more])
    tangents = [[result(at[c, k]) if (c, k) in at else 0.0 for k in range(count)] for c in columns]
    return [result(k) for k in range(count)], tangents


def _closed(loop: Until, body: Tangents, following: list, reads: int) -> Until:
    nodes = [body.graph.materialise(x) for x in following]
    last = len(following) - 1
    renamed = tuple((Op.INPUT, CARRIED, last) if x == (Op.INPUT, CARRIED, LAST) else x for x in body.graph.nodes)
    inputs = (Input("carried", (len(following),)), Input("outer", (reads,)))
    outputs = (Output("next", (len(following),), tuple(nodes)), Output("running", (), (nodes[-1],)))
    return replace(loop, body=Program(loop.body.name, renamed, inputs, outputs, tuple(body.graph.loops)))


def counted_tangents(copy: Tangents, loop: Repeat, values: Sequence[int]) -> Found:
    """Write a counted loop that computes tangents too into the graph of `copy`."""
    ends = (loop.carried, loop.carried + loop.body.inputs[OUTER].size)
    starts, outer, table = values[: ends[0]], values[ends[0] : ends[1]], values[ends[1] :]
    rows = [table[p * loop.row : (p + 1) * loop.row] for p in range(loop.limit)]
    carried, read = _moving(copy, starts), _moving(copy, outer)
    moving_rows = sorted({key for row in rows for key in _moving(copy, row)})
    following, found = loop.body.outputs
    columns = range(len(copy.columns))
    while True:
        places = {
            CARRIED: _after(len(starts), carried),
            OUTER: _after(len(outer), read),
            ROW: _after(loop.row, moving_rows),
        }
        body = copy.of_body(loop.body, [_direction(c, places) for c in columns])
        # what stands still in the first pass may move in a later one
        more = [key for key in _moving(body, following.nodes) if key not in places[CARRIED]]
        if not more:
            break
        carried += more
    results = _moving(body, found.nodes)
    new = Repeat(_with_tangents(loop.body, body, (carried, read, moving_rows), (carried, results)), loop.limit)
    given: list = []
    for nodes, keys in ((starts, carried), (outer, read), *((row, moving_rows) for row in rows)):
        given += [copy.image[x] for x in nodes] + [copy.columns[c][nodes[k]] for c, k in keys]
    result = _append(copy, Op.REPEAT, new, given)

    def in_old_order(carried_at: list[int | None], found_at: list[int | None]) -> list:
        """Results of the new loop in the order of the old one's, given their places in the new body."""
        at = list(carried_at)
        for p in range(loop.limit):
            at += [None if k is None else new.carried + p * new.row_results + k for k in found_at]
        return [0.0 if k is None else result(k) for k in at]

    own, found_own = range(loop.carried), range(loop.row_results)
    carried_at, found_at = places[CARRIED], _after(loop.row_results, results)
    tangents = [
        in_old_order([carried_at.get((c, k)) for k in own], [found_at.get((c, k)) for k in found_own]) for c in columns
    ]
    return in_old_order(list(own), list(found_own)), tangents


def _with_tangents(old: Program, body: Tangents, inputs: Sequence[list[Key]], outputs: Sequence[list[Key]]) -> Program:
    """The program of a body whose inputs and outputs are followed by the tangents that `inputs` and `outputs` name."""
    declared = tuple(Input(x.name, (x.size + len(keys),)) for x, keys in zip(old.inputs, inputs, strict=True))
    given = []
    for output, keys in zip(old.outputs, outputs, strict=True):
        values = [body.image[x] for x in output.nodes] + [body.columns[c][output.nodes[k]] for c, k in keys]
        given.append(Output(output.name, (len(values),), tuple(body.graph.materialise(x) for x in values)))
    return Program(old.name, tuple(body.graph.nodes), declared, tuple(given), tuple(body.graph.loops))


def _moving(copy: Tangents, nodes: Sequence[int]) -> list[Key]:
    """Which of the nodes have a tangent that is not known to be zero."""
    return [(c, k) for c, rates in enumerate(copy.columns) for k, x in enumerate(nodes) if not is_zero(rates[x])]


def _after(size: int, keys: Sequence[Key]) -> dict[Key, int]:
    """Tangents follow the values, in this order."""
    return {key: size + n for n, key in enumerate(keys)}


def _direction(column: int, places: dict[int, dict[Key, int]]) -> Direction:
    """Tangents of a body's inputs: inputs themselves, or zero."""

    def tangent(graph: Graph, number: int, element: int):
        at = places[number].get((column, element))
        return 0.0 if at is None else graph.input(number, at)

    return tangent


def _append(copy: Tangents, op: Op, loop: Until | Repeat, values: list) -> Callable[[int], int]:
    """Write the node of a loop; how to get at its results."""
    graph = copy.graph
    graph.loops.append(loop)
    index = graph.node(op, len(graph.loops) - 1, *(graph.materialise(x) for x in values))
    return lambda k: graph.node(Op.RESULT, index, k)
