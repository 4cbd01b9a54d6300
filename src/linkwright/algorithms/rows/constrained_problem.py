"""What every constrained solver starts from and ends with."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Force, Motion, RowVector
from ..parts.motion_sweep import MotionSweep
from ..parts.passive_torques import passive_torques
from .constraint_rows import ConstraintRows, constraint_rows, largest_residual


class ConstrainedProblem:
    """M a + c + J' lam = tau with K a = e on some bodies, at one state.

    tau      joint torques with springs and dampers
    sweep    the mechanism as if its joints did not accelerate
    wrenches what that takes, less external forces
    weakest  pivots of rows over their size from which a solver for independent ones calls them dependent, if not usual
    ties     which of equally coupled links is eliminated first (elimination_order.py)
    """

    def __init__(
        self, tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], tau: Sequence[Scalar], *,
        f_ext: Sequence[Force] | None = None, desired: Sequence[Scalar] | None = None,
        active: Sequence[Scalar] | None = None, mu: Sequence[Scalar] | None = None, baumgarte: float | None = None,
        weakest: float | None = None, ties: str = "last",
    ):  # fmt: skip
        self.tree, self.q, self.weakest, self.ties = tree, q, weakest, ties
        self.tau = RowVector(tau) + passive_torques(tree, q, v)
        self.sweep = MotionSweep(tree, q, v)
        self.wrenches = self.sweep.wrenches(tree, f_ext)
        self.constraints: list[ConstraintRows] = constraint_rows(
            tree, self.sweep, q, v, desired=desired, active=active, mu=mu, baumgarte=baumgarte
        )

    def with_right_sides(self, torques: Sequence[Scalar], rows: Sequence[Scalar]) -> ConstrainedProblem:
        """The same mechanism with M a + J' lam = torques and K a = rows."""
        problem = copy.copy(self)
        problem.tau, problem.wrenches = RowVector(torques), [Force.zero()] * len(self.wrenches)
        problem.constraints = [replace(c, e=own) for c, own in self.of_each(rows)]
        return problem

    def with_ties(self, ties: str) -> ConstrainedProblem:
        """The same problem for another order of elimination."""
        problem = copy.copy(self)
        problem.ties = ties
        return problem

    @property
    def rows(self) -> list[tuple[int, Force, Scalar]]:
        """(body, covector, right-hand side) of every row."""
        return [(c.body, row, e) for c in self.constraints for row, e in zip(c.K, c.e, strict=True)]

    def split(self, values: Sequence[Scalar]) -> list[RowVector]:
        """One value per row -> one row vector per constraint."""
        return cut(values, [c.size for c in self.constraints])

    def of_each(self, values: Sequence[Scalar]) -> Iterator[tuple[ConstraintRows, RowVector]]:
        """(Constraint, its own of values given for every row)."""
        return zip(self.constraints, self.split(values), strict=True)

    def residuals(self, change: Sequence[Motion]) -> RowVector:
        """K a - e of every row, for the changes of acceleration of all bodies."""
        return RowVector(r for c in self.constraints for r in c.residual(change))

    @property
    def mu(self) -> RowVector:
        return RowVector(m for c in self.constraints for m in c.mu)

    @property
    def e(self) -> RowVector:
        return RowVector(e for c in self.constraints for e in c.e)

    @property
    def idle(self) -> list[Scalar]:
        """Per row 1 where its constraint is switched off, else 0: added to a pivot it makes that multiplier zero."""
        return [1.0 - c.active for c in self.constraints for _ in c.K]


def cut(values: Sequence[Scalar], sizes: Sequence[int]) -> list[RowVector]:
    """Pieces of these sizes, one after the other."""
    ends = list(accumulate(sizes))
    return [RowVector(values[end - size : end]) for size, end in zip(sizes, ends, strict=True)]


# Whether rows are nearly dependent: worth a look (evidence.py); so without one, too.
NO, PERHAPS, PROBABLY = 0.0, 1.0, 2.0


@dataclass(frozen=True)
class Solution:
    """Accelerations, the multiplier of every row, K a - e of every row, and how many iterations were used."""

    a: list[Scalar]
    lam: list[Scalar]
    residuals: list[Scalar]
    iterations: Scalar
    pivots: Sequence[Scalar] = ()
    converged: Scalar | None = None  # of iterations that end at a tolerance: whether it was reached
    outcome: Scalar | None = None  # what rank_aware.py says of directions that are weak
    lost: Scalar | None = None  # relative error from digits lost, in units of the rounding of one number
    believed: list[Scalar] | None = None  # K a - e as iterations have it: nothing in directions that count
    unsure: Scalar | None = None  # whether rows are dependent: NO, PERHAPS or PROBABLY
    weakest: Scalar | None = None  # direction that iterations met: s in converge.py

    @property
    def residual(self) -> Scalar:
        return largest_residual(self.residuals)
