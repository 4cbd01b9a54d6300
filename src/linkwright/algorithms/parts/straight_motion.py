"""Velocities in which a body that nothing pushes moves straight on.

A free or planar joint has its velocities in the moving body's axes, where even a body that nothing touches has to turn
them against its own rotation, v' = -w x v; a step of finite length gets that wrong and pumps energy into the body. So
time steps are taken in u = [velocity of the body's centre of mass along the parent's axes; angular velocity in the
body], which is constant but for forces (and for gyroscopic torques). Of all other joints u is v.

A displacement in these velocities is [way of the centre of mass, along the parent's axes; rotation vector].
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Model
from ...scalar import Scalar, cos, maximum, sin, where
from ...spatial import Matrix, Vector
from ...spatial.quaternion import exponential, normalised, product, rotation_matrix

Values = Sequence[Scalar]
_NO_MASS = 1e-300


class StraightMotion:
    """Of all joints of a model; `inertias` (nbodies, 10) are those given with the call, if they are. With `centred`
    False the origins of bodies take the place of their centres, as in MuJoCo.
    """

    def __init__(self, model: Model, inertias: Sequence[Values] | None = None, *, centred: bool = True):
        self.model = model
        self.joints: list[_Joint] = []
        for i, joint in enumerate(model.joints, start=1):
            kind = {"free_flyer": _Free, "planar": _Planar, "spherical": _Turning}.get(joint.kind, _Joint)
            centre = _centre(model, i, inertias) if centred and kind in (_Free, _Planar) else Vector.zero()
            self.joints.append(kind(joint.motion(), centre))

    @property
    def is_plain(self) -> bool:
        """Whether u is v for all joints."""
        return not any(isinstance(joint, _Free | _Planar) for joint in self.joints)

    def of(self, q: Values, v: Values) -> list[Scalar]:
        """u of the velocities v."""
        return self._joined(lambda joint, iq, iv: joint.of(q[iq], v[iv]))

    def rate(self, q: Values, v: Values, a: Values) -> list[Scalar]:
        """The time derivative of u."""
        return self._joined(lambda joint, iq, iv: joint.rate(q[iq], v[iv], a[iv]))

    def velocities(self, q: Values, u: Values) -> list[Scalar]:
        """v of u."""
        return self._joined(lambda joint, iq, iv: joint.velocities(q[iq], u[iv]))

    def moved(self, q: Values, displacement: Values) -> list[Scalar]:
        return self._joined(lambda joint, iq, iv: joint.moved(q[iq], displacement[iv]))

    def displacement_rate(self, displacement: Values, u: Values) -> list[Scalar]:
        """How a displacement since some pose changes while moving with u: rotation vectors do not just add up."""
        return self._joined(lambda joint, iq, iv: joint.displacement_rate(displacement[iv], u[iv]))

    def _joined(self, function) -> list[Scalar]:
        model, values = self.model, []
        for joint, iq, iv in zip(self.joints, model.iq[1:], model.iv[1:], strict=True):
            values += function(joint, iq, iv)
        return values


class _Joint:
    """Velocities are rates of coordinates."""

    def __init__(self, motion, centre: Vector):
        self.motion, self.centre = motion, centre

    def of(self, q, v):
        return list(v)

    def rate(self, q, v, a):
        return list(a)

    def velocities(self, q, u):
        return list(u)

    def moved(self, q, displacement):
        return self.motion.integrate(q, displacement)

    def displacement_rate(self, displacement, u):
        return list(u)


class _Turning(_Joint):
    """A quaternion."""

    def displacement_rate(self, displacement, u):
        return list(_rotation_rate(Vector(*displacement), Vector(*u)))


class _Free(_Joint):
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
        return [*_shifted(q, rotation_matrix(q[3:]), rotation_matrix(turned), self.centre, displacement), *turned]

    def displacement_rate(self, displacement, u):
        return [*u[:3], *_rotation_rate(Vector(*displacement[3:]), Vector(*u[3:]))]


class _Planar(_Joint):
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


def _centre(model: Model, i: int, inertias: Sequence[Values] | None) -> Vector:
    """The centre of mass of body i in the frame that its joint's velocities are written in."""
    if inertias is None:
        com = [float(x) for x in model.bodies[i].inertia.com]
    else:
        m = inertias[i][0]
        com = [where(m > 0.0, h / maximum(m, _NO_MASS), 0.0) for h in inertias[i][1:4]]
    if model.bodies[i].joint.kind != "planar":
        return Vector(*com)
    C = model.bodies[i].joint.alignment()
    return Vector(*(sum(float(C[r, k]) * com[r] for r in range(3)) for k in range(3)))
