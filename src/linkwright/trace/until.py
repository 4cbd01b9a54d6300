"""Tracing a loop: `linkwright.scalar.until` on symbols.

The body is run once, on symbols of a graph of its own. What it reads of the graph around it becomes an input of the
body, and what depends on nothing that the loop carries is written into that graph: computed once, before the loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import TraceError
from .expr import Expr, ForeignExpression
from .graph import CARRIED, Graph
from .nesting import loop_body, placed
from .ops import TRUTH_VALUED, Op
from .program import Input, Output, Program, Until


def traced_until(
    around: Graph, body: Callable, start: Sequence, done, limit: int, expected: float, keeps: bool
) -> list:  # fmt: skip
    """The node of a loop; see `linkwright.scalar.until`."""
    symbols = [x for x in (*start, done) if isinstance(x, Expr)]
    return placed(around, symbols, lambda graph: _until(graph, body, start, done, limit, expected, keeps))


def _until(around: Graph, body: Callable, start: Sequence, done, limit: int, expected: float, keeps: bool) -> list:
    inner = Graph(around)
    with loop_body(inner):
        carried, goes_on = carried_values(inner, len(start))
        values, is_done = body(carried, goes_on) if keeps else body(carried)
        if len(values) != len(start):
            raise TraceError(f"the body of a loop returned {len(values)} values; it carries {len(start)}")
        running = select(goes_on, select(is_done, 0.0, 1.0), 0.0)
        following = list(values)
        if not keeps:
            following = [select(goes_on, new, old) for new, old in zip(values, carried, strict=True)]
    return close_body(inner, [*start, select(done, 0.0, 1.0)], [*following, running], limit, expected)


def carried_values(inner: Graph, count: int) -> tuple[list[Expr], Expr]:
    """Symbols of what a body carries, and whether a sample goes on, which is carried as the last value, 1 or 0."""
    *carried, last = (Expr(inner, inner.input(CARRIED, k)) for k in range(count + 1))
    inner.running = last > 0.5
    return carried, inner.running


def close_body(inner: Graph, start: list, following: list, limit: int, expected: float) -> list[Expr]:
    """Write a loop with this body into the graph around it; its results, all but the last of what it carries."""
    count = len(start)
    around: Graph = inner.parent  # type: ignore[assignment]  # a body has a graph around it
    nodes = tuple(node_of(inner, x) for x in following)
    outputs = (Output("next", (count,), nodes), Output("running", (), nodes[-1:]))
    if around.running is not None:  # a sample that has left the loop around this one does not enter it
        start = [*start[:-1], select(around.running, start[-1], 0.0)]
    starts = [node_of(around, x) for x in start]
    inputs = (Input("carried", (count,)), Input("outer", (len(inner.outer),)))
    program = Program("body", tuple(inner.nodes), inputs, outputs, tuple(inner.loops))
    around.loops.append(Until(program, limit, expected))
    loop = around.node(Op.UNTIL, len(around.loops) - 1, *starts, *inner.outer)
    return [Expr(around, around.node(Op.RESULT, loop, k)) for k in range(count - 1)]


def select(condition, if_true, if_false):
    if isinstance(condition, Expr):
        return condition._where(if_true, if_false)
    return if_true if condition else if_false


def node_of(graph: Graph, value) -> int:
    if not isinstance(value, Expr):
        return graph.const(float(value))
    if not graph.holds(value.graph):
        raise ForeignExpression(
            "a loop or guard was given an expression of another trace, or of the inside of another loop or guard"
        )
    index = graph.imported(value.graph, value.index)
    if graph.nodes[index][0] in TRUTH_VALUED:
        raise TraceError("loops and guards pass on numbers, and got a truth value; use where(condition, 1.0, 0.0)")
    return index
