"""Programs within programs: where a value belongs that is computed while the body of a loop or of a guard is traced.

In the body of a loop a value belongs to the innermost graph among those of its operands: what does not depend on the
loop is computed once, before it. In the body of a guard it belongs to the guard, whatever its operands: computed
before, it could not be skipped. `Graph.guard` tells the operators of `Expr` so, in all graphs around the guard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from .expr import Expr, ForeignExpression, in_one_graph
from .graph import Graph

Made = TypeVar("Made")


def placed(around: Graph, symbols: Sequence[Expr], make: Callable[[Graph], Made]) -> Made:
    """Make a loop that starts from `symbols`, in the graph that these belong to (without any: in `around`); or, if its
    body reads the inside of a loop that is being traced, there."""
    if symbols:
        around = in_one_graph(*symbols)[0]
    elif around.guard is not None:
        around = around.guard
    try:
        return make(around)
    except ForeignExpression:
        if around is around.root.current:
            raise
        return make(around.root.current)


@contextmanager
def loop_body(inner: Graph) -> Iterator[None]:
    """While the body of a loop is traced into `inner`."""
    root = inner.root
    before, root.current = root.current, inner
    try:
        yield
    finally:
        root.current = before


@contextmanager
def guard_body(inner: Graph) -> Iterator[None]:
    """While the body of a guard is traced into `inner`."""
    around: list[Graph] = []
    graph = inner.parent
    while graph is not None:
        around.append(graph)
        graph = graph.parent
    before = [graph.guard for graph in around]
    for graph in around:
        graph.guard = inner
    try:
        with loop_body(inner):
            yield
    finally:
        for graph, guard in zip(around, before, strict=True):
            graph.guard = guard
