"""Tracing a guard: `linkwright.scalar.guard` on symbols.

A guard is a loop of one pass at the most, which starts from what holds where its condition does not: all that is known
of loops serves it too. Only what is computed in its body stays there, since it is to be skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..errors import TraceError
from .expr import Expr
from .graph import CARRIED, Graph
from .nesting import guard_body
from .ops import Op
from .until import carried_values, close_body, node_of, select


def traced_guard(
    condition: Expr, body: Callable[[], Sequence], otherwise: Sequence, expected: float, keeps: bool
) -> list[Expr]:  # fmt: skip
    """The node of a guard, in the graph that is being traced; see `linkwright.scalar.guard`."""
    around = condition.graph.root.current
    inner = Graph(around, reuses=True)
    # results of another guard or loop that these start from are read where they are carried: guards one after the other
    # that add to the same sums share their memory
    nodes = [(node_of(around, x), k) for k, x in enumerate(otherwise) if isinstance(x, Expr)]
    inner.starts = {node: k for node, k in nodes if around.nodes[node][0] is Op.RESULT}
    with guard_body(inner):
        carried, needed = carried_values(inner, len(otherwise))
        values = list(body())
        if len(values) != len(otherwise):
            raise TraceError(f"the body of a guard returned {len(values)} values; otherwise there are {len(otherwise)}")
        following = values if keeps else [select(needed, x, old) for x, old in zip(values, carried, strict=True)]
        stays = Expr(inner, inner.input(CARRIED, len(otherwise)))
    return close_body(inner, [*otherwise, select(condition, 1.0, 0.0)], [*following, stays], 1, expected)
