"""`contact_dynamics`: accelerations and forces of a mechanism that touches something, by MuJoCo's soft law."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from ..errors import InputError
from ..model import Model, Tree
from ..programs import Recipe
from ..programs.constraint_programs import check_positions
from ..programs.precision import Precision
from ..programs.recipe import CONTACT_OUTPUTS, external_forces
from ..programs.solvable import check_solvable
from .options import JointOptions, SoftLaw, check_positive, declared_in
from .soft_dynamics import SoftDynamics, told_of

_OUTPUTS = ("a", *CONTACT_OUTPUTS, "limit_torque", "friction_torque", "forces", "iterations", "status")
_DEFAULT = ("a", "contact_force", "gap", "status")
_OPTIONS = {
    **{own.name: own.default for own in declared_in(SoftLaw)}, "limits": True, "friction": True, "baumgarte": None,
    "iterations": None, "warm_start": None,
}  # fmt: skip


def _law(options: Mapping[str, Any]) -> SoftLaw:
    return SoftLaw(**{own.name: options[own.name] for own in fields(SoftLaw)})


def _evaluate(tree: Tree, x: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    joints = JointOptions(friction=options["friction"], limits=options["limits"])
    found = SoftDynamics(
        tree, x["q"], x["v"], x["tau"], x["dt"][()], _law(options), joints, Precision.of(options), start=x.get("warm"),
        f_ext=external_forces(tree, x), baumgarte=options["baumgarte"],
    )  # fmt: skip
    limits, friction = found.joint_torques()
    return {
        "a": found.a,
        **told_of(found.touching()),
        "limit_torque": limits,
        "friction_torque": friction,
        "forces": found.constraint_forces(),
        "iterations": found.solution.iterations,
        "status": found.status,
    }


def _check_options(model: Model, options: Mapping[str, Any]) -> None:
    _law(options).check()
    for name in ("limits", "friction"):
        if not isinstance(options[name], bool):
            raise InputError(f"{name} is {options[name]!r}; expected True or False")
    if options["warm_start"] not in (None, "input"):
        given = options["warm_start"]
        raise InputError(f"warm_start is {given!r}; expected 'input', to give it with each call, or None")
    check_positive("baumgarte", options["baumgarte"])
    if options["baumgarte"] is not None:
        if options["equality"] == "soft":
            raise InputError("baumgarte is for hard equalities; soft ones have their solref")
        check_positions(model)


CONTACT = (
    Recipe(
        "contact_dynamics", "forward dynamics with contacts, limits and dry friction, MuJoCo's soft law",
        ("q", "v", "tau", "dt"), _OUTPUTS, _evaluate, ("f_ext",), _DEFAULT, _OPTIONS, check_solvable, _check_options,
        switched_inputs=lambda options: ("warm",) if options["warm_start"] == "input" else (), constraints="any",
        contacts=lambda options: "soft", needs_double=lambda options: True,
    ),
)  # fmt: skip
