"""How the constraint rows accelerate if no constraint force acts: J M^-1 (tau - c) + J-dot v.

With it a contact solver's problem is complete: the rows accelerate with J M^-1 J' f + this under constraint forces f.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Force
from ..tree.aba import accelerate, articulate
from .constrained_problem import ConstrainedProblem
from .constraint_rows import constrained_bodies


def free_row_acceleration(
    tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar], *,
    f_ext: Sequence[Force] | None = None, active: Sequence[Scalar] | None = None,
) -> list[Scalar]:  # fmt: skip
    """Of every row; zero where its constraint is inactive. ABA, outward only to the bodies that carry constraints."""
    problem = ConstrainedProblem(tree, q, v, tau, f_ext=f_ext, active=active)
    IA = [inertia.articulated() for inertia in tree.lumped]
    joint, y = articulate(tree, problem.sweep, IA, list(problem.wrenches), problem.tau)
    _, change = accelerate(tree, problem.sweep, joint, y, constrained_bodies(tree))
    return list(problem.residuals(change))
