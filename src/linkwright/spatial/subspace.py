"""Motion subspaces of joints: S maps joint velocities to spatial motions in the child's frame.

Almost every joint moves along coordinate directions of its own frame. Then `S.T @ f` picks components, `I @ S` picks
columns, and what is left of an inertia once the joint is projected out has *exact* zeros where the joint is free.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..scalar import Scalar
from .inertia import ArticulatedInertia
from .matrix import sum_of
from .motion import Force, Motion
from .row_vector import RowVector


class CoordinateSubspace:
    """Columns are unit vectors; `directions` lists them, 0-2 angular and 3-5 linear."""

    __slots__ = ("directions",)

    def __init__(self, *directions: int):
        self.directions = directions

    def __matmul__(self, rates: Sequence[Scalar]) -> Motion:
        parts: list[Scalar] = [0.0] * 6
        for k, rate in zip(self.directions, rates, strict=True):
            parts[k] = rate
        return Motion.of(parts)

    def project(self, f: Force) -> RowVector:
        """S' f."""
        return RowVector(f[k] for k in self.directions)

    def columns(self, inertia) -> list[Force]:
        """I S, for a rigid or an articulated inertia."""
        if isinstance(inertia, ArticulatedInertia):
            return [inertia.column(k) for k in self.directions]
        return [inertia @ Motion.of(1.0 if r == k else 0.0 for r in range(6)) for k in self.directions]

    def add_motion(self, m: Motion, rates: Sequence[Scalar]) -> Motion:
        """m + S rates."""
        parts = list(m)
        for k, rate in zip(self.directions, rates, strict=True):
            parts[k] = parts[k] + rate
        return Motion.of(parts)


class DenseSubspace:
    """Columns are arbitrary motions (helical and universal joints)."""

    __slots__ = ("motions",)
    directions: tuple[int, ...] = ()  # none of the exact zeros of a coordinate subspace

    def __init__(self, *motions: Motion):
        self.motions = motions

    def __matmul__(self, rates: Sequence[Scalar]) -> Motion:
        return sum_of(m * rate for m, rate in zip(self.motions, rates, strict=True))

    def project(self, f: Force) -> RowVector:
        return RowVector(m.dot(f) for m in self.motions)

    def columns(self, inertia) -> list[Force]:
        return [inertia @ m for m in self.motions]

    def add_motion(self, m: Motion, rates: Sequence[Scalar]) -> Motion:
        return m + self @ rates


Subspace = CoordinateSubspace | DenseSubspace
