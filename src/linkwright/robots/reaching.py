"""Bring frames of a mechanism to given places by turning some of its revolute joints: how grasps are set up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..errors import ModelError
from ..fixed_order import norm, product, solve_positive_definite
from ..model import Model, Pose
from ..scalar import Numbers

_STEPS = 200
_CLOSE = 1e-14  # metres and radians
_LONGEST_STEP = 0.3  # radians; the first steps are long, and should not jump to another way to reach
_DAMPING = 1e-3  # metres; while a target is farther off than this, steps near stretched limbs stay bounded


def body_poses(model: Model, q: np.ndarray) -> list[Pose]:
    poses = [Pose.identity()]
    for i, body in enumerate(model.bodies[1:], start=1):
        poses.append(poses[body.parent] @ body.placement @ body.joint.displacement(q[model.iq[i]]))
    return poses


def reach(
    model: Model, q: np.ndarray, joints: Sequence[str], targets: Mapping[str, Pose | Numbers]
) -> np.ndarray:
    """q with the joints turned, the least possible in each step, until every frame is at its pose or point."""
    q, turning = np.array(q, dtype=float), [model.joint_index(name) for name in joints]
    for _ in range(_STEPS):
        bodies = body_poses(model, q)
        gaps, rows = zip(*(_gap(model, bodies, turning, *target) for target in targets.items()), strict=True)
        gap, J = np.concatenate(gaps), np.vstack(rows)
        farthest = float(np.abs(gap).max())
        if farthest < _CLOSE:
            return q
        damping = _DAMPING**2 if farthest > _DAMPING else 0.0
        step = product(J.T, solve_positive_definite(product(J, J.T) + damping * np.eye(len(gap)), gap))
        step *= min(1.0, _LONGEST_STEP / float(np.abs(step).max()))
        for i, turn in zip(turning, step, strict=True):
            q[model.iq[i]] += turn
    if farthest < 100 * _CLOSE:  # rounding, far from the origin
        return q
    raise ModelError(f"{model.name!r} cannot bring {', '.join(targets)} where they should be: {farthest:.3g} are left")


def _gap(model: Model, bodies: list[Pose], turning: list[int], name: str, target) -> tuple[np.ndarray, np.ndarray]:
    """What is left to go, in the world's axes, and how the joints change that."""
    frame = model.frame(name)
    at = bodies[frame.body] @ frame.placement
    point = target.translation if isinstance(target, Pose) else np.asarray(target, dtype=float)
    gap = point - at.translation
    J = np.zeros((6, len(turning)))
    for column, i in enumerate(turning):
        if model.graph.is_ancestor(i, frame.body):
            axis = product(bodies[i].rotation, model.bodies[i].joint.axis)
            J[:, column] = np.concatenate([np.cross(axis, at.translation - bodies[i].translation), axis])
    if not isinstance(target, Pose):
        return gap, J[:3]
    R = product(at.rotation.T, target.rotation)
    turn = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
    if np.trace(R) < 1:  # beyond a right angle the sine falls again: go round at full length
        turn /= max(norm(turn), 1e-9)
    return np.concatenate([gap, product(at.rotation, turn)]), J
