"""Which joints of a drawn mechanism to cut so that its dynamics take the fewest operations, by exact counts.

Cutting another joint of a loop changes what is a coordinate, so it is up to whoever draws the mechanism; motors and
joints that need their coordinate are left alone. Joints are exchanged one at a time, for as long as something is won
and no more than `MOST_TRACED` operations have been traced, the same ones on every machine: about a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..call_errors import names_arguments
from ..errors import ModelError
from ..model import GraphBuilder, Model
from ..programs import RECIPES, Wish
from ..programs.choice import check_solver, count

MOST_TRACED = 40_000


@names_arguments
def cheapest_cut(graph: GraphBuilder, solver: str = "lcaba", **build: Any) -> tuple[str, ...]:
    """Names of joints for `graph.build(cut=...)`: those it cuts by itself, exchanged where that saves operations.

    solver   the solver of constrained dynamics whose operations are counted
    build    further arguments of `graph.build`
    """
    model = graph.build(**build)
    check_solver(model, solver)
    best, fewest = tuple(graph.exchangeable(model)), _operations(model, solver)
    traced, better = fewest, True
    while better and traced < MOST_TRACED:
        better = False
        for cut, other in _exchanges(graph, best, build):
            if traced >= MOST_TRACED:
                break
            operations = _operations(other, solver)
            traced += operations
            if operations < fewest:
                best, fewest, better = cut, operations, True
                break
    return best


def _exchanges(
    graph: GraphBuilder, cut: tuple[str, ...], build: dict[str, Any]
) -> Iterator[tuple[tuple[str, ...], Model]]:
    for old, others in graph.exchangeable(graph.build(cut, **build)).items():
        for new in others:
            changed = tuple(new if name == old else name for name in cut)
            try:
                yield changed, graph.build(changed, **build)
            except ModelError:  # a joint that cannot be cut after all
                continue


def _operations(model: Model, solver: str) -> int:
    return count(model, RECIPES[solver], Wish("a"))
