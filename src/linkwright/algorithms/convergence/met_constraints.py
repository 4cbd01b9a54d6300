"""Whether accelerations meet their constraints, up to rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...scalar import Scalar, maximum, sqrt
from ..rows.constrained_problem import ConstrainedProblem

# A constraint is met to this, relative to what it asks for and to what joints may add to its acceleration.
UNMET = 1e-8


def unmet(problem: ConstrainedProblem, sizes: Sequence[Scalar], residuals: Sequence[Scalar]) -> Scalar:
    """Positive where some row of a constraint to the ground is not met, else zero.

    sizes  of joint accelerations, not negative: those found, and those without constraints, of which they are what is
           left (nothing, in a mechanism that is held in every way)
    """
    worst: Scalar = 0.0
    for c, left in zip(problem.constraints, problem.split(residuals), strict=True):
        turning, shifting, reach = _accelerations(problem, c.body, sizes)
        for row, e, residual in zip(c.K, c.e, left, strict=True):
            # no joint adds more than it would with the body at full stretch
            linear, angular = (sqrt(part @ part) for part in (row.linear, row.angular))
            scale = abs(e) + turning * (angular + linear * reach) + shifting * linear
            worst = maximum(abs(residual) - scale * UNMET, worst)
    return worst


def _accelerations(problem: ConstrainedProblem, body: int, sizes: Sequence[Scalar]) -> tuple[Scalar, Scalar, float]:
    """(sum of angular, of linear joint accelerations that carry a body, how far it is from the first joint at most)."""
    tree = problem.tree
    turning, shifting, reach = 0.0, 0.0, 0.0
    for i in tree.graph.support[body]:
        if tree.parent[i]:
            reach += float(np.linalg.norm(tree.model.bodies[i].placement.translation))
        S, rates = problem.sweep.S[i], sizes[tree.iv[i]]
        for k, rate in enumerate(rates):
            if S.directions and S.directions[k] >= 3:
                shifting = shifting + rate
            else:
                turning = turning + rate
    return turning, shifting, reach
