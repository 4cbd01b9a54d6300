"""Programs for the Delassus matrix J M^-1 J' (inverse operational-space inertia) and what is made of it."""

from __future__ import annotations

from typing import Any

from ..algorithms.delassus.caba_osim import caba_osim
from ..algorithms.delassus.delassus_dense import dense_delassus
from ..algorithms.delassus.efpa import efpa
from ..algorithms.delassus.kjr import kjr
from ..algorithms.delassus.ltl_osim import ltl_osim
from ..algorithms.delassus.pv_osim import pv_osim
from ..algorithms.delassus.pv_osim_fast import pv_osim_fast
from ..algorithms.delassus.pv_osimr import pv_osimr
from ..errors import InputError
from .delassus_operator import DELASSUS_OPERATOR
from .moving_sides import cheapest_to_move
from .penalties import penalties
from .recipe import Constraints, Recipe, square
from .solvable import check_solvable
from .status import status

_MASKED = {"active": None}


def _switched(options) -> tuple[str, ...]:
    names = {"active": "active", "mu": "mu", "apply": "rows"}
    return tuple(name for option, name in names.items() if options.get(option) == "input")


def _check_options(model, options) -> None:
    for option in ("active", "apply"):
        if options.get(option) not in (None, "input"):
            raise InputError(f"{option} is {options[option]!r}; expected 'input', to give it with each call, or None")


def _matrix(compute):
    return lambda tree, x, options: {"delassus": square(compute(tree, x["q"], active=x.get("active")))}


def _by_branches(tree, x, options):
    moving = cheapest_to_move(tree.model)
    return {"delassus": square(pv_osimr(tree, x["q"], active=x.get("active"), moving=moving))}


def _damped_osim(tree, x, options):
    mu = list(x["mu"]) if options["mu"] == "input" else penalties(tree.model, options["mu"]).tolist()
    return {"osim": square(caba_osim(tree, x["q"], mu, active=x.get("active")))}


def _operator(tree, x, options):
    """The operational-space inertia: applied to one vector if asked so, else to the unit vectors."""
    operator = pv_osim_fast(tree, x["q"], active=x.get("active"))
    if "rows" in x:
        result = operator.solve(list(x["rows"]))
        return {"osim": result, "status": status(result, operator.pivots)}
    m = tree.model.nc
    columns = [operator.solve([1.0 if r == c else 0.0 for r in range(m)]) for c in range(m)]
    matrix = [[columns[c][r] for c in range(m)] for r in range(m)]
    return {"osim": square(matrix), "status": status([x for row in matrix for x in row], operator.pivots)}


def _recipe(
    name: str, summary: str, output: str, evaluate, options, *, further: tuple[str, ...] = (), **declared: Any
) -> Recipe:  # fmt: skip
    return Recipe(
        name, summary, ("q",), (output, *further), evaluate, default_outputs=(output,), options=options,
        check=check_solvable, check_options=_check_options, switched_inputs=_switched, **declared,
    )  # fmt: skip


def _matrix_recipe(compute, summary: str, *, constraints: Constraints = "any", evaluate=None) -> Recipe:
    return _recipe(
        compute.__name__, summary, "delassus", evaluate or _matrix(compute), _MASKED, solves="delassus_matrix",
        constraints=constraints,
    )  # fmt: skip


DELASSUS = (
    _matrix_recipe(dense_delassus, "Delassus matrix by dense algebra"),
    _matrix_recipe(ltl_osim, "Delassus matrix in joint space"),
    _matrix_recipe(kjr, "Delassus matrix, Kreutz-Jain-Rodriguez"),
    _matrix_recipe(efpa, "Delassus matrix by extended force propagators"),
    _matrix_recipe(pv_osim, "Delassus matrix, Popov-Vereshchagin"),
    _matrix_recipe(pv_osimr, "Delassus matrix, O(n + m^2)", constraints="ground", evaluate=_by_branches),
    _recipe(
        "pv_osim_fast", "its inverse, or that applied to a vector (apply='input')", "osim", _operator,
        {**_MASKED, "apply": None}, further=("status",), solves="operational_inertia", constraints="ground",
        needs_independent_rows=True, freezes_constraints=lambda options: True,
    ),
    _recipe(
        "caba_osim", "inverse of the Delassus matrix plus 1/mu", "osim", _damped_osim, {**_MASKED, "mu": None},
        solves="operational_inertia", constraints="ground", approximation="penalties",
    ),
    DELASSUS_OPERATOR,
)  # fmt: skip
