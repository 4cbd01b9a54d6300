"""Where costs act, as Newton's method sees them: accelerations x that the mechanism gives a site, a force phi that is
kept for it, and a quadratic model of the cost at x, made of a few numbers.

model(x, phi)            numbers: the Hessian H, and the residual r, what phi has too much of the cost's own force at x
error(numbers)           about how far accelerations are off for the sake of r
times(numbers, d)        H d
penalty(numbers)         what the site is to LCABA: a stiffness H that pulls with r
slopes(x, d, t, so_far)  first and second derivative of the cost at x + t d along d, added to those of other sites

A model that is made only where something touches lives in memory from pass to pass, and `kept` numbers it has: a pass
that skips it writes nothing. It is given the numbers of the pass before, which hold where it is skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...scalar import Scalar, absolute, maximum
from ...spatial import ArticulatedInertia, Force, Matrix, Motion, Symmetric, sum_of
from ..constrained.coupled_links import BodyPenalty, PenaltyBlock
from ..rows.constraint_rows import ConstraintRows, penalty_inertia
from .cones import ContactRows, Values
from .joint_rows import JointRows, TendonRows, VelocityRows

INERTIA_SIZE, WRENCH_SIZE = 21, 6


class Slopes(NamedTuple):
    """First and second derivative along a step."""

    first: Scalar
    second: Scalar


class Along(NamedTuple):
    """Sums over sites of d r, d phi and d (change of phi) for a step d."""

    residual: Scalar
    kept: Scalar
    change: Scalar


class Site:
    size: int
    weights: Sequence[Scalar]  # how far accelerations are off per error of a force
    kept = 0  # numbers of its model that live from pass to pass

    def values(self, a: Sequence[Scalar], change: Sequence[Motion]) -> Values:
        raise NotImplementedError

    def model(self, x: Values, phi: Values, last: Sequence[Scalar] = ()) -> Values:
        raise NotImplementedError

    def residual(self, numbers: Values) -> Values:
        return numbers[len(numbers) - self.size :]

    def error(self, numbers: Values) -> Scalar:
        worst: Scalar = 0.0
        for r, weight in zip(self.residual(numbers), self.weights, strict=True):
            worst = maximum(worst, absolute(r) * weight)
        return worst

    def times(self, numbers: Values, d: Values) -> Values:
        raise NotImplementedError

    def change(self, numbers: Values, phi: Values, d: Values, so_far: Along) -> tuple[Values, Along]:
        """How phi changes when x moves by d to the minimum of all models; and the sums."""
        r = self.residual(numbers)
        new = [-(p + h) for p, h in zip(r, self.times(numbers, d), strict=True)]
        residual, kept, change = so_far
        for step, p, f, df in zip(d, r, phi, new, strict=True):
            residual, kept, change = residual + step * p, kept + step * f, change + step * df
        return new, Along(residual, kept, change)

    def slopes(self, x: Values, d: Values, t: Scalar, so_far: Slopes) -> Slopes:
        raise NotImplementedError


def moved(x: Sequence[Scalar], t: Scalar, d: Sequence[Scalar]) -> Values:
    return [p + t * q for p, q in zip(x, d, strict=True)]


def flat_inertia(inertia: ArticulatedInertia) -> Values:
    return [*inertia.J.entries, *(x for row in inertia.H.rows for x in row), *inertia.M.entries]


def inertia_of(numbers: Values) -> ArticulatedInertia:
    numbers = numbers[len(numbers) - INERTIA_SIZE - WRENCH_SIZE :]
    return ArticulatedInertia(
        Symmetric(*numbers[:6]), Matrix([numbers[6 + 3 * r : 9 + 3 * r] for r in range(3)]), Symmetric(*numbers[15:21])
    )


class BodySite(Site):
    """All contacts of a body with the ground: x is its acceleration, the force a wrench on it, H an inertia."""

    size = WRENCH_SIZE

    def __init__(self, body: int, weights: Sequence[float]):
        self.body, self.weights = body, weights

    def values(self, a, change) -> Values:
        return list(change[self.body])

    def times(self, numbers: Values, d: Values) -> Values:
        return list(inertia_of(numbers) @ Motion.of(d))

    def penalty(self, numbers: Values) -> BodyPenalty:
        return BodyPenalty(self.body, inertia_of(numbers), Force.of(self.residual(numbers)))


class PairSite(Site):
    """A contact of two bodies that both move."""

    def __init__(self, rows: ContactRows):
        self.rows, self.size, self.weights = rows, rows.size, rows.weights

    def values(self, a, change) -> Values:
        return self.rows.values(a, change)

    def model(self, x: Values, phi: Values, last: Sequence[Scalar] = ()) -> Values:
        H = self.rows.hessian(x)
        return [*H.numbers(), *(f + y for f, y in zip(phi, H.times(self.rows.away(x)), strict=True))]

    def times(self, numbers: Values, d: Values) -> Values:
        return self.rows.hessian_of(numbers[: len(numbers) - self.size]).times(d)

    def slopes(self, x: Values, d: Values, t: Scalar, so_far: Slopes) -> Slopes:
        first, second = self.rows.slopes(moved(x, t, d), d)
        return Slopes(so_far.first + first, so_far.second + second)

    def penalty(self, numbers: Values) -> PenaltyBlock:
        H = self.rows.hessian_of(numbers[: len(numbers) - self.size])
        return PenaltyBlock(self.rows.terms, H.matrix, self.residual(numbers), lambda body, K: H.inertia(K, None))


class VelocitySite(Site):
    """Limits and dry friction of one velocity."""

    size = 1

    def __init__(self, rows: VelocityRows):
        self.rows, self.weights = rows, rows.weights

    def values(self, a, change) -> Values:
        return self.rows.values(a)

    def model(self, x: Values, phi: Values, last: Sequence[Scalar] = ()) -> Values:
        return [self.rows.stiffness(x), phi[0] - self.rows.force(x)[0]]

    def times(self, numbers: Values, d: Values) -> Values:
        return [numbers[0] * d[0]]

    def slopes(self, x: Values, d: Values, t: Scalar, so_far: Slopes) -> Slopes:
        first, second = self.rows.slopes(x[0], d[0], t)
        return Slopes(so_far.first + first, so_far.second + second)


class JointSite(VelocitySite):
    """Of a joint."""

    rows: JointRows


class TendonSite(VelocitySite):
    """Of a tendon, which couples the bodies of its joints."""

    rows: TendonRows

    def penalty(self, numbers: Values) -> PenaltyBlock:
        H, r = numbers
        return PenaltyBlock(self.rows.terms, lambda: [[H]], [r], lambda body, K: penalty_inertia(K, [H]))


class ConstraintSite(Site):
    """A hard constraint, by a penalty mu and the multipliers -phi: r = phi - (phi - mu (x - e)).

    Its cost is quadratic: along a step it has the slope d r (1 - t) together with what is kept, so that it takes no
    part in trials.
    """

    def __init__(self, rows: ConstraintRows):
        self.rows, self.size, self.weights = rows, rows.size, [1.0 / mu for mu in rows.mu]

    def values(self, a, change) -> Values:
        return list(self.rows.moved(change))

    def model(self, x: Values, phi: Values, last: Sequence[Scalar] = ()) -> Values:
        return [mu * (value - e) for mu, value, e in zip(self.rows.mu, x, self.rows.e, strict=True)]

    def times(self, numbers: Values, d: Values) -> Values:
        return [mu * step for mu, step in zip(self.rows.mu, d, strict=True)]

    def change(self, numbers: Values, phi: Values, d: Values, so_far: Along) -> tuple[Values, Along]:
        new = [-(r + h) for r, h in zip(numbers, self.times(numbers, d), strict=True)]
        slope = sum_of(step * r for step, r in zip(d, numbers, strict=True))
        return new, Along(so_far.residual + slope, so_far.kept + slope, so_far.change - slope)

    def slopes(self, x: Values, d: Values, t: Scalar, so_far: Slopes) -> Slopes:
        return so_far
