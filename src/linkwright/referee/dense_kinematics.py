"""Rotations, 6x6 transforms and joints, written out as matrices."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..errors import UnsupportedError
from .arithmetic import Arithmetic


def skew(A: Arithmetic, v) -> np.ndarray:
    zero = A.number(0.0)
    return np.array([[zero, -v[2], v[1]], [v[2], zero, -v[0]], [-v[1], v[0], zero]], dtype=A.dtype)


def rotation_about(A: Arithmetic, axis: np.ndarray, angle) -> np.ndarray:
    """Rodrigues' formula."""
    K = skew(A, axis)
    return A.eye(3) + K * A.sin(angle) + (K @ K) * (1 - A.cos(angle))


def rotation_of_quaternion(A: Arithmetic, q) -> np.ndarray:
    v, w = q[:3], q[3]
    return (A.eye(3) * (w * w - v @ v) + np.outer(v, v) * 2 + skew(A, v) * (2 * w)) / (w * w + v @ v)


def motion_transform(A: Arithmetic, R: np.ndarray, p: np.ndarray) -> np.ndarray:
    """6x6 matrix from a parent to a child at rotation R (child to parent) and position p."""
    X = A.zeros(6, 6)
    X[:3, :3] = X[3:, 3:] = R.T
    X[3:, :3] = -(R.T @ skew(A, p))
    return X


def cross_motion(A: Arithmetic, v: np.ndarray) -> np.ndarray:
    m = A.zeros(6, 6)
    m[:3, :3] = m[3:, 3:] = skew(A, v[:3])
    m[3:, :3] = skew(A, v[3:])
    return m


def spatial_inertia(A: Arithmetic, inertia) -> np.ndarray:
    m, c, I = A.number(inertia.mass), skew(A, A.array(inertia.com)), A.zeros(6, 6)
    I[:3, :3] = A.array(inertia.tensor) - (c @ c) * m
    I[:3, 3:], I[3:, :3], I[3:, 3:] = c * m, -c * m, A.eye(3) * m
    return I


FURTHER_JOINTS: dict[str, Callable] = {}
"""Motions of kinds that other modules define, as functions like `joint_motion`."""


def joint_motion(A: Arithmetic, joint, q, v) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(rotation, position, S, dS/dt) of the child relative to the joint's frame; S in the child's frame."""
    a, b = A.array(joint.axis), A.array(joint.second_axis)
    R, p, S, dS = A.eye(3), A.zeros(3), A.zeros(6, joint.nv), A.zeros(6, joint.nv)
    kind = joint.kind
    if kind in ("revolute", "continuous", "helical", "cylindrical"):
        R, S[:3, 0] = rotation_about(A, a, q[0]), a
        if kind == "helical":
            pitch = A.number(joint.pitch)
            p, S[3:, 0] = a * (q[0] * pitch), a * pitch
        if kind == "cylindrical":
            p, S[3:, 1] = a * q[1], a
    elif kind == "prismatic":
        p, S[3:, 0] = a * q[0], a
    elif kind == "universal":
        second = rotation_about(A, b, q[1])
        R = rotation_about(A, a, q[0]) @ second
        S[:3, 0], S[:3, 1] = second.T @ a, b
        dS[:3, 0] = -(skew(A, b) @ (second.T @ a)) * v[1]
    elif kind == "spherical":
        R, S[:3] = rotation_of_quaternion(A, q), A.eye(3)
    elif kind == "planar":
        C = A.array(joint.alignment())  # in-plane directions are a convention of the model
        R = C @ rotation_about(A, A.eye(3)[2], q[2]) @ C.T
        p = C[:, 0] * q[0] + C[:, 1] * q[1]
        S[3:, 0], S[3:, 1], S[:3, 2] = C[:, 0], C[:, 1], C[:, 2]
    elif kind == "translational":
        p, S[3:] = q, A.eye(3)
    elif kind == "free_flyer":
        R, p = rotation_of_quaternion(A, q[3:]), q[:3]
        S[3:, :3], S[:3, 3:] = A.eye(3), A.eye(3)
    elif kind in FURTHER_JOINTS:
        R, p, S, dS = FURTHER_JOINTS[kind](A, joint, q, v)
    else:
        raise UnsupportedError(
            f"the referee does not know joint kind {kind!r} of joint {joint.name!r}; lock the joint, or write its "
            f"motion for the referee (`referee.dense_kinematics.FURTHER_JOINTS`, docs/adding/joint.md)"
        )
    return R, p, S, dS
