"""Proximal iterations that go on until the accelerations are right, and know which constraints count.

In rows scaled by sqrt(mu) a step d of the multipliers changes the residual r by -T d, where T has the eigenvalues s /
(1 + s), and s = kappa sigma^2 for a scaled singular value sigma of the constraints: sigma is about one where rows
move freely, zero where they depend on one another. Most directions are strong, T = 1, and Richardson's step
(proximal.py) removes them: that is the first pass. What is left lies in few weak directions, so the steps after it go
along the residual, as far as makes it least there (steepest descent: T is its own preconditioner, and passes cost no
more than Richardson's). Where a direction is so weak that it must be asked whether it counts at all, or descent is
slow, Lanczos' method takes over (rank_aware.py). On random states of the mechanisms in `bench loops` one to three
passes suffice.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...scalar import Scalar, is_zero, maximum, minimum, negated, sqrt, until, where
from ...spatial import RowVector, sum_of
from ..rows.constrained_problem import NO, PROBABLY, ConstrainedProblem, Solution
from ..rows.constraint_rows import ConstraintRows
from ..rows.joint_motions import squared_joint_motions
from .lost_digits import lost_to_free_accelerations
from .proximal import FactoredProblem


@dataclass(frozen=True)
class Accuracy:
    """When to stop, and what counts.

    tolerance       residuals, relative to the accelerations of the rows and divided by the scaled singular value of the
                    weakest direction met: about the relative error of the accelerations that is left
    rank_tolerance  directions of the constraints with a smaller scaled singular value are dependent: not enforced
    kappa           mu times the scale of each row: the eigenvalue s of a direction with singular value 1
    rounding        of the arithmetic
    consistent      what directions that do not count may ask for, relative to accelerations, without contradicting the
                    others: the rounding of the model or of the state
    dependent       the largest singular value that rows which depend on one another may have, by that rounding
    """

    tolerance: float
    rank_tolerance: float
    kappa: Scalar
    rounding: float
    consistent: float
    dependent: float

    @property
    def hidden(self) -> float:
        """No residual above this is believed to be harmless: it might hide a direction weaker than all those met."""
        return max(self.tolerance * 0.01, self.rounding)

    def allowed(self, sigma: Scalar) -> Scalar:
        """The relative residual to stop at, squared, when the weakest direction met has this singular value."""
        bound = maximum(minimum(self.hidden, self.tolerance * sigma), 4.0 * self.rounding)
        return bound * bound

    @property
    def weakest(self) -> Scalar:
        """The eigenvalue of T where directions cease to count."""
        return self._eigenvalue(self.rank_tolerance)

    @property
    def doubtful(self) -> Scalar:
        """The eigenvalue of T below which Lanczos' method looks at directions one by one."""
        return self._eigenvalue(DOUBT * self.rank_tolerance)

    def _eigenvalue(self, sigma: float) -> Scalar:
        s = self.kappa * sigma**2
        return s / (1.0 + s)

    def singular_value(self, theta: Scalar) -> Scalar:
        """sigma of a direction with eigenvalue theta of T."""
        return sqrt(maximum(theta, 0.0) / (maximum(1.0 - theta, _SMALL) * self.kappa))


DESCENTS = 8  # most states need one to three; what needs more than this has several weak directions
DOUBT = 20.0  # times the rank tolerance: weaker directions may be mixed with some that do not count
_LEFT_BY_ROUNDING = 1e5  # roundings of what rows do without constraints: what accelerations may leave of them
_SMALL = 1e-15
_NOTHING = 1e-30  # squares of sizes below this are zero, also in single precision
_LEAST_SHARE = 1e-6  # of one kind of rows beside the other: rad/s^2 beside m/s^2
_LEAST_SHARE_OF_ROUNDING = 1e-3


class AccelerationSizes:
    """How large the accelerations are that residuals are small against: one size for rows that measure lengths, one for
    those that measure angles, each of all of its rows together (one row may well be at rest). The first residual is
    one of them: all there is to compare with in a mechanism that is held so that it cannot move."""

    def __init__(self, constraints: Sequence[ConstraintRows], squares: tuple[Scalar, Scalar], first: RowVector):
        is_linear = [any(not is_zero(x) for x in row.linear) for c in constraints for row in c.rows]
        asked = [e for c in constraints for e in c.e]
        self.kinds = [[k for k, linear in enumerate(is_linear) if linear is kind] for kind in (True, False)]
        found = [
            RowVector(asked[k] for k in rows).square + RowVector(first[k] for k in rows).square + moving
            for rows, moving in zip(self.kinds, squares, strict=True)
        ]
        self.squares = found
        self.inverse = _inverse(found, _LEAST_SHARE)

    def of(self, problem: ConstrainedProblem, a: Sequence[Scalar]) -> AccelerationSizes:
        """With the accelerations that there are in the end, and those that are asked for."""
        asked = RowVector(e for c in problem.constraints for e in c.e)
        squares = squared_joint_motions(problem, a)
        return self._with(
            RowVector(asked[k] for k in rows).square + moving for rows, moving in zip(self.kinds, squares, strict=True)
        )

    def beside(self, squares: tuple[Scalar, Scalar]) -> AccelerationSizes:
        """With other accelerations, squared, that rows take the difference of: to tell contradictions from rounding,
        which there is of all of them; so neither kind of rows is small where the other is not."""
        return self._with(own + more for own, more in zip(self.squares, squares, strict=True))

    def _with(self, squares: Iterable[Scalar]) -> AccelerationSizes:
        sizes = copy.copy(self)
        sizes.squares = list(squares)
        sizes.inverse = _inverse(sizes.squares, _LEAST_SHARE_OF_ROUNDING)
        return sizes

    def relative_square(self, residuals: Sequence[Scalar]) -> Scalar:
        """Of residuals, relative to the accelerations."""
        return sum_of(
            RowVector(residuals[k] for k in rows).square * inverse
            for rows, inverse in zip(self.kinds, self.inverse, strict=True)
            if rows
        )


