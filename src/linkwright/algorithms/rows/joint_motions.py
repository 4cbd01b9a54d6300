"""What single joints add to the accelerations of constrained bodies: these may cancel, and leave rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...scalar import Scalar
from ...spatial import RowVector
from .constrained_problem import ConstrainedProblem
from .constraint_rows import constrained_bodies


def squared_joint_motions(problem: ConstrainedProblem, a: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
    """(Linear, angular) accelerations by single joints that carry constrained bodies, squared and added up, where `a`
    are those of the joints. No joint moves a body by more than it would with all that is between them stretched."""
    tree, linear, angular = problem.tree, [], []
    reach = max((_reach(problem, body) for bodies in tree.constraint_bodies for body in bodies), default=0.0)
    for i in constrained_bodies(tree):
        S = problem.sweep.S[i]
        for k, rate in enumerate(a[tree.iv[i]]):
            if S.directions and S.directions[k] >= 3:
                linear.append(rate)
            else:
                angular.append(rate)
                linear.append(rate * reach)
    return RowVector(linear).square, RowVector(angular).square


def _reach(problem: ConstrainedProblem, body: int) -> float:
    """From the first joint to a body."""
    tree = problem.tree
    inner = [i for i in tree.graph.support[body] if tree.parent[i]]
    return sum(float(np.linalg.norm(tree.model.bodies[i].placement.translation)) for i in inner)
