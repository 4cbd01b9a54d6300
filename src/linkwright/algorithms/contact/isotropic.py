"""An elliptic contact whose friction is the same in all directions, in vectors: tangents do not occur.

In the notation of cones.py with m the normal, mu its scale and f the friction, x the acceleration of the point and w
the angular one: N = mu m (x - e), the friction rows are f0 (1 - m m')(x - e) and, of condim 4 and 6, G (w - e_w) with
G = f2 1 + (f1 - f2) m m'. The cost depends on N and on the length T of both together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...scalar import Scalar, maximum, sqrt
from ...spatial import ArticulatedInertia, Force, Matrix, Motion, Symmetric, Vector
from .cones import NO_LENGTH, cone_regions, cone_slopes


@dataclass(frozen=True)
class IsotropicContact:
    """normal   from the other body to this one
    point    in the body's frame
    e        reference acceleration of the point, and angular of condim 4 and 6
    """

    normal: Vector
    point: Vector
    e: Motion
    D: Scalar
    mu: float
    friction: Sequence[float]  # of all friction rows

    @property
    def _turns(self) -> bool:
        return len(self.friction) > 2

    @property
    def _c(self) -> Scalar:
        return self.D * (1.0 / (self.mu * self.mu))

    def _stretched(self, w: Vector) -> Vector:
        """G w."""
        torsion, *rolling = self.friction[2:]
        along = self.normal @ w
        if not rolling:
            return self.normal * (torsion * along)
        return w * rolling[0] + self.normal * ((torsion - rolling[0]) * along)

    def _inertia_at_point(self, z: Vector, w: Vector) -> ArticulatedInertia:
        """The Hessian at the accelerations z and w, less e, of the point."""
        m, mu, f = self.normal, self.mu, self.friction[0]
        along = m @ z
        N, tangential = along * mu, (z - m * along) * f
        square, turning = tangential @ tangential, Vector.zero()
        if self._turns:
            turning = self._stretched(w)
            square = square + turning @ turning
        T = sqrt(maximum(square, NO_LENGTH * NO_LENGTH))
        inverse = 1.0 / T
        normal, mixed, shared, turned = cone_regions(N, T, inverse, mu, self._c)
        s = tangential * (inverse * f)
        sticking = shared * (f * f)
        g1 = m * (normal * (mu * mu) - sticking) + s * (mixed * mu)
        g2 = m * (mixed * mu) + s * turned
        M = Symmetric.from_function(lambda i, j: g1[i] * m[j] + g2[i] * s[j] + (sticking if i == j else 0.0))
        J, H = Symmetric.diagonal(0.0, 0.0, 0.0), Matrix([[0.0] * 3] * 3)
        if self._turns:
            r = self._stretched(turning * inverse)
            torsion, *rolling = self.friction[2:]
            round_all = rolling[0] if rolling else 0.0
            about = shared * (torsion * torsion - round_all * round_all)
            even = shared * (round_all * round_all)
            J = Symmetric.from_function(
                lambda i, j: about * (m[i] * m[j]) + (turned * r[i]) * r[j] + (even if i == j else 0.0)
            )
            H = Matrix([[r[i] * g2[j] for j in range(3)] for i in range(3)])
        return ArticulatedInertia(J, H, M)

    def _away(self, X: Motion) -> tuple[Vector, Vector]:
        return X.linear + X.angular.cross(self.point) - self.e.linear, X.angular - self.e.angular

    def _pushed(self, X: Motion) -> tuple[ArticulatedInertia, Force]:
        """(H, force), both at the point."""
        z, w = self._away(X)
        inertia = self._inertia_at_point(z, w)
        return inertia, -(inertia @ Motion(w if self._turns else Vector.zero(), z))

    def model(self, X: Motion) -> tuple[ArticulatedInertia, Force]:
        """(H, the force on the body) at the body's acceleration X."""
        inertia, force = self._pushed(X)
        p = self.point
        return inertia.shifted(p), Force(force.angular + p.cross(force.linear), force.linear)

    def slopes(self, X: Motion, D: Motion) -> tuple[Scalar, Scalar]:
        """First and second derivative of the cost at X along D."""
        (z, w), m, f = self._away(X), self.normal, self.friction[0]
        d = D.linear + D.angular.cross(self.point)
        along, rising = m @ z, m @ d
        slid, slides = (z - m * along) * f, (d - m * rising) * f
        square, rise, steps = slid @ slid, slid @ slides, slides @ slides
        if self._turns:
            turned, turns = self._stretched(w), self._stretched(D.angular)
            square, rise, steps = square + turned @ turned, rise + turned @ turns, steps + turns @ turns
        return cone_slopes(along * self.mu, rising * self.mu, square, rise, steps, self.mu, self._c)

    def force(self, X: Motion, axes: Sequence[Vector]) -> list[Scalar]:
        """Along and about axes at the point."""
        _, total = self._pushed(X)
        rows = [d @ total.linear for d in axes]
        return rows + [d @ total.angular for d in axes] if self._turns else rows
