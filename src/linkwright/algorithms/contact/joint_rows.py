"""Limits and dry friction of one velocity, a joint's or a tendon's, as costs of its acceleration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...scalar import Scalar, absolute, maximum, minimum, where
from ...spatial import sum_of
from ..rows import Terms
from .cones import Values


@dataclass(frozen=True)
class LimitRow:
    """D/2 z^2 of z = sign x - e where it is negative; D is zero away from the limit."""

    sign: Scalar
    D: Scalar
    e: Scalar


@dataclass(frozen=True)
class FrictionRow:
    """Huber's cost of z = x - e: D/2 z^2, but a force of at most `loss`."""

    loss: Scalar
    D: Scalar
    e: Scalar


class VelocityRows:
    """All of one velocity. `weight`: its acceleration per force."""

    size = 1

    def __init__(self, friction: FrictionRow | None, limits: Sequence[LimitRow], weight: float):
        self.friction, self.limits, self.weights = friction, tuple(limits), [weight]

    def values(self, a: Sequence[Scalar]) -> Values:
        raise NotImplementedError

    def stiffness(self, x: Values) -> Scalar:
        """H: how the force falls with x."""
        H: Scalar = 0.0
        if self.friction is not None:
            F, D, e = self.friction.loss, self.friction.D, self.friction.e
            H = where(absolute((x[0] - e) * D) >= F, 0.0, D)
        for limit in self.limits:
            H = H + where(limit.sign * x[0] - limit.e < 0.0, limit.D, 0.0)
        return H

    def slopes(self, x: Scalar, d: Scalar, t: Scalar) -> tuple[Scalar, Scalar]:
        """First and second derivative of the cost at x + t d along d; what does not depend on t is written apart."""
        first: Scalar = 0.0
        second: Scalar = 0.0
        if self.friction is not None:
            F, D, e = self.friction.loss, self.friction.D, self.friction.e
            force = (x - e) * D + t * (d * D)
            first = minimum(maximum(force, -F), F) * d
            second = where(absolute(force) >= F, 0.0, d * d * D)
        for limit in self.limits:
            step = limit.sign * d
            z = (limit.sign * x - limit.e) + t * step
            first = first + minimum(z, 0.0) * (limit.D * step)
            second = second + where(z < 0.0, limit.D * (d * d), 0.0)
        return first, second

    def friction_force(self, x: Values) -> Scalar:
        if self.friction is None:
            return 0.0
        F = self.friction.loss
        return -minimum(maximum((x[0] - self.friction.e) * self.friction.D, -F), F)

    def limit_force(self, x: Values) -> Scalar:
        total: Scalar = 0.0
        for limit in self.limits:
            total = total - minimum(limit.sign * x[0] - limit.e, 0.0) * (limit.D * limit.sign)
        return total

    def force(self, x: Values) -> Values:
        return [self.friction_force(x) + self.limit_force(x)]


class JointRows(VelocityRows):
    """Of velocity k."""

    def __init__(self, k: int, friction: FrictionRow | None, limits: Sequence[LimitRow], weight: float):
        super().__init__(friction, limits, weight)
        self.k = k

    def values(self, a: Sequence[Scalar]) -> Values:
        return [a[self.k]]


class TendonRows(VelocityRows):
    """Of the rate of a tendon's length. `ratios`: (velocity, ratio) of its joints; `terms`: that as rows on bodies."""

    def __init__(
        self, ratios: Sequence[tuple[int, float]], terms: Terms, friction: FrictionRow | None,
        limits: Sequence[LimitRow], weight: float,
    ):  # fmt: skip
        super().__init__(friction, limits, weight)
        self.ratios, self.terms = tuple(ratios), terms

    def values(self, a: Sequence[Scalar]) -> Values:
        return [sum_of(a[k] * ratio for k, ratio in self.ratios)]
