"""What is true of every mechanism with loops at its closed pose."""

from __future__ import annotations

import numpy as np

import linkwright as lw
from linkwright.model import Model, Pose


def poses(model: Model, q: np.ndarray) -> list[Pose]:
    """Of every body in the world, joint by joint."""
    result = [Pose.identity()]
    for i, body in enumerate(model.bodies[1:], start=1):
        result.append(result[body.parent] @ body.placement @ body.joint.displacement(q[model.iq[i]]))
    return result


def frame_pose(model: Model, q: np.ndarray, name: str) -> Pose:
    frame = model.frame(name)
    return poses(model, q)[frame.body] @ frame.placement


def gap(model: Model, q: np.ndarray, constraint) -> float:
    """How far the two frames of a constraint are from each other, in the directions it holds."""
    at, bodies = constraint.target or Pose.identity(), poses(model, q)
    first, second = (
        bodies[frame.body] @ frame.placement for frame in (model.frame(constraint.frame), model.frame(constraint.other))
    )
    relative = (second @ at).inverse() @ first
    R = relative.rotation
    turn = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    return float(np.abs(constraint.rows @ np.concatenate([R.T @ relative.translation, turn])).max())


def jacobian(model: Model, q: np.ndarray) -> np.ndarray:
    return lw.reference(model, "constraint_jacobian")(q)


def mobility(model: Model, q: np.ndarray) -> int:
    """Degrees of freedom that the constraints leave at this pose."""
    return model.nv - int(np.linalg.matrix_rank(jacobian(model, q), tol=1e-9))


def free_motions(model: Model, q: np.ndarray) -> np.ndarray:
    """Velocities that no constraint hinders, one a column."""
    _, singular, Vt = np.linalg.svd(jacobian(model, q))
    return Vt[int(np.sum(singular > 1e-9)) :].T
