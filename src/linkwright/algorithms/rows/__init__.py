"""Constraints at one state: their rows on bodies, how fast they are being violated, and by how much.

Each kind of constraint says that of itself (model/constraints); here is what solvers make of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...model.constraints import ConstraintAtState, RelativePoses, Terms
from ...scalar import Scalar
from ...spatial import Transform
from .frame_motions import FrameMotions


def constraints_at(tree: Tree, q: Sequence[Scalar], X: Sequence[Transform]) -> list[ConstraintAtState]:
    """Every constraint of the tree at q, where X leads from each parent to its child."""
    poses = RelativePoses(tree, X)
    return [constraint.at(tree, q, poses) for constraint in tree.constraints]


__all__ = ["ConstraintAtState", "FrameMotions", "RelativePoses", "Terms", "constraints_at"]
