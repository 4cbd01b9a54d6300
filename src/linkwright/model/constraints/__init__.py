"""Constraints: to the ground, between bodies, between joints, on many bodies.

One file per kind, which says all there is to say of it (constraint.py: the contract): its data and how they are stored,
its rows, drift and error at a state, its ends, units and words. A file makes its kind known to `CONSTRAINT_KINDS`.
"""

from .at_state import ConstraintAtState, Motions, Terms
from .closing_joint import close_with
from .constraint import CONSTRAINT_KINDS, DIRECTIONS, GROUND_FRAME, Constraint, ConstraintEnd, constraint_kind
from .coupling import Coupling, couple, transmission
from .explicit_function import ExplicitFunction
from .implicit_function import ImplicitFunction
from .mass_center import CenterOfMass, center_of_mass
from .relative import RelativeConstraint, connect, weld
from .relative_poses import RelativePoses
from .rod import Rod, rod
from .sum_constraint import SumConstraint, constrain

__all__ = [
    "CONSTRAINT_KINDS", "DIRECTIONS", "GROUND_FRAME", "CenterOfMass", "Constraint", "ConstraintAtState",
    "ConstraintEnd", "Coupling", "ExplicitFunction", "ImplicitFunction", "Motions", "RelativeConstraint",
    "RelativePoses", "Rod", "SumConstraint", "Terms", "center_of_mass", "close_with", "connect", "constrain",
    "constraint_kind", "couple", "rod", "transmission", "weld",
]  # fmt: skip
