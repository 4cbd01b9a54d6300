"""Velocities u of one joint in which a body that nothing pushes moves straight on.

Time steps are taken in them (algorithms/parts/straight_motion.py). `of` gives u of the velocities v, `rate` its time
derivative, `velocities` v of u; `moved` takes a displacement in these velocities, and `displacement_rate` says how one
changes while moving with u.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ...scalar import Scalar, cos, sin
from ...spatial import Matrix, Vector
from ...spatial.quaternion import exponential, normalised, product, rotation_matrix, rotation_matrix_of_unit

if TYPE_CHECKING:
    from .joint_motion import JointMotion

Values = Sequence[Scalar]


class PlainMotion:
    """u is v, and a displacement is what the joint's `integrate` takes.

    `motion` is the joint, `centre` the child's centre of mass (m) in the frame that its velocities are written in.
    """

    needs_centre: ClassVar[bool] = False
    """Whether u is not v: then it depends on where the child's centre of mass is."""

    def __init__(self, motion: JointMotion, centre: Vector):
        self.motion, self.centre = motion, centre

    def of(self, q: Values, v: Values) -> list[Scalar]:
        return list(v)

    def rate(self, q: Values, v: Values, a: Values) -> list[Scalar]:
        return list(a)

    def velocities(self, q: Values, u: Values) -> list[Scalar]:
        return list(u)

    def moved(self, q: Values, displacement: Values) -> list[Scalar]:
        return self.motion.integrate(q, displacement)

    def displacement_rate(self, displacement: Values, u: Values) -> list[Scalar]:
        return list(u)


class TurningMotion(PlainMotion):
    """u is v, along axes that turn: displacements do not just add up."""

    def displacement_rate(self, displacement, u):
        return list(_rotation_rate(Vector(*displacement), Vector(*u)))


class FreeMotion(PlainMotion):
    """[Velocity of the centre of mass along the parent's axes; angular velocity in the body]."""

    needs_centre = True

    def of(self, q, v):
        linear, w = Vector(*v[:3]), Vector(*v[3:])
        return [*(rotation_matrix(q[3:]) @ (linear + w.cross(self.centre))), *w]

    def rate(self, q, v, a):
        linear, w, angular = Vector(*v[:3]), Vector(*v[3:]), Vector(*a[3:])
        turned = w.cross(linear + w.cross(self.centre)) + angular.cross(self.centre)
        return [*(rotation_matrix(q[3:]) @ (Vector(*a[:3]) + turned)), *angular]

    def velocities(self, q, u):
        w = Vector(*u[3:])
        return [*(rotation_matrix(q[3:]).T @ Vector(*u[:3]) - w.cross(self.centre)), *w]

    def moved(self, q, displacement):
        turned = normalised(product(q[3:], exponential(Vector(*displacement[3:]))))
        before, after = rotation_matrix(q[3:]), rotation_matrix_of_unit(turned)
        return [*_shifted(q, before, after, self.centre, displacement), *turned]

    def displacement_rate(self, displacement, u):
        return [*u[:3], *_rotation_rate(Vector(*displacement[3:]), Vector(*u[3:]))]


class PlanarMotion(PlainMotion):
    """The same in a plane."""

    needs_centre = True

    def of(self, q, v):
        u = _turn(q[2]) @ (Vector(v[0], v[1], 0.0) + Vector(0.0, 0.0, v[2]).cross(self.centre))
        return [u.x, u.y, v[2]]

    def rate(self, q, v, a):
        w, angular = Vector(0.0, 0.0, v[2]), Vector(0.0, 0.0, a[2])
        turned = w.cross(Vector(v[0], v[1], 0.0) + w.cross(self.centre)) + angular.cross(self.centre)
        rate = _turn(q[2]) @ (Vector(a[0], a[1], 0.0) + turned)
        return [rate.x, rate.y, a[2]]

    def velocities(self, q, u):
        v = _turn(q[2]).T @ Vector(u[0], u[1], 0.0) - Vector(0.0, 0.0, u[2]).cross(self.centre)
        return [v.x, v.y, u[2]]

    def moved(self, q, displacement):
        angle = q[2] + displacement[2]
        at = _shifted([q[0], q[1], 0.0], _turn(q[2]), _turn(angle), self.centre, [*displacement[:2], 0.0])
        return [at.x, at.y, angle]


def _shifted(q: Values, before: Matrix, after: Matrix, centre: Vector, way: Values) -> Vector:
    """Where the body's origin gets when its centre goes that way and it turns."""
    return Vector(*q[:3]) + before @ centre + Vector(*way[:3]) - after @ centre


def _turn(angle: Scalar) -> Matrix:
    c, s = cos(angle), sin(angle)
    return Matrix(((c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)))


def _rotation_rate(theta: Vector, w: Vector) -> Vector:
    """The rate of theta in R exp(theta), turning with w in the body: w + theta x w / 2 + theta x (theta x w) / 12.

    The next term of the series is of fourth order in theta, which four stages of Runge-Kutta cannot see.
    """
    turned = theta.cross(w)
    return w + turned * 0.5 + theta.cross(turned) * (1.0 / 12.0)
