"""The acceleration field of a rigid body, the heart of the fast recursions.

A point fixed at r in the body accelerates with a + B r, where B = alpha x + (omega x)^2. Angular velocity enters
nowhere else, and the velocity of the origin not at all: written with *classical* accelerations of body origins, the
Newton-Euler equations need no linear velocities [LuhWalkerPaul1980]. One matrix B then serves the body's own inertia
force and the origins of all of its children.
"""

from __future__ import annotations

from .matrix import Matrix
from .motion import Motion
from .vector import Vector


class AccelerationField:
    """`origin`: classical acceleration of the frame's origin; `B`: how it varies over the body."""

    __slots__ = ("B", "origin")

    def __init__(self, angular_velocity: Vector, acceleration: Motion):
        w, alpha = angular_velocity, acceleration.angular
        xx, yy, zz = w.x * w.x, w.y * w.y, w.z * w.z
        xy, xz, yz = w.x * w.y, w.x * w.z, w.y * w.z
        self.B = Matrix(
            (
                (-(yy + zz), xy - alpha.z, xz + alpha.y),
                (xy + alpha.z, -(xx + zz), yz - alpha.x),
                (xz - alpha.y, yz + alpha.x, -(xx + yy)),
            )
        )
        self.origin = acceleration.linear

    def at(self, r: Vector) -> Vector:
        """Acceleration of the point fixed at r."""
        return self.origin + self.B @ r
