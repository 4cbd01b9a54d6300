"""What forward dynamics of a mechanism cost, by every named algorithm that can compute them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from ..compilation import Request, compile, reference
from ..errors import LinkwrightError
from ..model import Model
from ..programs import RECIPES, Recipe
from ..trace import count_operations
from .facts import clusters_of
from .mobility import Mobility, mobility
from .timing import best_seconds

_BATCH = 512
# Inputs by which forward dynamics are recognised: in coordinates of the tree, and in independent ones.
_FORWARD = {("q", "v", "tau"): "a", ("y", "yd", "tau_y"): "ydd"}
# Cheap, but not the same answer: penalties in place of constraints, reflected inertias in place of rotors.
_APPROXIMATE = {"pv_soft": "penalties", "ltl_soft": "penalties", "approximate_aba": "reflected rotors"}


@dataclass(frozen=True)
class AlgorithmCost:
    """One way to compute forward dynamics. Times are in microseconds, None if not measured.

    problem      why it cannot be used on this mechanism; None if it can
    approximate  what it replaces by something simpler; None if it is exact
    independent  whether it takes independent coordinates, and finds the closed pose as a part of its work
    """

    name: str
    operations: int | None = None
    single: float | None = None
    batched: float | None = None
    approximate: str | None = None
    independent: bool = False
    problem: str | None = None

    @property
    def exact(self) -> bool:
        return self.approximate is None


def forward_dynamics(model: Model, report: Mobility) -> Iterator[tuple[Recipe, str | None]]:
    """Every named algorithm that computes accelerations, and why it cannot be used on this model, if so."""
    for recipe in RECIPES.values():
        if recipe.inputs not in _FORWARD:
            continue
        if not model.constraints and ("baumgarte" in recipe.options or recipe.inputs[0] == "y"):
            continue  # a constrained solver without constraints is ABA
        yield recipe, _problem(model, recipe, report)


def _problem(model: Model, recipe: Recipe, report: Mobility) -> str | None:
    if model.constraints and not recipe.ignores_constraints:
        return "knows no constraints"
    if model.has_loops and not recipe.takes_loops:
        return "takes constraints to the ground only"
    if recipe.inputs[0] == "y":
        clusters = clusters_of(model)
        if isinstance(clusters, str):
            return clusters
    try:
        _request(model, recipe)
    except LinkwrightError as error:
        return str(error)
    if "baumgarte" in recipe.options and "mu" not in recipe.options and report.redundancy:
        return f"needs independent constraints; {report.redundancy} rows repeat others"
    return None


def _request(model: Model, recipe: Recipe) -> Request:
    return Request.of(model, recipe.name, _output(recipe), (), False, {})


def _output(recipe: Recipe) -> str:
    wanted = _FORWARD[recipe.inputs]
    return wanted if wanted in recipe.outputs else recipe.outputs[0]


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
    return [*sorted(usable, key=lambda cost: cost.operations), *refused]


def cheapest(costs: list[AlgorithmCost]) -> AlgorithmCost | None:
    """The exact algorithm with the fewest operations."""
    exact = [cost for cost in costs if cost.exact and cost.problem is None]
    return min(exact, key=lambda cost: cost.operations, default=None)


def _cost(model: Model, recipe: Recipe, times: bool, seconds: float, progress) -> AlgorithmCost:
    approximate, independent = _APPROXIMATE.get(recipe.name), recipe.inputs[0] == "y"
    request = _request(model, recipe)
    if not times:
        progress(f"tracing {recipe.name}")
        operations = count_operations(request.program()).total
        return AlgorithmCost(recipe.name, operations, approximate=approximate, independent=independent)
    progress(f"compiling {recipe.name}")
    function = compile(model, recipe.name, outputs=_output(recipe))
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
            y = reference(model, "independent_position")(model.reference)
            values.append(y if batch is None else np.tile(y, (batch, 1)))
        else:
            values.append(rng.normal(size=shape if batch is None else (batch, *shape)))
    return values
