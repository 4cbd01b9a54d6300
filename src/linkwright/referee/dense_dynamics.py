"""The equations of motion as dense matrices, summed over bodies."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..model import Model, Pose
from ..model.constraints import Constraint
from ..model.passive import GravityCompensation, Passive
from .arithmetic import LONG, Arithmetic
from .dense_kinematics import cross_motion, joint_motion, motion_transform, spatial_inertia
from .dense_rows import rows_of_constraint


class DenseDynamics:
    """M, bias torques and, per body, pose and 6 x nv Jacobian with its drift (dJ/dt v), in body frames."""

    def __init__(self, model: Model, q, v, arithmetic: Arithmetic = LONG):
        self.model, self.arithmetic = model, arithmetic
        A, n, nv = arithmetic, model.nbodies, model.nv
        q, v = A.array(q), A.array(v)
        self.q, self.v = q, v
        self.R, self.p = [A.eye(3)] * n, [A.zeros(3)] * n
        self.J, self.drift, self.velocity = [A.zeros(6, nv)] * n, [A.zeros(6)] * n, [A.zeros(6)] * n
        # the ground accelerates against gravity
        acceleration = [np.concatenate([A.zeros(3), A.array(-model.gravity)])] * n
        self.M, self.bias = A.zeros(nv, nv), A.zeros(nv)
        for i in range(1, n):
            body, iv = model.bodies[i], model.iv[i]
            k = body.parent
            R, p, S, dS = joint_motion(A, body.joint, q[model.iq[i]], v[iv])
            outer, at = A.array(body.placement.rotation), A.array(body.placement.translation)
            X = motion_transform(A, R, p) @ motion_transform(A, outer, at)
            self.R[i], self.p[i] = self.R[k] @ outer @ R, self.p[k] + self.R[k] @ (at + outer @ p)
            self.J[i] = J = X @ self.J[k]
            J[:, iv] += S
            self.velocity[i] = velocity = J @ v
            own = cross_motion(A, velocity) @ (S @ v[iv]) + dS @ v[iv]
            self.drift[i] = X @ self.drift[k] + own
            acceleration[i] = X @ acceleration[k] + own
            I = spatial_inertia(A, body.inertia)
            self.M += J.T @ I @ J
            self.bias += J.T @ (I @ acceleration[i] - cross_motion(A, velocity).T @ (I @ velocity))
        for k in range(nv):
            self.M[k, k] += A.number(model.stacked("armature")[k])
        self.bias += A.array(model.stacked("damping")) * v
        for i in range(1, n):
            joint = model.bodies[i].joint
            if joint.may_have_springs:
                stretch = q[model.iq[i]] - A.array(joint.spring_reference)
                self.bias[model.iv[i]] += A.array(joint.stiffness) * stretch

        for element in model.passive:
            self.bias -= self._passive_torque(element)

    def _passive_torque(self, element: Passive) -> np.ndarray:
        A, model = self.arithmetic, self.model
        if isinstance(element, GravityCompensation):
            J, _, R, _ = self.frame(element.frame, Pose.of(element.point))
            return J[3:].T @ (R.T @ A.array(-model.gravity) * A.number(element.mass))
        ratios = A.zeros(model.nv)
        length = A.number(0.0)
        for joint, ratio in element.ratios:
            i = model.joint_index(joint)
            ratios[model.iv[i]] = A.number(ratio)
            length = length + A.number(ratio) * self.q[model.iq[i]][0]
        rest = min(max(length, A.number(element.shortest)), A.number(element.longest))
        force = A.number(element.stiffness) * (rest - length) - A.number(element.damping) * (ratios @ self.v)
        return ratios * force

    def torque_of_forces(self, f_ext) -> np.ndarray:
        """Joint torques of external forces given [linear; angular] in body frames."""
        f = self.arithmetic.array(f_ext)
        return sum(J.T @ np.concatenate([row[3:], row[:3]]) for J, row in zip(self.J, f, strict=True))

    def constraint_rows(self, constraints: Sequence[Constraint] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(J, J-dot v) of the model's constraints or of the given ones, one after the other."""
        A = self.arithmetic
        rows, drifts = [A.zeros(0, self.model.nv)], [A.zeros(0)]
        for constraint in self.model.constraints if constraints is None else constraints:
            J, drift, _ = rows_of_constraint(self, constraint)
            rows.append(J)
            drifts.append(drift)
        return np.concatenate(rows), np.concatenate(drifts)

    def frame(self, name: str, offset: Pose | None = None):
        """(Jacobian, its rate times v, rotation, position) of a named frame, or of one at `offset` from it."""
        A, frame = self.arithmetic, self.model.frame(name)
        placement = frame.placement if offset is None else frame.placement @ offset
        Rf, pf = A.array(placement.rotation), A.array(placement.translation)
        X = motion_transform(A, Rf, pf)
        R, p = self.R[frame.body], self.p[frame.body]
        return X @ self.J[frame.body], X @ self.drift[frame.body], R @ Rf, p + R @ pf
