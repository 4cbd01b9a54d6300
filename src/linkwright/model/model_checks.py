"""What a model is checked for when it is made: names, constraints, and what is only told of it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from ..errors import InputError, ModelError
from ..printable import printable
from .constraints import Constraint
from .not_computed import checked
from .passive import Passive
from .pose import finite_array
from .simulation_defaults import SimulationDefaults

if TYPE_CHECKING:
    from .model import Model


def check_printable(name: str, what: str) -> None:
    """Raise ModelError for a name with half a character (a lone surrogate), which no encoding has."""
    if not name.isascii() and any("\ud800" <= c <= "\udfff" for c in name):
        raise ModelError(f"{what}'s name is {name!r}, which has half a character and cannot be printed")


def check_constraints(model: Model) -> None:
    """Their names, the frames and joints they name, and what their kinds ask of several."""
    names: set[str] = set()
    for constraint in model.constraints:
        if not isinstance(constraint, Constraint):
            raise InputError(f"{constraint!r} is not a constraint; expected e.g. linkwright.weld('foot')")
        if constraint.name in names:
            raise InputError(
                f"two constraints are named {constraint.name!r}; names must be unique: give one with name=..."
            )
        check_printable(constraint.name, "a constraint")
        names.add(constraint.name)
    model.constraint_bodies  # noqa: B018  refuses frames and joints that are not there
    kinds: list[type[Constraint]] = list(dict.fromkeys(type(c) for c in model.constraints))
    for kind in kinds:
        kind.check_together([c for c in model.constraints if type(c) is kind])


def check_notes(model: Model) -> None:
    """What is only told about the mechanism; also makes what was given immutable."""
    configurations = {}
    for name, q in model.configurations.items():
        configurations[str(name)] = finite_array(q, (model.nq,), f"configuration {name!r}")
        configurations[str(name)].flags.writeable = False
    object.__setattr__(model, "configurations", MappingProxyType(configurations))
    for name in (*model.motors, *model.independent):
        model.joint_index(name)
    object.__setattr__(model, "passive", tuple(model.passive))
    for element in model.passive:
        if not isinstance(element, Passive):
            raise InputError(f"passive has {element!r}; expected Tendon or GravityCompensation")
        element.check(model)
    if model.not_computed:
        object.__setattr__(model, "not_computed", checked(model.not_computed))
    object.__setattr__(model, "warnings", tuple(map(printable, model.warnings)))  # sentences, which quote names
    if not isinstance(model.simulation, SimulationDefaults):
        raise InputError(f"simulation is {model.simulation!r}; expected linkwright.SimulationDefaults(dt=..., ...)")
