"""Configurations in Pinocchio's layout and ours. Velocities, accelerations and torques have the same layout in both.

They differ where Pinocchio stores an angle as its cosine and sine: continuous joints (2 numbers for 1) and planar
joints (4 for 3). No need to have Pinocchio installed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..errors import InputError
from ..model import Model

# For each kind of joint that differs: the number of coordinates before its angle.
_ANGLE_AFTER = {"continuous": 0, "planar": 2}


def pinocchio_nq(model: Model) -> int:
    """Size of q in Pinocchio."""
    return model.nq + sum(joint.kind in _ANGLE_AFTER for joint in model.joints)


def to_pinocchio(model: Model, q) -> np.ndarray:
    """q of shape (nq,) or (B, nq) in Pinocchio's layout."""
    q = _checked(q, model.nq, model.name)
    result = np.empty((*q.shape[:-1], pinocchio_nq(model)))
    for ours, theirs, angle in _layout(model):
        if angle is None:
            result[..., theirs] = q[..., ours]
        else:
            result[..., theirs.start : theirs.start + angle] = q[..., ours.start : ours.start + angle]
            result[..., theirs.stop - 2] = np.cos(q[..., ours.stop - 1])
            result[..., theirs.stop - 1] = np.sin(q[..., ours.stop - 1])
    return result


def from_pinocchio(model: Model, q) -> np.ndarray:
    """q of Pinocchio, of shape (n,) or (B, n), in our layout. Angles come out in (-pi, pi]."""
    q = _checked(q, pinocchio_nq(model), f"{model.name} in Pinocchio")
    result = np.empty((*q.shape[:-1], model.nq))
    for ours, theirs, angle in _layout(model):
        if angle is None:
            result[..., ours] = q[..., theirs]
        else:
            result[..., ours.start : ours.start + angle] = q[..., theirs.start : theirs.start + angle]
            result[..., ours.stop - 1] = np.arctan2(q[..., theirs.stop - 1], q[..., theirs.stop - 2])
    return result


def _checked(q, size: int, whose: str) -> np.ndarray:
    q = np.asarray(q, dtype=float)
    if q.ndim not in (1, 2) or q.shape[-1] != size:
        raise InputError(f"q has shape {q.shape}; expected ({size},) or (B, {size}) for {whose}")
    return q


def _layout(model: Model) -> Iterator[tuple[slice, slice, int | None]]:
    """Per joint: where it is in our q, where in Pinocchio's, and where its angle is if that is stored differently."""
    start = 0
    for joint, ours in zip(model.joints, model.iq[1:], strict=True):
        angle = _ANGLE_AFTER.get(joint.kind)
        size = joint.nq + (angle is not None)
        yield ours, slice(start, start + size), angle
        start += size
