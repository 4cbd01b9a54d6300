"""Proximal iterations on a Delassus matrix that is there as a matrix: (L + 1/mu) lam = l + lam_last/mu.

[Sathya2024b] eq. 8. The damping holds back (L lam - l), the residual K a - e, by (lam - lam_last)/mu; so L need not be
invertible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...scalar import Scalar
from ...spatial import LDL, RowVector
from ..rows.constrained_problem import ConstrainedProblem


class DampedDelassus:
    """A `FactoredProblem` without `inner`: `accelerate` finds accelerations and residuals from the multipliers, and
    `held` the accelerations that they alone make of a mechanism at rest."""

    pivots: Sequence[Scalar] = ()
    squares = True
    beside_free = True

    def __init__(
        self, problem: ConstrainedProblem, L: Sequence[Sequence[Scalar]], l: Sequence[Scalar], start: Sequence[Scalar],
        accelerate: Callable[[Sequence[Scalar]], tuple[list[Scalar], list[Scalar]]], lost: Scalar,
        free_size: Scalar, held: Callable[[Sequence[Scalar]], list[Scalar]],
    ):  # fmt: skip
        n = len(l)
        self.problem, self.l, self.lam = problem, RowVector(l), RowVector(start)
        self.damping = RowVector(1.0 / m for m in problem.mu)
        self.factor = LDL([[L[r][s] + self.damping[r] if r == s else L[r][s] for s in range(n)] for r in range(n)])
        self._accelerate, self.lost, self.free_size, self._held = accelerate, lost, free_size, held

    def residuals(self) -> RowVector:
        new = RowVector(self.factor.solve(self.l + self.damping * self.lam))
        return self.damping * (new - self.lam)

    def push(self, step: RowVector) -> None:
        self.lam = self.lam + step

    def solution(self) -> tuple[list[Scalar], RowVector]:
        return [], self.residuals()

    def response(self, step: RowVector, *, whole: bool = True) -> tuple[list[Scalar], RowVector]:
        held = self.damping * step
        return [], self.damping * (RowVector(self.factor.solve(held)) - step)

    def least_motion(self, rows: Sequence[Scalar]) -> list[Scalar]:
        return self._held(self.factor.solve(-RowVector(rows)))

    def sizes(self) -> tuple[Scalar, Scalar]:
        """What the rows would do without constraint forces; lengths and angles are not told apart. A light body may
        make that huge, and hide what others are asked for: `converge` looks again when there are accelerations."""
        square = self.l.square
        return square, square

    def finish(self, inner: list[Scalar], lam: RowVector, residuals: RowVector) -> tuple[list[Scalar], list[Scalar]]:
        return self._accelerate(lam)
