"""What a cluster joint is to the algorithms: its tree velocities as functions of its independent ones.

v = G yd and dv/dt = G ydd + g ([Chignoli2023] eq. 3), one row of G per tree velocity of the cluster. How they come
about (gears, a function of y, loops that are solved) is the business of `resolving/`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...scalar import Scalar
from ...spatial import dot


@dataclass(frozen=True)
class Embedding:
    """G by rows and g, for the cluster's tree velocities in increasing order; and the rows K v = 0, K dv/dt = k."""

    G: Sequence[Sequence[Scalar]]
    g: Sequence[Scalar]
    K: Sequence[Sequence[Scalar]] = ()
    k: Sequence[Scalar] = ()

    @classmethod
    def identity(cls, n: int) -> Embedding:
        return cls([[1.0 if r == c else 0.0 for c in range(n)] for r in range(n)], [0.0] * n)

    def velocities(self, yd: Sequence[Scalar]) -> list[Scalar]:
        return [dot(row, yd) for row in self.G]

    def accelerations(self, ydd: Sequence[Scalar]) -> list[Scalar]:
        return [dot(row, ydd) + bias for row, bias in zip(self.G, self.g, strict=True)]

    def torques(self, tau: Sequence[Scalar]) -> list[Scalar]:
        """G' tau."""
        return [dot(column, tau) for column in zip(*self.G, strict=True)]
