"""What is known of one candidate point of a pair, and the frames that contacts have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ....scalar import Scalar, sqrt, where
from ....spatial import Vector

# Vectors shorter than this have no direction: MuJoCo's mjMINVAL.
NO_LENGTH = 1e-15


@dataclass(frozen=True)
class View:
    """The frame of a moving body in which a contact is written: the world's axes in it, its origin in the world."""

    axes: tuple[Vector, Vector, Vector]
    origin: Vector

    def seen(self, direction) -> Vector:
        """A direction of the world."""
        x, y, z = self.axes
        return x * direction[0] + y * direction[1] + z * direction[2]

    def point_in_world(self, point: Vector) -> Vector:
        return Vector(*(o + axis @ point for o, axis in zip(self.origin, self.axes, strict=True)))

    def direction_in_world(self, direction: Vector) -> Vector:
        return Vector(*(axis @ direction for axis in self.axes))


@dataclass(frozen=True)
class Place:
    """point      half way between the surfaces
    normal     from the second shape to the first; t1 and t2 complete the frame
    """

    point: Vector
    normal: Vector
    t1: Vector
    t2: Vector


@dataclass(frozen=True)
class Touch:
    """gap        distance of the surfaces, negative where they overlap
    place      where and along which axes: computed when it is asked for, since it is needed only where shapes touch
    possible   whether this candidate is one at all in this pose; None if always
    normal     of its place, if that is known before
    """

    gap: Scalar
    place: Callable[[], Place]
    possible: Scalar | None = None
    normal: Vector | None = None


def tangents(normal: Vector, view: View) -> tuple[Vector, Vector]:
    """MuJoCo's choice: t1 as close to the world's y as can be, or z where the normal is near y."""
    _, y, z = view.axes
    near_y = abs(normal @ y) >= 0.5
    guide = Vector(*(where(near_y, b, a) for a, b in zip(y, z, strict=True)))
    t1 = guide - normal * (normal @ guide)
    t1 = t1 * (1.0 / sqrt(t1 @ t1))
    return t1, normal.cross(t1)


def tangents_along(axis: Vector, normal: Vector, otherwise: Vector) -> tuple[Vector, Vector]:
    """t1 along an axis, or another direction where the axis is normal to the surface."""
    along = axis - normal * (normal @ axis)
    square = along @ along
    upright = square < NO_LENGTH * NO_LENGTH
    scale = 1.0 / sqrt(where(upright, 1.0, square))
    t1 = Vector(*(where(upright, b, a * scale) for a, b in zip(along, otherwise, strict=True)))
    return t1, normal.cross(t1)


def clipped(x: Scalar, limit: Scalar) -> Scalar:
    return where(x > limit, limit, where(x < -limit, -limit, x))
