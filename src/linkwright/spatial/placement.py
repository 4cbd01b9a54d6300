"""Where a frame is: a rotation matrix and a position."""

from __future__ import annotations

from .matrix import Matrix
from .motion import Force, Motion
from .transform import Rotate, Shift, Transform
from .vector import Vector


class Placement:
    """Pose of a frame in a reference frame: `rotation` maps the frame's coordinates to the reference's."""

    __slots__ = ("position", "rotation")

    def __init__(self, rotation: Matrix, position: Vector):
        self.rotation, self.position = rotation, position

    @classmethod
    def identity(cls) -> Placement:
        return cls(Matrix.identity(), Vector.zero())

    def after(self, X: Transform) -> Placement:
        """The pose of the frame that X leads to from this one."""
        rotation, position = self.rotation, self.position
        for step in X.steps:
            if isinstance(step, Shift):
                position = position + rotation @ step.p
            elif isinstance(step, Rotate):
                rotation = rotation @ step.R
            else:  # a turn changes each row of the matrix as it changes a vector's coordinates
                rotation = Matrix([step.down(Vector(*row)) for row in rotation.rows])
        return Placement(rotation, position)

    def as_transform(self) -> Transform:
        """From the reference to this frame."""
        return Transform(Shift(self.position), Rotate(self.rotation))

    def motion_to_reference(self, m: Motion) -> Motion:
        """A motion at the frame's origin in its coordinates -> at the reference's origin in the reference's."""
        angular = self.rotation @ m.angular
        return Motion(angular, self.rotation @ m.linear + self.position.cross(angular))

    def force_to_reference(self, f: Force) -> Force:
        linear = self.rotation @ f.linear
        return Force(self.rotation @ f.angular + self.position.cross(linear), linear)
