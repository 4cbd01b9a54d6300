"""Whether accelerations meet their constraints, up to rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..scalar import Scalar, maximum
from .constrained_problem import ConstrainedProblem

# A constraint is met to this, relative to what it asks for and to what joints add to its acceleration.
UNMET = 1e-8


def unmet(problem: ConstrainedProblem, a: Sequence[Scalar], residuals: Sequence[Scalar]) -> Scalar:
    """Positive where some row of a constraint to the ground is not met, else zero."""
    tree, worst = problem.tree, 0.0
    rows_of = [np.asarray(c.rows, dtype=float) for c in tree.constraints]
    for c, rows, left in zip(problem.constraints, rows_of, problem.split(residuals), strict=True):
        turning, shifting, reach = _accelerations(problem, c.body, a)
        for row, e, residual in zip(rows, c.e, left, strict=True):
            # no joint adds more than it would with the frame at full stretch
            linear, angular = (float(np.linalg.norm(part)) for part in (row[:3], row[3:]))
            scale = abs(e) + turning * (angular + linear * reach) + shifting * linear
            worst = maximum(abs(residual) - scale * UNMET, worst)
    return worst


def _accelerations(problem: ConstrainedProblem, body: int, a: Sequence[Scalar]) -> tuple[Scalar, Scalar, float]:
    """(sum of angular, of linear joint accelerations that carry a body, how far it is from the first joint at most)."""
    tree = problem.tree
    turning, shifting, reach = 0.0, 0.0, 0.0
    for i in tree.graph.support[body]:
        if tree.parent[i]:
            reach += float(np.linalg.norm(tree.model.bodies[i].placement.translation))
        S, rates = problem.sweep.S[i], a[tree.iv[i]]
        for k, rate in enumerate(rates):
            if S.directions and S.directions[k] >= 3:
                shifting = shifting + abs(rate)
            else:
                turning = turning + abs(rate)
    return turning, shifting, reach
