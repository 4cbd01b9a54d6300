"""Joints with one degree of freedom about or along coordinate axis k."""

from __future__ import annotations

from ...scalar import atan2, cos, sin
from ...spatial import CoordinateSubspace, DenseSubspace, Motion, Shift, Transform, Turn, Vector
from .joint_motion import JointMotion


class Revolute(JointMotion):
    """Turns about the axis: q = [angle]."""

    kind, nq, nv = "revolute", 1, 1
    has_axis = slides_freely = turns = True
    leaves_in_place = "axis"
    held = ("all", "across")
    turned_round, drawn_as = "axis", "hinge"

    def transform(self, q):
        return Transform(Turn(self.k, cos(q[0]), sin(q[0])))

    def subspace(self, q):
        return CoordinateSubspace(self.k)


class Continuous(Revolute):
    """A revolute joint without limits. Its coordinate is one angle; differences go the shorter way round."""

    kind = "continuous"
    endless = True

    def difference(self, q0, q1):
        return [wrapped(q1[0] - q0[0])]


class Prismatic(JointMotion):
    """Slides along the axis: q = [distance]."""

    kind, nq, nv = "prismatic", 1, 1
    has_axis = slides_freely = slides = True
    leading_lengths = 1
    leaves_in_place = "turning"
    held = ("across", "all")
    turned_round, drawn_as = "axis", "slide"

    def transform(self, q):
        return Transform(Shift(Vector.unit(self.k) * q[0]))

    def subspace(self, q):
        return CoordinateSubspace(3 + self.k)


class Helical(JointMotion):
    """A screw: turns by q and advances by pitch * q (metres per radian)."""

    kind, nq, nv = "helical", 1, 1
    has_axis = slides_freely = has_pitch = True
    turned_round, drawn_as = "axis", "hinge"

    def transform(self, q):
        axis = Vector.unit(self.k)
        return Transform(Shift(axis * (q[0] * self.pitch)), Turn(self.k, cos(q[0]), sin(q[0])))

    def subspace(self, q):
        axis = Vector.unit(self.k)
        return DenseSubspace(Motion(axis, axis * self.pitch))


def wrapped(angle):
    """The same angle in (-pi, pi]."""
    return atan2(sin(angle), cos(angle))
