"""Constraints: to the ground, between bodies, between joints, on many bodies. One class per form of row."""

from .closing_joint import close_with
from .constraint import DIRECTIONS, GROUND_FRAME, Constraint
from .coupling import Coupling, couple, transmission
from .function import ExplicitFunction, ImplicitFunction
from .relative import RelativeConstraint, connect, weld
from .rod import Rod, rod
from .several_bodies import CenterOfMass, SumConstraint, center_of_mass, constrain

CONSTRAINT_KINDS: dict[str, type[Constraint]] = {
    cls.kind: cls
    for cls in (RelativeConstraint, Rod, Coupling, SumConstraint, CenterOfMass, ImplicitFunction, ExplicitFunction)
}

__all__ = [
    "CONSTRAINT_KINDS", "DIRECTIONS", "GROUND_FRAME", "CenterOfMass", "Constraint", "Coupling", "ExplicitFunction",
    "ImplicitFunction", "RelativeConstraint",
    "Rod", "SumConstraint", "center_of_mass", "close_with", "connect", "constrain", "couple", "rod", "transmission",
    "weld",
]  # fmt: skip
