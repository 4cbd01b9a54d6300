"""Multipliers so large that a mechanism may be singular, although no pivot shows it.

Whether constraints are nearly dependent need not show in one pivot of rows that are taken in a given order: weak ones
in a row multiply. But the multipliers are then large compared with what drives the mechanism: torques over the root of
the inertia they meet, and what rows ask for over the root of their scale.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar
from ...spatial import sum_of
from ..parts.articulation import Articulation
from ..rows.constrained_problem import ConstrainedProblem
from ..rows.row_scales import row_scales

# A direction with a singular value of sigma has multipliers of 1 / sigma and more, if something drives it.
LARGEST_PUSH = 2e3


def overstretched(
    problem: ConstrainedProblem, joints: Sequence[tuple[Articulation, Sequence[Scalar]]], lam: Sequence[Scalar]
) -> Scalar:
    """Whether they are that large; joints with the accelerations y that they would have if their parents had none."""
    driving = sum_of(y * y * D for joint, own in joints for y, D in zip(own, joint.D.pivots, strict=True))
    pushing: Scalar = 0.0
    for x, (_, _, e), d in zip(lam, problem.rows, row_scales(problem.tree.model).tolist(), strict=True):
        driving = driving + e * e * (1.0 / d)
        pushing = pushing + x * x * d
    return pushing > driving * LARGEST_PUSH**2
