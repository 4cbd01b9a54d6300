"""Which forward dynamics a simulation uses when nobody says: the one with the fewest operations."""

from __future__ import annotations

from functools import lru_cache

from ..errors import UnsupportedError, unknown_name
from ..model import Model, tree_of
from ..trace import count_operations, simplify, trace
from .constrained import CONSTRAINED
from .dynamics import DYNAMICS
from .least_operations import least_of_bbo, least_of_joint_space, least_of_lcaba
from .recipe import SHAPES, Recipe

UNCONSTRAINED = "aba"
SOLVERS: dict[str, Recipe] = {
    recipe.name: recipe for recipe in (*(r for r in DYNAMICS if r.name == UNCONSTRAINED), *CONSTRAINED)
}
# Those that take any constraints, also dependent ones; others only by name.
_CANDIDATES = ("lcaba", "prox_ltl", "prox_bbo")
# What a typical sample takes where iterations are not counted: the factorization and one sweep beyond it.
_TYPICAL_ITERATIONS = 2


def check_solver(model: Model, name: str | None) -> None:
    """Refuse a solver that does not know some constraint of this model."""
    if name is None:
        return
    if name not in SOLVERS:
        raise unknown_name("solver", name, SOLVERS)
    able = [c for c in _CANDIDATES if c in SOLVERS]
    if model.constraints and name == UNCONSTRAINED:
        raise UnsupportedError(
            f"solver 'aba' is for trees without constraints, and {model.name!r} has {len(model.constraints)}; use one "
            f"of {', '.join(able)}"
        )
    if model.has_loops and not SOLVERS[name].takes_loops:
        raise UnsupportedError(
            f"solver {name!r} takes no loops, and {model.name!r} has some; use one of {', '.join(able)}"
        )


@lru_cache(maxsize=64)
def cheapest_solver(model: Model, iterations: int | None) -> str:
    """By operation count; kept for the process.

    Counting takes a trace, seconds for large programs; so the candidates that promise to be small are traced first, and
    one that must have more operations than the best so far is not traced at all.
    """
    if not model.constraints:
        return UNCONSTRAINED
    tree = tree_of(model)
    least = {"lcaba": least_of_lcaba(tree), "prox_ltl": least_of_joint_space(tree), "prox_bbo": least_of_bbo(tree)}
    best, fewest = "", float("inf")
    for name in sorted(_CANDIDATES, key=least.__getitem__):
        if least[name] >= fewest:
            break
        count = _operations(model, name, iterations or _TYPICAL_ITERATIONS)
        if count < fewest:
            best, fewest = name, count
    return best


def _operations(model: Model, name: str, iterations: int) -> int:
    recipe, tree = SOLVERS[name], tree_of(model)
    options = {**recipe.options, "iterations": iterations}
    shapes = {key: SHAPES[key](model) for key in ("q", "v", "tau", "desired")}
    program = trace(lambda **x: {"a": recipe.evaluate(tree, x, options)["a"]}, shapes)
    return count_operations(simplify(program)).total
