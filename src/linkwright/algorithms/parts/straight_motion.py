"""Velocities in which a body that nothing pushes moves straight on.

A free or planar joint has its velocities in the moving body's axes, where even a body that nothing touches has to turn
them against its own rotation, v' = -w x v; a step of finite length gets that wrong and pumps energy into the body. So
time steps are taken in u = [velocity of the body's centre of mass along the parent's axes; angular velocity in the
body], which is constant but for forces (and for gyroscopic torques). Of all other joints u is v.

A displacement in these velocities is [way of the centre of mass, along the parent's axes; rotation vector]. What u is
of a joint, its kind says (model/joints/straight.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Model
from ...model.joints.straight import PlainMotion, Values
from ...scalar import Scalar, maximum, where
from ...spatial import Vector

_NO_MASS = 1e-300


class StraightMotion:
    """Of all joints of a model; `inertias` (nbodies, 10) are those given with the call, if they are. With `centred`
    False the origins of bodies take the place of their centres, as in MuJoCo.
    """

    def __init__(self, model: Model, inertias: Sequence[Values] | None = None, *, centred: bool = True):
        self.model = model
        self.joints: list[PlainMotion] = []
        for i, joint in enumerate(model.joints, start=1):
            straight = joint.moves.straight
            centre = _centre(model, i, inertias) if centred and straight.needs_centre else Vector.zero()
            self.joints.append(straight(joint.motion(), centre))

    @property
    def is_plain(self) -> bool:
        """Whether u is v for all joints."""
        return not any(joint.needs_centre for joint in self.joints)

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


def _centre(model: Model, i: int, inertias: Sequence[Values] | None) -> Vector:
    """The centre of mass of body i in the frame that its joint's velocities are written in."""
    if inertias is None:
        com = [float(x) for x in model.bodies[i].inertia.com]
    else:
        m = inertias[i][0]
        com = [where(m > 0.0, h / maximum(m, _NO_MASS), 0.0) for h in inertias[i][1:4]]
    if model.joints[i - 1].aligned_with == "nothing":
        return Vector(*com)
    C = model.joints[i - 1].alignment()
    return Vector(*(sum(float(C[r, k]) * com[r] for r in range(3)) for k in range(3)))
