"""An independent referee: dense dynamics from body Jacobians, in extended precision, straight from the model's data.

Shares no code with the library beyond the model's plain numbers: 6x6 matrices, Rodrigues' formula, sums over bodies.
Spatial vectors are angular first.
"""

from __future__ import annotations

import numpy as np

LONG = np.longdouble


def skew(v):
    zero = LONG(0)
    return np.array([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]], dtype=LONG)


def rotation_about(axis, angle):
    K = skew(np.asarray(axis, dtype=LONG))
    return np.eye(3, dtype=LONG) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def rotation_of_quaternion(q):
    v, w = np.asarray(q[:3], dtype=LONG), LONG(q[3])
    return (w * w - v @ v) * np.eye(3, dtype=LONG) + 2 * np.outer(v, v) + 2 * w * skew(v)


def joint_motion(joint, q, v):
    """(rotation, position, S, dS/dt) of the child relative to the joint's frame; S in the child's frame."""
    q, v = np.asarray(q, dtype=LONG), np.asarray(v, dtype=LONG)
    a, R, p = np.asarray(joint.axis, dtype=LONG), np.eye(3, dtype=LONG), np.zeros(3, dtype=LONG)
    none = np.zeros(3, dtype=LONG)
    S, dS = np.zeros((6, joint.nv), dtype=LONG), np.zeros((6, joint.nv), dtype=LONG)
    if joint.kind in ("revolute", "continuous"):
        R, S[:, 0] = rotation_about(a, q[0]), np.r_[a, none]
    elif joint.kind == "prismatic":
        p, S[:, 0] = a * q[0], np.r_[none, a]
    elif joint.kind == "helical":
        R, p, S[:, 0] = rotation_about(a, q[0]), a * q[0] * LONG(joint.pitch), np.r_[a, a * LONG(joint.pitch)]
    elif joint.kind == "cylindrical":
        R, p, S[:, 0], S[:, 1] = rotation_about(a, q[0]), a * q[1], np.r_[a, none], np.r_[none, a]
    elif joint.kind == "universal":
        b = np.asarray(joint.second_axis, dtype=LONG)
        second = rotation_about(b, q[1])
        R = rotation_about(a, q[0]) @ second
        S[:, 0], S[:, 1] = np.r_[second.T @ a, none], np.r_[b, none]
        dS[:, 0] = np.r_[-skew(b) @ (second.T @ a) * v[1], none]
    elif joint.kind == "spherical":
        R = rotation_of_quaternion(q)
        S[:3] = np.eye(3)
    elif joint.kind == "planar":
        C = np.asarray(joint.alignment(), dtype=LONG)  # in-plane directions are a convention of the model
        R = C @ rotation_about([0, 0, 1], q[2]) @ C.T
        p = C @ np.array([q[0], q[1], 0], dtype=LONG)
        S[3:, 0], S[3:, 1], S[:3, 2] = C[:, 0], C[:, 1], C[:, 2]
    elif joint.kind == "translational":
        p, S[3:] = q, np.eye(3)
    elif joint.kind == "free_flyer":
        R, p = rotation_of_quaternion(q[3:]), q[:3]
        S[3:, :3], S[:3, 3:] = np.eye(3), np.eye(3)
    else:
        raise AssertionError(joint.kind)
    return R, p, S, dS


def motion_transform(R, p):
    """6x6 matrix from a parent to a child at rotation R (child to parent) and position p."""
    X = np.zeros((6, 6), dtype=LONG)
    X[:3, :3] = X[3:, 3:] = R.T
    X[3:, :3] = -R.T @ skew(p)
    return X


def cross_motion(v):
    m = np.zeros((6, 6), dtype=LONG)
    m[:3, :3] = m[3:, 3:] = skew(v[:3])
    m[3:, :3] = skew(v[3:])
    return m


def spatial_inertia(inertia):
    m, c = LONG(inertia.mass), np.asarray(inertia.com, dtype=LONG)
    I = np.zeros((6, 6), dtype=LONG)
    I[:3, :3] = np.asarray(inertia.tensor, dtype=LONG) - m * skew(c) @ skew(c)
    I[:3, 3:], I[3:, :3], I[3:, 3:] = m * skew(c), -m * skew(c), m * np.eye(3)
    return I


