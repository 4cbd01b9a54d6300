"""Tracing a loop: `linkwright.scalar.until` on symbols.

The body is run once, on symbols of a graph of its own. What it reads of the graph around it becomes an input of the
body, and what depends on nothing that the loop carries is written into that graph: computed once, before the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import TraceError
from .expr import Expr, in_one_graph
from .graph import CARRIED, Graph
from .ops import TRUTH_VALUED, Op
from .program import Input, Output, Program, Until


def traced_until(
    around: Graph, body: Callable, start: Sequence, done, limit: int, expected: float, keeps: bool
) -> list:  # fmt: skip
    """The node of a loop in the innermost graph that its starts belong to; see `linkwright.scalar.until`."""
    symbols = [x for x in (*start, done) if isinstance(x, Expr)]
    if symbols:
        around = in_one_graph(*symbols)[0]
    count = len(start) + 1  # whether a sample goes on is carried as the last value, 1 or 0
    inner = Graph(around)
    carried = [Expr(inner, inner.input(CARRIED, k)) for k in range(count)]
    goes_on = carried[-1] > 0.5
    inner.running = goes_on
    values, is_done = body(carried[:-1], goes_on) if keeps else body(carried[:-1])
    if len(values) != len(start):
        raise TraceError(f"the body of a loop returned {len(values)} values; it carries {len(start)}")
    running = _select(goes_on, _select(is_done, 0.0, 1.0), 0.0)
    following = list(values)
    if not keeps:
        following = [_select(goes_on, new, old) for new, old in zip(values, carried[:-1], strict=True)]
    nodes = tuple(_node(inner, x) for x in (*following, running))
    outputs = (Output("next", (count,), nodes), Output("running", (), nodes[-1:]))
    first = _select(done, 0.0, 1.0)
    if around.running is not None:  # a sample that has left the loop around this one does not enter it
        first = _select(around.running, first, 0.0)
    starts = [_node(around, x) for x in (*start, first)]
    inputs = (Input("carried", (count,)), Input("outer", (len(inner.outer),)))
    program = Program("body", tuple(inner.nodes), inputs, outputs, tuple(inner.loops))
    around.loops.append(Until(program, limit, expected))
    loop = around.node(Op.UNTIL, len(around.loops) - 1, *starts, *inner.outer)
    return [Expr(around, around.node(Op.RESULT, loop, k)) for k in range(len(start))]


def _select(condition, if_true, if_false):
    if isinstance(condition, Expr):
        return condition._where(if_true, if_false)
    return if_true if condition else if_false


def _node(graph: Graph, value) -> int:
    if not isinstance(value, Expr):
        return graph.const(float(value))
    if not graph.holds(value.graph):
        raise TraceError("a loop was given an expression of another trace, or of the inside of another loop")
    index = graph.imported(value.graph, value.index)
    if graph.nodes[index][0] in TRUTH_VALUED:
        raise TraceError("a loop carries numbers, and was given a truth value; use where(condition, 1.0, 0.0)")
    return index
