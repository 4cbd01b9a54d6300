"""`project_configuration` as a program: a pose moved onto the constraints, compiled, batched and differentiable.

Each pass takes from the error what is to be taken to first order, by the least motion as the mechanism's inertia
measures it: forces of constraints alone move a mechanism so, without gravity and springs, from rest. Newton's method
then: what a pass leaves is the square of what it found. Every pass is a solution of its own and differentiated
implicitly (derivatives/implicit.py). Joints that are held are tied to where they are by further rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..algorithms.delassus.propagators import Posture
from ..algorithms.rows import constraints_at
from ..algorithms.rows.constraint_rows import largest_residual
from ..errors import InputError
from ..model import Model, Tree
from ..model.configuration import integrate
from ..model.constraint_parameters import RATIOS
from ..model.constraints import transmission
from ..model.parameters import PARAMETER_NAMES, default_parameters
from ..scalar import Scalar, maximum, where
from .choice import solver_of
from .recipe import Recipe
from .registry import RECIPES
from .status import STATUS_NOT_CONVERGED, STATUS_NOT_FINITE, STATUS_OK, status


def _fixed(options: Mapping[str, Any]) -> tuple[str, ...]:
    fixed = options["fixed"]
    return (fixed,) if isinstance(fixed, str) else tuple(fixed)


def _tie(model: Model, name: str):
    """A row along a joint that is held. Only its direction matters: how far it is from there is not asked."""
    joint = model.joint_index(name)
    return transmission({name: 1.0}, float(model.drawn[model.iq[joint].start]), name=f"fixed {name}")


def held(model: Model, fixed: Sequence[str]) -> Model:
    """The mechanism at rest by itself, with a row more for each joint that keeps its coordinate."""
    still = replace(model, passive=()) if model.passive else model
    return still.with_constraints(*(_tie(model, name) for name in fixed)) if fixed else still


def _tree(model: Model, x: Mapping[str, Any]) -> Tree:
    given = {name: list(x[name]) for name in PARAMETER_NAMES if name in x}
    if RATIOS in given:  # those of the ties come last
        given[RATIOS] += list(default_parameters(model, [RATIOS])[RATIOS][len(given[RATIOS]) :])
    none = [0.0] * model.nv
    return Tree(model, {**given, "gravity": [0.0] * 3, "springs": none, "dampings": none})


def _errors(tree: Tree, q: Sequence[Scalar], rows: int) -> list[Scalar]:
    """Of the first rows, zeros where a constraint does not say where things belong; none of the ties."""
    every = constraints_at(tree, q, Posture(tree, q).X)
    errors = [e for c in every for e in (c.error() if c.constraint.has_position else [0.0] * c.constraint.size)]
    return [*errors[:rows], *([0.0] * (len(errors) - rows))]


def _project(tree: Tree, x, options):
    if not tree.model.constraints:  # every pose is a closed one
        return {"q": list(x["q"]), "residual": 0.0, "status": status(x["q"], [])}
    rows, model = tree.model.nc, held(tree.model, _fixed(options))
    mechanism, q, none = _tree(model, x), list(x["q"]), [0.0] * tree.nv
    solver, told = RECIPES[solver_of(model, None)], STATUS_OK
    settings = {**solver.options, **{name: options[name] for name in ("precision", "arithmetic") if name in options}}
    for _ in range(options["passes"]):
        desired = [-e for e in _errors(mechanism, q, rows)]
        found = solver.evaluate(mechanism, {"q": q, "v": none, "tau": none, "desired": desired}, settings)
        told = maximum(told, found["status"])
        q = integrate(tree.model, q, found["a"])
    left = largest_residual(_errors(mechanism, q, rows))
    doubt = where(left < float("inf"), maximum(told, STATUS_NOT_CONVERGED), STATUS_NOT_FINITE)
    return {"q": q, "residual": left, "status": where(left <= options["tolerance"], STATUS_OK, doubt)}


def _check_options(model: Model, options: Mapping[str, Any]) -> None:
    fixed = options["fixed"]
    if not isinstance(fixed, str | list | tuple) or not all(isinstance(x, str) for x in _fixed(options)):
        raise InputError(f"fixed is {fixed!r}; expected names of joints that keep their coordinates")
    for name in _fixed(options):
        if model.joints[model.joint_index(name) - 1].nv != 1:
            raise InputError(f"fixed joint {name!r} has several coordinates; this program holds joints of one")
    if len(set(_fixed(options))) != len(_fixed(options)):
        raise InputError(f"fixed is {fixed!r}; expected each joint once")
    passes, tolerance = options["passes"], options["tolerance"]
    if not isinstance(passes, int) or isinstance(passes, bool) or passes < 1:
        raise InputError(f"passes is {passes!r}; expected how many Newton steps to take, 1 or more")
    if not isinstance(tolerance, float | int) or not tolerance > 0:
        raise InputError(f"tolerance is {tolerance!r}; expected metres and radians, more than 0")


CLOSING = (
    Recipe(
        "project_configuration", "a pose moved onto the constraints, by Newton's method", ("q",),
        ("q", "residual", "status"), _project, default_outputs=("q", "status"),
        options={"fixed": (), "passes": 4, "tolerance": 1e-9}, check_options=_check_options, constraints="any",
        needs_double=lambda options: True,
    ),
)  # fmt: skip
