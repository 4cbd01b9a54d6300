"""Joints with two or three degrees of freedom whose coordinates are plain numbers."""

from __future__ import annotations

from ...scalar import cos, sin
from ...spatial import CoordinateSubspace, DenseSubspace, Motion, Shift, Transform, Turn, Vector
from ...spatial.quaternion import rigid_displacement, rigid_displacement_inverse
from .joint_motion import JointMotion
from .single import wrapped
from .straight import PlanarMotion


class Cylindrical(JointMotion):
    """Turns about and slides along one axis: q = [angle, distance]."""

    kind, nq, nv = "cylindrical", 2, 2
    has_axis = slides_freely = True
    held = ("across", "across")
    turned_round, drawn_as = "axis", "slide"

    def transform(self, q):
        return Transform(Shift(Vector.unit(self.k) * q[1]), Turn(self.k, cos(q[0]), sin(q[0])))

    def subspace(self, q):
        return CoordinateSubspace(self.k, 3 + self.k)


class Universal(JointMotion):
    """Turns by q[0] about x, fixed in the parent, then by q[1] about y, fixed in the child."""

    kind, nq, nv = "universal", 2, 2
    aligned_with = turned_round = "both_axes"
    drawn_as = "ball"
    leaves_in_place = "centre"
    held, holds_point = ("all", "none"), True

    def transform(self, q):
        return Transform(Turn(0, cos(q[0]), sin(q[0])), Turn(1, cos(q[1]), sin(q[1])))

    def subspace(self, q):
        first = Vector(cos(q[1]), 0.0, sin(q[1]))  # the x axis seen from the child
        return DenseSubspace(Motion(first, Vector.zero()), Motion(Vector.unit(1), Vector.zero()))

    def subspace_rate(self, q, v):
        turning = Vector(-(sin(q[1]) * v[1]), 0.0, cos(q[1]) * v[1])
        return DenseSubspace(Motion(turning, Vector.zero()), Motion.zero())


class Planar(JointMotion):
    """Slides in the plane across z and turns about z: q = [x, y, angle], v = [vx, vy, wz] in the child's frame."""

    kind, nq, nv = "planar", 3, 3
    aligned_with = "axis"
    held = ("along", "across")
    velocity_is_rate = False
    leading_lengths, in_turning_axes, straight = 2, 2, PlanarMotion

    def transform(self, q):
        return Transform(Shift(Vector(q[0], q[1], 0.0)), Turn(2, cos(q[2]), sin(q[2])))

    def subspace(self, q):
        return CoordinateSubspace(3, 4, 2)

    def lacking(self, v):
        return [-(v[2] * v[1]), v[2] * v[0], 0.0]

    def integrate(self, q, v):
        turn = Turn(2, cos(q[2]), sin(q[2]))
        moved = turn.up(rigid_displacement(Vector(v[0], v[1], 0.0), Vector(0.0, 0.0, v[2])))
        return [q[0] + moved.x, q[1] + moved.y, q[2] + v[2]]

    def difference(self, q0, q1):
        angle = wrapped(q1[2] - q0[2])
        turn = Turn(2, cos(q0[2]), sin(q0[2]))
        moved = turn.down(Vector(q1[0] - q0[0], q1[1] - q0[1], 0.0))
        linear = rigid_displacement_inverse(moved, Vector(0.0, 0.0, angle))
        return [linear.x, linear.y, angle]

    def coordinate_rates(self, q, v):
        moved = Turn(2, cos(q[2]), sin(q[2])).up(Vector(v[0], v[1], 0.0))
        return [moved.x, moved.y, v[2]]

    def velocities_of(self, q, rates):
        seen = Turn(2, cos(q[2]), sin(q[2])).down(Vector(rates[0], rates[1], 0.0))
        return [seen.x, seen.y, rates[2]]


class Translational(JointMotion):
    """Slides along x, y and z."""

    kind, nq, nv = "translational", 3, 3
    held = ("none", "all")
    turned_round = "sign"
    leaves_in_place = "turning"
    leading_lengths = 3

    def transform(self, q):
        return Transform(Shift(Vector(*q)))

    def subspace(self, q):
        return CoordinateSubspace(3, 4, 5)
