"""Velocities and accelerations of frames on bodies, from a sweep in which the joints do not accelerate."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Motion, Transform, Vector
from ..parts.motion_sweep import MotionSweep

Frame = tuple[int, Transform]  # body, and the way from its frame of computation


class FrameMotions:
    """The sweep's accelerations are classical and start from -gravity; what is relative need not care."""

    def __init__(self, tree: Tree, sweep: MotionSweep, v: Sequence[Scalar], bodies: Sequence[int]):
        self._sweep = sweep
        self.rates = v
        self._velocity = [Motion.zero()] * len(tree.parent)
        self._gravity = [tree.gravity] * len(tree.parent)
        for i in bodies:  # from the ground to the tips
            X, p = sweep.X[i], tree.parent[i]
            linear = (X @ self._velocity[p]).linear + (sweep.S[i] @ v[tree.iv[i]]).linear
            self._velocity[i] = Motion(sweep.w[i], linear)
            self._gravity[i] = X.rotate(self._gravity[p])

    def velocity(self, frame: Frame) -> Motion:
        """Spatial velocity in the frame."""
        body, X = frame
        return X @ self._velocity[body]

    def felt(self, frame: Frame) -> Motion:
        """Angular acceleration, and the origin's classical acceleration as an accelerometer would feel it."""
        body, X = frame
        field, alpha = self._sweep.field[body], self._sweep.acceleration[body].angular
        return Motion(X.rotate(alpha), X.rotate(field.at(X.locate(Vector.zero()))))

    def gravity(self, frame: Frame) -> Vector:
        body, X = frame
        return X.rotate(self._gravity[body])

    def acceleration(self, frame: Frame) -> Motion:
        """Spatial acceleration in the frame: gravity added, omega x v taken off."""
        body, X = frame
        moving, classical = self.velocity(frame), X.rotate(
            self._sweep.field[body].at(X.locate(Vector.zero())) + self._gravity[body]
        )
        alpha = X.rotate(self._sweep.acceleration[body].angular)
        return Motion(alpha, classical - moving.angular.cross(moving.linear))

    def field(self, body: int):
        return self._sweep.field[body]
