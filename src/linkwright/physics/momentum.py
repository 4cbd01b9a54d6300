"""Velocities u in which a body that nothing pushes neither curves nor tumbles.

As algorithms/parts/straight_motion.py, but turning is advanced as angular momentum where a body carries no other and no
constraint holds it: along the parent's axes that changes by torques alone, so gyroscopic terms, which limit steps of
fast tops, are gone from its rate, and where the body gets is found exactly or nearly so (free_rotation.py). In chains
and loops nothing is gained by it, so there turning stays what it is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import fixed_order
from ..algorithms.parts.straight_motion import StraightMotion
from ..algorithms.rows.constraint_rows import constrained_bodies
from ..model import Model, Tree
from ..model.joints.straight import FreeMotion, PlainMotion, Values
from ..scalar import Scalar
from ..spatial import Matrix, Vector
from ..spatial.quaternion import rotation_matrix, rotation_matrix_of_unit
from .free_rotation import FreeRotation

_FLATTEST = 1e-9  # of the largest principal moment: a body that is thinner has no turning of its own about that axis


class MomentumMotion(StraightMotion):
    """Of all joints of a model. With `inertias` given by the call principal axes are not known: turning stays plain."""

    def __init__(self, tree: Tree, inertias: Sequence[Values] | None = None):
        super().__init__(tree.model, inertias)
        if inertias is None:
            for i in turning_alone(tree):
                own = self.joints[i - 1]
                free = tree.model.joints[i - 1].moves.is_free
                self.joints[i - 1] = TumblingMotion(own, _moments(tree.model, i)) if free else BallMotion(
                    own, _moments(tree.model, i)
                )  # fmt: skip


class _Turning(PlainMotion):
    """What both have in common: the inertia about the point that the body turns about, in its velocities' axes."""

    needs_centre = True

    def __init__(self, joint: PlainMotion, inertia: np.ndarray):
        super().__init__(joint.motion, joint.centre)
        self.inertia = Matrix(inertia.tolist())
        moments, columns = fixed_order.eigenvectors(inertia)
        order = _closest_first([float(d) for d in moments])
        columns = columns[:, order]
        if fixed_order.determinant(columns) < 0.0:
            columns[:, 2] *= -1.0
        d = [float(moments[k]) for k in order]
        inverse = fixed_order.product(columns * (1.0 / np.array(d)), columns.T)
        self.inverse = Matrix(((inverse + inverse.T) * 0.5).tolist())
        self.rotation = FreeRotation(_quaternion(columns), d)

    def momentum(self, R: Matrix, w: Vector) -> Vector:
        return R @ (self.inertia @ w)

    def torque(self, R: Matrix, w: Vector, angular: Vector) -> Vector:
        """The rate of the momentum."""
        return R @ (self.inertia @ angular + w.cross(self.inertia @ w))

    def spin(self, R: Matrix, momentum: Vector) -> Vector:
        return self.inverse @ (R.T @ momentum)


class BallMotion(_Turning):
    """u is the angular momentum about the ball's centre, along the parent's axes."""

    def of(self, q: Values, v: Values) -> list[Scalar]:
        return list(self.momentum(rotation_matrix(q), Vector(*v)))

    def rate(self, q: Values, v: Values, a: Values) -> list[Scalar]:
        return list(self.torque(rotation_matrix(q), Vector(*v), Vector(*a)))

    def velocities(self, q: Values, u: Values) -> list[Scalar]:
        return list(self.spin(rotation_matrix(q), Vector(*u)))

    def moved(self, q: Values, displacement: Values) -> list[Scalar]:
        return self.rotation.turned(q, Vector(*displacement))


class TumblingMotion(_Turning):
    """[Velocity of the centre of mass; angular momentum about it], both along the parent's axes."""

    def __init__(self, joint: PlainMotion, inertia: np.ndarray):
        super().__init__(joint, inertia)
        self._straight = FreeMotion(joint.motion, joint.centre)

    def of(self, q: Values, v: Values) -> list[Scalar]:
        u = self._straight.of(q, v)
        return [*u[:3], *self.momentum(rotation_matrix(q[3:]), Vector(*u[3:]))]

    def rate(self, q: Values, v: Values, a: Values) -> list[Scalar]:
        rate = self._straight.rate(q, v, a)
        return [*rate[:3], *self.torque(rotation_matrix(q[3:]), Vector(*v[3:]), Vector(*a[3:]))]

    def velocities(self, q: Values, u: Values) -> list[Scalar]:
        return self._straight.velocities(q, [*u[:3], *self.spin(rotation_matrix(q[3:]), Vector(*u[3:]))])

    def moved(self, q: Values, displacement: Values) -> list[Scalar]:
        turned = self.rotation.turned(q[3:], Vector(*displacement[3:]))
        before, after = rotation_matrix(q[3:]), rotation_matrix_of_unit(turned)
        at = Vector(*q[:3]) + before @ self.centre + Vector(*displacement[:3]) - after @ self.centre
        return [*at, *turned]


def turning_alone(tree: Tree) -> list[int]:
    """Bodies on balls or free joints that carry no other body and that no constraint holds."""
    model, held = tree.model, set(constrained_bodies(tree))
    found = []
    for i, joint in enumerate(model.joints, start=1):
        if not joint.moves.has_quaternion or i in held or model.graph.children[i]:
            continue
        moments = fixed_order.eigenvalues(_moments(model, i))
        if float(moments[0]) > _FLATTEST * float(moments[-1]):
            found.append(i)
    return found


def _moments(model: Model, i: int) -> np.ndarray:
    """The inertia tensor of body i about the point it turns about: its centre of mass if free, else the joint's."""
    inertia = model.bodies[i].inertia
    c, about_centre = np.asarray(inertia.com, float), np.asarray(inertia.tensor, float)
    if model.joints[i - 1].moves.is_free:
        return about_centre
    square = fixed_order.dot(c, c)
    return about_centre + inertia.mass * (square * np.eye(3) - np.outer(c, c))


def _closest_first(d: Sequence[float]) -> list[int]:
    """The order in which the two principal moments that are closest to one another come first."""
    pairs = [(abs(d[i] - d[j]), [i, j, 3 - i - j]) for i, j in ((0, 1), (0, 2), (1, 2))]
    return min(pairs)[1]


def _quaternion(R: np.ndarray) -> list[float]:
    """x, y, z, w of a rotation matrix, by its largest component (Shepperd)."""
    trace = float(R[0, 0] + R[1, 1] + R[2, 2])
    diagonal = [float(R[k, k]) for k in range(3)]
    if trace >= max(diagonal):
        w = 0.5 * (1.0 + trace) ** 0.5
        s = 0.25 / w
        return [float(R[2, 1] - R[1, 2]) * s, float(R[0, 2] - R[2, 0]) * s, float(R[1, 0] - R[0, 1]) * s, w]
    i = diagonal.index(max(diagonal))
    j, k = (i + 1) % 3, (i + 2) % 3
    x = 0.5 * (1.0 + 2.0 * diagonal[i] - trace) ** 0.5
    s = 0.25 / x
    q = [0.0] * 4
    q[i], q[j], q[k] = x, float(R[j, i] + R[i, j]) * s, float(R[k, i] + R[i, k]) * s
    q[3] = float(R[k, j] - R[j, k]) * s
    return q