class Referee:
    """Everything at one state: M, bias, body Jacobians (body frames), poses."""

    def __init__(self, model, q, v):
        q, v = np.asarray(q, dtype=LONG), np.asarray(v, dtype=LONG)
        n, nv = model.nbodies, model.nv
        self.R, self.p = [np.eye(3, dtype=LONG)] * n, [np.zeros(3, dtype=LONG)] * n
        self.J, self.drift = [np.zeros((6, nv), dtype=LONG)] * n, [np.zeros(6, dtype=LONG)] * n
        self.velocity = [np.zeros(6, dtype=LONG)] * n
        g = np.r_[np.zeros(3), -model.gravity].astype(LONG)  # the ground accelerates against gravity
        acceleration = [g] * n
        self.M, self.bias = np.zeros((nv, nv), dtype=LONG), np.zeros(nv, dtype=LONG)
        for i in range(1, n):
            body = model.bodies[i]
            k, iv = body.parent, model.iv[i]
            R, p, S, dS = joint_motion(body.joint, q[model.iq[i]], v[iv])
            outer, at = body.placement.rotation.astype(LONG), body.placement.translation.astype(LONG)
            X = motion_transform(R, p) @ motion_transform(outer, at)
            self.R[i], self.p[i] = self.R[k] @ outer @ R, self.p[k] + self.R[k] @ (at + outer @ p)
            J = X @ self.J[k]
            J[:, iv] += S
            self.J[i] = J
            self.velocity[i] = J @ v
            own = cross_motion(self.velocity[i]) @ (S @ v[iv]) + dS @ v[iv]
            self.drift[i] = X @ self.drift[k] + own
            acceleration[i] = X @ acceleration[k] + own
            I = spatial_inertia(body.inertia)
            self.M += J.T @ I @ J
            momentum = I @ self.velocity[i]
            self.bias += J.T @ (I @ acceleration[i] - cross_motion(self.velocity[i]).T @ momentum)
        self.M += np.diag(model.stacked("armature").astype(LONG))
        self.bias += model.stacked("damping").astype(LONG) * v
        for i in range(1, n):
            joint = model.bodies[i].joint
            if joint.may_have_springs:
                stretch = q[model.iq[i]] - joint.spring_reference
                self.bias[model.iv[i]] += joint.stiffness * stretch
        self.condition = float(np.linalg.cond(self.M.astype(float))) if nv else 1.0

    def torque_of_forces(self, f_ext):
        """Joint torques of external forces given [linear; angular] in body frames."""
        f = np.asarray(f_ext, dtype=LONG)
        return sum(J.T @ np.r_[row[3:], row[:3]] for J, row in zip(self.J, f, strict=True))

    def acceleration(self, tau, f_ext=None):
        rhs = np.asarray(tau, dtype=LONG) - self.bias
        if f_ext is not None:
            rhs = rhs + self.torque_of_forces(f_ext)
        return solve_spd(self.M, rhs)

    def torque(self, a, f_ext=None):
        tau = self.M @ np.asarray(a, dtype=LONG) + self.bias
        return tau if f_ext is None else tau - self.torque_of_forces(f_ext)


def solve_spd(A, b):
    """Cholesky in extended precision (NumPy's own solvers are double only)."""
    A, x, n = A.copy(), np.asarray(b, dtype=LONG).copy(), len(b)
    L = np.zeros_like(A)
    for c in range(n):
        L[c, c] = np.sqrt(A[c, c] - L[c, :c] @ L[c, :c])
        L[c + 1 :, c] = (A[c + 1 :, c] - L[c + 1 :, :c] @ L[c, :c]) / L[c, c]
    for r in range(n):
        x[r] = (x[r] - L[r, :r] @ x[:r]) / L[r, r]
    for r in reversed(range(n)):
        x[r] = (x[r] - L[r + 1 :, r] @ x[r + 1 :]) / L[r, r]
    return x
