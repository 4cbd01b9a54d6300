"""Guards and counted loops, backward.

A guard backward is a guard: where its body is skipped, what its results get belongs to what holds otherwise. A counted
loop backward is a counted loop that meets the passes in reverse, with what was carried into each (copying.py records
that), and carries the adjoints of what the loop carries and reads. Loops that end when a condition holds have no rule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .copying import Copy, RecordingCopy
from .derivative_rules import GraphArithmetic, is_zero
from .graph import CARRIED, OUTER, ROW, Graph
from .loop_tangents import refuse_open_loop
from .ops import Op
from .program import Input, Output, Program, Repeat, Until

if TYPE_CHECKING:
    from .adjoints import Adjoints


def guard_adjoints(copy: Copy, loop: Until, index: int, results: Mapping[int, int | float]) -> list:
    """Adjoints of the operands of the guard at node `index` of the program copied."""
    refuse_open_loop(loop, copy.program.name)
    graph, count = copy.graph, loop.carried - 1  # without whether a sample needs it
    values = [graph.materialise(copy.image[x]) for x in copy.program.nodes[index][2:]]
    starts, needed, outer = values[:count], values[count], values[count + 1 :]

    # The body reads the old starts, what the old body reads, and the adjoints of the results.
    inner = Graph()
    last = count + len(outer)  # of what is carried: adjoints of starts and of what is read, then whether it is needed

    def given(number: int, element: int):
        if number == OUTER:
            return inner.input(OUTER, count + element)
        return inner.input(CARRIED, last) if element == count else inner.input(OUTER, element)

    seeds: dict[int, int] = {}
    following = loop.body.outputs[0].nodes
    body = RecordingCopy(loop.body, inner, given)
    for k in range(count):
        if k in results:
            seed = inner.input(OUTER, len(values) - 1 + k)
            seeds[following[k]] = GraphArithmetic(inner).add(seeds.get(following[k], 0.0), seed)
    swept = _swept(body, seeds)
    found = [*swept.input(CARRIED, count + 1)[:count], *swept.input(OUTER, len(outer))]
    runs = inner.call(Op.LT, 0.5, inner.input(CARRIED, last))
    chosen = [inner.select(runs, new, inner.input(CARRIED, k)) for k, new in enumerate(found)]
    stays = inner.input(CARRIED, last)
    nodes = (*(inner.materialise(x) for x in chosen), stays)
    outputs = (Output("next", (last + 1,), nodes), Output("running", (), (stays,)))
    inputs = (Input("carried", (last + 1,)), Input("outer", (len(values) - 1 + count,)))
    new = Until(Program(loop.body.name, tuple(inner.nodes), inputs, outputs, tuple(inner.loops)), 1, loop.expected)

    handed = [results.get(k, 0.0) for k in range(count)]
    start = [*handed, *([0.0] * len(outer)), needed]
    given_values = [*start, *starts, *outer, *handed]
    result = _append(graph, Op.UNTIL, new, given_values)
    back = [0.0 if is_zero(handed[k]) and is_zero(x) else result(k) for k, x in enumerate(found[:count])]
    return [*back, 0.0, *(0.0 if is_zero(x) else result(count + k) for k, x in enumerate(found[count:]))]


def counted_adjoints(copy: Copy, loop: Repeat, index: int, results: Mapping[int, int | float]) -> list:
    """Adjoints of the operands of the counted loop at node `index` of the program copied."""
    graph, n, reads, m = copy.graph, loop.carried, loop.body.inputs[OUTER].size, loop.row_results
    values = [graph.materialise(copy.image[x]) for x in copy.program.nodes[index][2:]]
    outer, table = values[n : n + reads], values[n + reads :]
    recorded, forward = m + n, copy.image[index]

    inner = Graph()
    # a row holds what was carried into the pass, the row of the old tables, and adjoints of the results of the pass
    given = {CARRIED: (ROW, 0), OUTER: (OUTER, 0), ROW: (ROW, n)}
    body = RecordingCopy(loop.body, inner, lambda number, k: inner.input(given[number][0], given[number][1] + k))
    following, found = loop.body.outputs
    seeds: dict[int, int | float] = {}
    for nodes, first, number in ((following.nodes, 0, CARRIED), (found.nodes, n + loop.row, ROW)):
        for k, node in enumerate(nodes):
            seeds[node] = GraphArithmetic(inner).add(seeds.get(node, 0.0), inner.input(number, first + k))
    swept = _swept(body, seeds)
    read = [
        GraphArithmetic(inner).add(inner.input(CARRIED, n + k), x) for k, x in enumerate(swept.input(OUTER, reads))
    ]
    carried = [inner.materialise(x) for x in (*swept.input(CARRIED, n), *read)]
    rows = [inner.materialise(x) for x in swept.input(ROW, loop.row)]
    inputs = (Input("carried", (n + reads,)), Input("outer", (reads,)), Input("row", (n + loop.row + m,)))
    outputs = (Output("next", (n + reads,), tuple(carried)), Output("results", (loop.row,), tuple(rows)))
    new = Repeat(Program(loop.body.name, tuple(inner.nodes), inputs, outputs, tuple(inner.loops)), loop.limit)

    start = [*(results.get(k, 0.0) for k in range(n)), *([0.0] * reads)]
    rows_given: list = []
    for p in reversed(range(loop.limit)):
        rows_given += [graph.node(Op.RESULT, forward, n + p * recorded + m + k) for k in range(n)]
        rows_given += table[p * loop.row : (p + 1) * loop.row]
        rows_given += [results.get(n + p * m + k, 0.0) for k in range(m)]
    result = _append(graph, Op.REPEAT, new, [*start, *outer, *rows_given])
    back = [
        result(n + reads + (loop.limit - 1 - p) * loop.row + k) for p in range(loop.limit) for k in range(loop.row)
    ]
    return [*(result(k) for k in range(n + reads)), *back]


def _swept(body: Copy, seeds: Mapping) -> Adjoints:
    from .adjoints import Adjoints  # adjoints.py needs this file

    return Adjoints(body, seeds)


def _append(graph: Graph, op: Op, loop: Until | Repeat, values: Sequence):
    graph.loops.append(loop)
    index = graph.node(op, len(graph.loops) - 1, *(graph.materialise(x) for x in values))
    return lambda k: graph.node(Op.RESULT, index, k)
