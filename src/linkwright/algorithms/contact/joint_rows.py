"""Limits and dry friction of one joint velocity, as costs of its acceleration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...scalar import Scalar, absolute, maximum, minimum, where
from ...spatial import Motion
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

    loss: float
    D: Scalar
    e: Scalar


class JointRows:
    """All of velocity k."""

    size = 1

    def __init__(self, k: int, friction: FrictionRow | None, limits: Sequence[LimitRow], weight: float):
        self.k, self.friction, self.limits, self.weights = k, friction, tuple(limits), [weight]

    def values(self, a: Sequence[Scalar], change: Sequence[Motion]) -> Values:
        return [a[self.k]]

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
