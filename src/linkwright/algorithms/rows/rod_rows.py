"""The distance of two points: d' d = length^2 with d from the second to the first, in the first frame's coordinates."""

from __future__ import annotations

from functools import cached_property

from ...scalar import Scalar
from ...spatial import Force, Vector
from .closure import Closure, Terms
from .frame_motions import FrameMotions


class RodClosure(Closure):
    @cached_property
    def _ends(self):
        return tuple(self.tree.constraint_frame(self.constraint, k) for k in range(2))

    @cached_property
    def _between(self):
        return self.poses.between(*self._ends)

    @property
    def _direction(self) -> Vector:
        """d / length, a unit vector where the constraint is met."""
        return self._between[1] * (-1.0 / self.constraint.length)

    def rows(self) -> list[Force]:
        return [Force(Vector.zero(), self._direction)]

    def terms(self) -> Terms:
        (body, frame), (other, other_frame) = self._ends
        terms: Terms = [(body, (frame.T @ Force(Vector.zero(), self._direction),))]
        if other:
            back = -(self._between[0].T @ self._direction)
            terms.append((other, (other_frame.T @ Force(Vector.zero(), back),)))
        return terms

    def motion(self, motions: FrameMotions) -> tuple[list[Scalar], list[Scalar]]:
        R = self._between[0]
        one, two = self._ends
        moving, acceleration = motions.velocity(one).linear, motions.felt(one).linear
        if two[0]:
            moving = moving - R @ motions.velocity(two).linear
            acceleration = acceleration - R @ motions.felt(two).linear
        else:
            acceleration = acceleration + motions.gravity(one)
        speed = (moving @ moving) * (1.0 / self.constraint.length)
        return [self._direction @ moving], [self._direction @ acceleration + speed]

    def error(self) -> list[Scalar]:
        p, length = self._between[1], self.constraint.length
        return [(p @ p - length * length) * (0.5 / length)]
