"""Rigid-body inertia (10 numbers) and articulated-body inertia (21 numbers)."""

from __future__ import annotations

from ..scalar import Scalar
from .acceleration import AccelerationField
from .matrix import Matrix, Symmetric
from .motion import Force, Motion
from .vector import Vector


class RigidInertia:
    """Mass m, first moment h = m c and rotational inertia J about the frame's origin."""

    __slots__ = ("J", "h", "m")

    def __init__(self, m: Scalar, h: Vector, J: Symmetric):
        self.m, self.h, self.J = m, h, J

    @classmethod
    def zero(cls) -> RigidInertia:
        return cls(0.0, Vector.zero(), Symmetric.diagonal(0.0, 0.0, 0.0))

    def __add__(self, other: RigidInertia) -> RigidInertia:
        return RigidInertia(self.m + other.m, self.h + other.h, self.J + other.J)

    def __matmul__(self, v: Motion) -> Force:
        """Momentum of the body moving with v (or force for an acceleration at rest)."""
        w, u = v.angular, v.linear
        return Force(self.J @ w + self.h.cross(u), u * self.m - self.h.cross(w))

    def wrench(self, field: AccelerationField) -> Force:
        """What it takes to accelerate the body so: force m a + B h, moment h x a + (sum of r x B r over its mass).

        With the second moments E = sum of m r r' the last term is the skew part of B E.
        """
        E, B, h, a = self.second_moments, field.B, self.h, field.origin

        def skew(r: int, s: int) -> Scalar:  # (B E)_rs - (B E)_sr with the entries of E that both contain collected
            t = 3 - r - s
            return (
                (B[r, t] * E[t, s] - B[s, t] * E[t, r])
                + (B[r, r] - B[s, s]) * E[r, s]
                + (B[r, s] * E[s, s] - B[s, r] * E[r, r])
            )

        moment = Vector(skew(2, 1), skew(0, 2), skew(1, 0))
        return Force(moment + h.cross(a), a * self.m + B @ h)

    @property
    def second_moments(self) -> Symmetric:
        half = self.J.trace * 0.5
        return Symmetric.diagonal(half, half, half) - self.J

    def turned(self, step) -> RigidInertia:
        """Seen from the parent side of a rotation."""
        return RigidInertia(self.m, step.up(self.h), step.up_symmetric(self.J))

    def shifted(self, p: Vector) -> RigidInertia:
        """Seen from an origin at -p (Huygens-Steiner)."""
        u = self.h + p * (self.m * 0.5)
        p2 = p * 2.0
        products = [p2[k] * u[k] for k in range(3)]

        def entry(r: int, s: int) -> Scalar:
            if r == s:
                return self.J[r, r] + (products[(r + 1) % 3] + products[(r + 2) % 3])
            return self.J[r, s] - (p[r] * u[s] + u[r] * p[s])

        return RigidInertia(self.m, self.h + p * self.m, Symmetric.from_function(entry))

    def articulated(self) -> ArticulatedInertia:
        return ArticulatedInertia(self.J, Matrix.cross(self.h), Symmetric.diagonal(self.m, self.m, self.m))


class ArticulatedInertia:
    """The symmetric 6x6 matrix [J H; H' M], angular part first."""

    __slots__ = ("H", "J", "M")

    def __init__(self, J: Symmetric, H: Matrix, M: Symmetric):
        self.J, self.H, self.M = J, H, M

    @classmethod
    def from_function(cls, entry) -> ArticulatedInertia:
        """`entry(r, s)` is asked for r <= s only."""
        return cls(
            Symmetric.from_function(entry),
            Matrix([[entry(r, s + 3) for s in range(3)] for r in range(3)]),
            Symmetric.from_function(lambda r, s: entry(r + 3, s + 3)),
        )

    def __getitem__(self, index: tuple[int, int]) -> Scalar:
        r, s = index
        if r < 3:
            return self.J[r, s] if s < 3 else self.H[r, s - 3]
        return self.H[s, r - 3] if s < 3 else self.M[r - 3, s - 3]

    def __add__(self, other: ArticulatedInertia) -> ArticulatedInertia:
        return ArticulatedInertia(self.J + other.J, self.H + other.H, self.M + other.M)

    def column(self, k: int) -> Force:
        return Force.of(self[r, k] for r in range(6))

    def __matmul__(self, m: Motion) -> Force:
        w, v = m.angular, m.linear
        return Force(self.J @ w + self.H @ v, self.H.T @ w + self.M @ v)

    def turned(self, step) -> ArticulatedInertia:
        return ArticulatedInertia(step.up_symmetric(self.J), step.up_matrix(self.H), step.up_symmetric(self.M))

    def shifted(self, p: Vector) -> ArticulatedInertia:
        """With P = p x: H' = H + P M and J' = J + P H.T - H' P."""
        P = Matrix.cross(p)
        M, H = self.M, self.H
        PM = Matrix([[_cross_entry(p, r, lambda k, s=s: M[k, s]) for s in range(3)] for r in range(3)])
        H2 = H + PM

        def entry(r: int, s: int) -> Scalar:
            if r == s:  # both terms multiply the same entries of P
                i, j = (r + 1) % 3, (r + 2) % 3
                return self.J[r, r] + (P[r, i] * (H[r, i] + H2[r, i]) + P[r, j] * (H[r, j] + H2[r, j]))
            i = 3 - r - s  # P has a zero diagonal, so each product has two terms
            left = P[r, i] * H[s, i] + P[r, s] * H[s, s]
            right = H2[r, i] * P[i, s] + H2[r, r] * P[r, s]
            return self.J[r, s] + (left - right)

        return ArticulatedInertia(Symmetric.from_function(entry), H2, M)


def _cross_entry(p: Vector, r: int, column) -> Scalar:
    """Entry r of p x column."""
    i, j = (r + 1) % 3, (r + 2) % 3
    return p[i] * column(j) - p[j] * column(i)
