"""Constraints at one state: their rows on bodies, how fast they are being violated, and by how much.

One file per form of constraint (model/constraints). Nothing is worked out before it is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...model.constraints import (
    CenterOfMass,
    Constraint,
    Coupling,
    ExplicitFunction,
    ImplicitFunction,
    RelativeConstraint,
    Rod,
    SumConstraint,
)
from ...scalar import Scalar
from ...spatial import Transform
from .center_of_mass_rows import CenterOfMassClosure
from .closure import Closure
from .coupling_rows import CouplingClosure
from .frame_motions import FrameMotions
from .function_rows import FunctionClosure
from .relative_poses import RelativePoses
from .relative_rows import RelativeClosure
from .rod_rows import RodClosure
from .sum_rows import SumClosure

_CLOSURES: dict[type[Constraint], type[Closure]] = {
    RelativeConstraint: RelativeClosure,
    Rod: RodClosure,
    Coupling: CouplingClosure,
    SumConstraint: SumClosure,
    CenterOfMass: CenterOfMassClosure,
    ImplicitFunction: FunctionClosure,
    ExplicitFunction: FunctionClosure,
}


def closures(tree: Tree, q: Sequence[Scalar], X: Sequence[Transform]) -> list[Closure]:
    """Every constraint of the tree at q, where X leads from each parent to its child."""
    poses = RelativePoses(tree, X)
    return [_CLOSURES[type(constraint)](tree, q, poses, constraint) for constraint in tree.constraints]


__all__ = ["Closure", "FrameMotions", "RelativePoses", "closures"]
