"""What forward dynamics of a mechanism cost, by every named algorithm that can compute them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..compilation import compile, reference
from ..errors import LinkwrightError
from ..model import Model
from ..programs import FORWARD_DYNAMICS, Recipe, Request, choose, problems
from ..programs.choice import unsuitable
from ..trace import count_operations
from .facts import clusters_of
from .mobility_at_pose import Mobility, mobility
from .timing import best_seconds

_BATCH = 512


@dataclass(frozen=True)
class AlgorithmCost:
    """One way to compute forward dynamics. Times are in microseconds, None if not measured.

    problem      why it cannot be used on this mechanism; None if it can
    approximate  what it replaces by something simpler; None if it is exact
    independent  whether it takes independent coordinates, and finds the closed pose as a part of its work
    chosen       whether `compile(model)` takes it: it is in coordinates of the tree, exact at every pose, and no other
                 such has fewer operations
    """

    name: str
    operations: int | None = None
    single: float | None = None
    batched: float | None = None
    approximate: str | None = None
    independent: bool = False
    problem: str | None = None
    chosen: bool = False

    @property
    def exact(self) -> bool:
        return self.approximate is None


def forward_dynamics(model: Model, report: Mobility) -> Iterator[tuple[Recipe, str | None]]:
    """Every named algorithm that computes accelerations, and why it cannot be used on this model, if so."""
    for recipe in problems()[FORWARD_DYNAMICS]:
        if model.constraints or recipe.constraints == "none":  # a constrained solver without constraints is ABA
            yield recipe, _problem(model, recipe, report)


def _problem(model: Model, recipe: Recipe, report: Mobility) -> str | None:
    reason = unsuitable(model, recipe)
    if reason is not None:
        return reason
    if recipe.coordinates == "independent":
        clusters = clusters_of(model)
        if isinstance(clusters, str):
            return clusters
    try:
        _request(model, recipe)
    except LinkwrightError as error:
        return str(error)
    if recipe.needs_independent_rows and report.redundancy:
        return f"needs independent constraints; {report.redundancy} rows repeat others"
    return None


def _request(model: Model, recipe: Recipe) -> Request:
    return Request.of(model, recipe.name, recipe.outputs[0], (), False, {})


def algorithm_costs(
    model: Model, *, times: bool = True, seconds: float = 0.2, report: Mobility | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> list[AlgorithmCost]:  # fmt: skip
    """Operations and measured time of every forward dynamics, cheapest first; those that cannot be used come last.

    times=False only counts, which needs no compiling.
    """
    report = mobility(model) if report is None else report
    usable, refused = [], []
    for recipe, problem in forward_dynamics(model, report):
        if problem is None:
            try:
                usable.append(_cost(model, recipe, times, seconds, progress))
                continue
            except LinkwrightError as error:  # found out only when traced, such as a joint that moves no inertia
                problem = str(error)
        refused.append(AlgorithmCost(recipe.name, problem=problem))
    chosen = _chosen(model)
    usable = [replace(cost, chosen=cost.name == chosen) for cost in usable]
    return [*sorted(usable, key=_operations), *refused]


def _chosen(model: Model) -> str | None:
    try:
        return choose(model).algorithm
    except LinkwrightError:  # none suits; the reasons of all are in the table
        return None


def _operations(cost: AlgorithmCost) -> int:
    """Of one that is usable, which therefore has them."""
    return cost.operations or 0


def cheapest(costs: list[AlgorithmCost]) -> AlgorithmCost | None:
    """The exact algorithm with the fewest operations."""
    exact = [cost for cost in costs if cost.exact and cost.problem is None]
    return min(exact, key=lambda cost: cost.operations or 0, default=None)


def _cost(model: Model, recipe: Recipe, times: bool, seconds: float, progress) -> AlgorithmCost:
    approximate, independent = recipe.approximation, recipe.coordinates == "independent"
    request = _request(model, recipe)
    if not times:
        progress(f"tracing {recipe.name}")
        operations = count_operations(request.program()).total
        return AlgorithmCost(recipe.name, operations, approximate=approximate, independent=independent)
    progress(f"compiling {recipe.name}")
    function = compile(model, recipe.name, outputs=recipe.outputs[0])
    progress(f"timing {recipe.name}")
    one, many = _inputs(model, request, None), _inputs(model, request, _BATCH)
    best = best_seconds({"single": lambda: function(*one), "batched": lambda: function(*many)}, seconds=seconds)
    return AlgorithmCost(
        recipe.name, function.operations.total, best["single"] * 1e6, best["batched"] * 1e6 / _BATCH, approximate,
        independent,
    )  # fmt: skip


def _inputs(model: Model, request: Request, batch: int | None) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    values = []
    for name, shape in request.input_shapes.items():
        if name == "q":
            values.append(model.random_configuration(rng, batch))
        elif name == "y":  # where the loops can be closed
            y = reference(model, "independent_position")(model.drawn)
            values.append(y if batch is None else np.tile(y, (batch, 1)))
        else:
            values.append(rng.normal(size=shape if batch is None else (batch, *shape)))
    return values