def _inverse(squares: Sequence[Scalar], share: float) -> list[Scalar]:
    least = maximum((squares[0] + squares[1]) * share**2, _NOTHING)
    return [1.0 / maximum(x, least) for x in squares]


def converge(factored: FactoredProblem, accuracy: Accuracy, start: Sequence[Scalar]) -> Solution:
    """Solve from the multipliers that the problem was factored with."""
    from .rank_aware import INFEASIBLE, ROUNDING, WeakDirections, is_unsure  # it needs this file

    problem, lam = factored.problem, RowVector(start)
    mu = problem.mu
    n_rows = len(mu)
    if not n_rows:
        inner, residuals = factored.solution()
        return Solution(factored.finish(inner, lam, residuals)[0], [], [], 0.0, factored.pivots, outcome=0.0)

    first = factored.residuals()  # Richardson's step
    step = mu * first
    factored.push(step)
    lam = lam + step
    inner, residuals = factored.solution()
    sizes = AccelerationSizes(problem.constraints, factored.sizes(), first)
    n_inner = len(inner)

    def split(values) -> tuple[list[Scalar], RowVector, RowVector]:
        rows = values[n_inner : n_inner + n_rows], values[n_inner + n_rows : n_inner + 2 * n_rows]
        # then passes, the weakest singular value met, whether it is the end
        return values[:n_inner], *(RowVector(x) for x in rows)

    def descend(values, running):
        inner, residuals, lam = split(values)
        step = mu * residuals
        change, moved = factored.response(step)
        theta = -moved.dot(step) / maximum(residuals.dot(step), _NOTHING)
        doubtful = theta <= accuracy.doubtful
        length = where(running & negated(doubtful), 1.0 / maximum(theta, _SMALL), 0.0)
        inner = [x + length * d for x, d in zip(inner, change, strict=True)]
        residuals, lam = residuals + moved * length, lam + step * length
        # a step along strong directions leaves of weak ones, met before, what was there
        weakest = where(running, minimum(values[-2], accuracy.singular_value(theta)), values[-2])
        found = sizes.relative_square(residuals) <= accuracy.allowed(weakest)
        passes, outcome = values[-3] + where(running, 1.0, 0.0), where(running, where(found, 1.0, 0.0), values[-1])
        return [*inner, *residuals, *lam, passes, weakest, outcome], found | doubtful

    found = sizes.relative_square(residuals) <= accuracy.allowed(1.0)
    values = until(
        descend, [*inner, *residuals, *lam, 1.0, 1.0, where(found, 1.0, 0.0)], done=found,
        limit=DESCENTS, expected=1.0, keeps=True,
    )  # fmt: skip
    weak = WeakDirections(factored, accuracy, sizes, RowVector(start), first)
    inner, residuals, lam, passes, weakest, outcome = weak.resolved(
        *split(values), values[-3], values[-2], values[-1] < 0.5
    )
    lam = lam + mu * residuals
    a, left = factored.finish(inner, lam, residuals)
    if factored.beside_free:
        # residuals are small beside what rows would do without constraints; beside what they do, they may not be
        most = max(accuracy.consistent, ROUNDING * accuracy.dependent)
        contradicts = sizes.of(problem, a).relative_square(left) > most * most
        rounding = sizes.squares[0] * (_LEFT_BY_ROUNDING * accuracy.rounding) ** 2
        contradicts = contradicts & (RowVector(left).square > rounding)
        outcome = where((outcome < 0.5) & contradicts, INFEASIBLE, outcome)
    lost = factored.lost
    unsure = believed = s = None
    if factored.squares:
        # more than iterations leave is left only in directions that were dropped
        dropped = sizes.relative_square(residuals) > 100.0 * accuracy.allowed(weakest)
        believed = [where(dropped, r, 0.0) for r in residuals]
        weakest = maximum(weakest, accuracy.rank_tolerance)
        free_size = factored.free_size  # type: ignore[attr-defined]  # solvers with squares have it
        lost = maximum(lost_to_free_accelerations(free_size, a, weakest), lost)
        s = accuracy.kappa * weakest * weakest
        unsure = where(is_unsure(outcome), PROBABLY, NO)
        outcome = where(is_unsure(outcome), 0.0, outcome)
    return Solution(
        a, list(lam), left, passes + 1.0, factored.pivots, outcome=outcome, lost=lost, unsure=unsure,
        believed=believed, weakest=s,
    )  # fmt: skip
