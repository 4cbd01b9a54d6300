"""How hard stabilization pulls: what it asks for and cannot get is no fault of the solver.

Constraints that a file cannot close to the last digit contradict one another by what stabilization asks for, and only
by that: no reason not to believe the rest of a step. What is left undone so opens loops, and drift is judged by itself.
Rows without a position have no drift, so their pull excuses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Model
from ..scalar import Scalar, sqrt
from ..spatial import RowVector

_ROUNDING = 1.0 + 1e-6  # where all of the pull is left undone, solvers leave its last digits more


def pull_on_positions(model: Model, desired: Sequence[Scalar]) -> Scalar:
    """The size of the accelerations that stabilization desires of rows with a position."""
    placed = [c.has_position for c in model.constraints for _ in range(c.size)]
    pulled = [x for x, has_position in zip(desired, placed, strict=False) if has_position]
    return sqrt(RowVector(pulled).square) * _ROUNDING if pulled else 0.0
