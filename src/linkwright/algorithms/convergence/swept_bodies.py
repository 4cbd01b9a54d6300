"""Solvers that sweep over bodies, as the iterations of proximal.py see them.

The joints' y (their accelerations if their parents did not accelerate) follow from the multipliers by a sweep inward,
the accelerations from y by one outward. Both are linear, so what a step of the multipliers does needs nothing of the
rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from ...scalar import Scalar
from ...spatial import ArticulatedInertia, Motion, RowVector
from ..parts.articulation import Articulation
from ..rows.constrained_problem import ConstrainedProblem
from ..rows.constraint_rows import squared_motions
from .lost_digits import lost_to_penalties


class EliminatedBodies(Protocol):
    problem: ConstrainedProblem
    carriers: set[int]  # bodies that constraint forces pass through
    y: list[RowVector]
    IA: list[ArticulatedInertia]  # of each body when it was eliminated
    joint: list[Articulation]

    def accelerate(self, y: Sequence[RowVector], bodies: set[int] | None) -> tuple[list[Scalar], list[Motion]]:
        """(joint accelerations, changes of the bodies' accelerations) of all bodies, or some."""

    def change_of_y(self, step: Sequence[Scalar]) -> dict[int, RowVector]:
        """By body, what a change of the multipliers does to y."""

    @property
    def pivots(self) -> list[Scalar]: ...


class SweptBodies:
    """A `FactoredProblem`; `inner` are the accelerations themselves."""

    squares = False
    beside_free = False

    def __init__(self, eliminated: EliminatedBodies):
        self.eliminated, self.problem = eliminated, eliminated.problem
        self._y = list(eliminated.y)
        self._change: list[Motion] = []

    @property
    def pivots(self) -> list[Scalar]:
        return self.eliminated.pivots

    @property
    def lost(self) -> Scalar:
        return lost_to_penalties(self.problem.tree, self.eliminated.IA, self.eliminated.joint)

    def residuals(self) -> RowVector:
        _, change = self.eliminated.accelerate(self._y, self.eliminated.carriers)
        return self.problem.residuals(change)

    def push(self, step: RowVector) -> None:
        for i, dy in self.eliminated.change_of_y(step).items():
            self._y[i] = self._y[i] + dy

    def solution(self) -> tuple[list[Scalar], RowVector]:
        a, self._change = self.eliminated.accelerate(self._y, None)
        return a, self.problem.residuals(self._change)

    def response(self, step: RowVector, *, whole: bool = True) -> tuple[list[Scalar], RowVector]:
        y = [RowVector.zeros(len(y)) for y in self._y]
        for i, dy in self.eliminated.change_of_y(step).items():
            y[i] = dy
        bodies = None if whole else self.eliminated.carriers
        a, change = self.eliminated.accelerate(y, bodies)  # [Sathya2025] Algorithm 2, lines 7-12: accelerate
        return a, RowVector(x for c in self.problem.constraints for x in c.moved(change))

    def sizes(self) -> tuple[Scalar, Scalar]:
        return squared_motions(self.problem.constraints, self._change)

    def finish(self, inner: list[Scalar], lam: RowVector, residuals: RowVector) -> tuple[list[Scalar], list[Scalar]]:
        return inner, list(residuals)
