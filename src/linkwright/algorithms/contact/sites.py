"""Where costs act, as Newton's method sees them: accelerations x = values(a, ...) that the mechanism gives a site, and
a quadratic model of the cost at any x, made of a few numbers.

evaluate(x)       numbers of the model at x
force(numbers, x) what the model's force is at x: exact where it was made, linear elsewhere
along(numbers, d) d' H d
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar
from ...spatial import ArticulatedInertia, Force, Matrix, Motion, Symmetric, sum_of
from ..constrained.coupled_links import BodyPenalty, PenaltyBlock
from ..rows.constraint_rows import ConstraintRows
from .cones import ContactRows, Values
from .joint_rows import JointRows

INERTIA_SIZE, WRENCH_SIZE = 21, 6
MODEL_SIZE = INERTIA_SIZE + WRENCH_SIZE


class Site:
    size: int
    model_size: int
    weights: Sequence[Scalar]  # how far accelerations are off per error of a force

    def values(self, a: Sequence[Scalar], change: Sequence[Motion]) -> Values:
        raise NotImplementedError

    def evaluate(self, x: Values) -> Values:
        raise NotImplementedError

    def force(self, numbers: Values, x: Values) -> Values:
        raise NotImplementedError

    def along(self, numbers: Values, d: Values) -> Scalar:
        raise NotImplementedError


def flat_model(inertia: ArticulatedInertia, wrench: Force) -> Values:
    rows = [x for row in inertia.H.rows for x in row]
    return [*inertia.J.entries, *rows, *inertia.M.entries, *wrench]


def inertia_of(numbers: Values) -> ArticulatedInertia:
    return ArticulatedInertia(
        Symmetric(*numbers[:6]), Matrix([numbers[6 + 3 * r : 9 + 3 * r] for r in range(3)]), Symmetric(*numbers[15:21])
    )


class BodySite(Site):
    """All contacts of a body with the ground: x is its acceleration, the force a wrench on it."""

    size, model_size = WRENCH_SIZE, MODEL_SIZE

    def __init__(self, body: int, weights: Sequence[float]):
        self.body, self.weights = body, weights

    def values(self, a, change) -> Values:
        return list(change[self.body])

    def force(self, numbers: Values, x: Values) -> Values:
        felt = inertia_of(numbers) @ Motion.of(x)
        return [-(f + p) for f, p in zip(felt, numbers[INERTIA_SIZE:], strict=True)]

    def along(self, numbers: Values, d: Values) -> Scalar:
        move = Motion.of(d)
        return (inertia_of(numbers) @ move).dot(move)

    def penalty(self, numbers: Values) -> BodyPenalty:
        return BodyPenalty(self.body, inertia_of(numbers), Force.of(numbers[INERTIA_SIZE:]))


class PairSite(Site):
    """A contact of two bodies that both move."""

    def __init__(self, rows: ContactRows):
        self.rows, self.size, self.weights, self.model_size = rows, rows.size, rows.weights, rows.hessian_size

    def values(self, a, change) -> Values:
        return self.rows.values(a, change)

    def evaluate(self, x: Values) -> Values:
        return self.rows.hessian(x).numbers()

    def force(self, numbers: Values, x: Values) -> Values:
        return [-f for f in self.rows.hessian_of(numbers).times(self.rows.away(x))]

    def along(self, numbers: Values, d: Values) -> Scalar:
        return self.rows.hessian_of(numbers).along(d)

    def penalty(self, numbers: Values) -> PenaltyBlock:
        H = self.rows.hessian_of(numbers)
        pull = [-y for y in H.times(self.rows.e)]
        return PenaltyBlock(self.rows.terms, H.matrix, pull, lambda body, K: H.inertia(K, None))


class JointSite(Site):
    """Limits and dry friction of one velocity."""

    size, model_size = 1, 2

    def __init__(self, rows: JointRows):
        self.rows, self.weights = rows, rows.weights

    def values(self, a, change) -> Values:
        return [a[self.rows.k]]

    def evaluate(self, x: Values) -> Values:
        return list(self.rows.penalty(x))

    def force(self, numbers: Values, x: Values) -> Values:
        H, load = numbers
        return [load - H * x[0]]

    def along(self, numbers: Values, d: Values) -> Scalar:
        return numbers[0] * d[0] * d[0]


class ConstraintSite(Site):
    """A constraint with penalties; its numbers are the multipliers, which stay from pass to pass as they are."""

    def __init__(self, rows: ConstraintRows):
        self.rows, self.size, self.weights = rows, rows.size, [1.0] * rows.size

    def values(self, a, change) -> Values:
        return self.rows.moved(change)

    def force(self, numbers: Values, x: Values) -> Values:
        c = self.rows
        return [-(m + stiff * (value - e)) for m, stiff, value, e in zip(numbers, c.mu, x, c.e, strict=True)]

    def along(self, numbers: Values, d: Values) -> Scalar:
        return sum_of(stiff * (step * step) for stiff, step in zip(self.rows.mu, d, strict=True))
