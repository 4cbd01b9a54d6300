"""Eliminating one joint: what a body's parent feels of an articulated inertia through a joint that can move.

Shared by ABA and by the solvers built on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar
from ...spatial import LDL, ArticulatedInertia, Force, Motion, RowVector, Subspace, sum_of


class Articulation:
    """U = I S, D = S' U + R and V = D^-1 U' for joint subspace S and rotor inertias R."""

    __slots__ = ("D", "R", "S", "U", "V")

    def __init__(self, inertia: ArticulatedInertia, S: Subspace, armature: Sequence[Scalar]):
        self.S, self.R = S, armature
        self.U = U = S.columns(inertia)
        n = len(U)
        D = [list(S.project(column)) for column in U]
        for k in range(n):
            D[k][k] = D[k][k] + armature[k]
        self.D = LDL(D)
        solved = [self.D.solve([column[r] for column in U]) for r in range(6)]
        self.V = [Force.of(solved[r][k] for r in range(6)) for k in range(n)]

    def inertia_felt(self, inertia: ArticulatedInertia) -> ArticulatedInertia:
        """I - U D^-1 U'. Along free directions of a coordinate subspace it is exactly V' R: zero without rotors."""
        directions = self.S.directions

        def entry(r: int, s: int) -> Scalar:
            if r in directions:
                a = directions.index(r)
                return self.V[a][s] * self.R[a]
            if s in directions:
                b = directions.index(s)
                return self.V[b][r] * self.R[b]
            return inertia[r, s] - sum_of(u[r] * v[s] for u, v in zip(self.U, self.V, strict=True))

        return ArticulatedInertia.from_function(entry)

    def force_felt(self, p: Force, y: Sequence[Scalar], tau: Sequence[Scalar] | None = None) -> Force:
        """p + U y for y = D^-1 (tau - S' p), no tau without one. Along free directions it is exactly tau - R y."""
        directions = self.S.directions
        tau = RowVector.zeros(len(y)) if tau is None else tau

        def entry(r: int) -> Scalar:
            if r in directions:
                a = directions.index(r)
                return tau[a] - self.R[a] * y[a]
            return p[r] + sum_of(u[r] * x for u, x in zip(self.U, y, strict=True))

        return Force.of(entry(r) for r in range(6))

    def rates(self, y: Sequence[Scalar], carried: Motion) -> RowVector:
        """Joint accelerations y - V a when the parent's motion brings the body to acceleration a."""
        return y - RowVector(v.dot(carried) for v in self.V)
