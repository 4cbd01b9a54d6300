"""States in Pinocchio's layout and ours.

Pinocchio stores some angles as cosine and sine: those of continuous joints (2 numbers for 1) and of planar joints (4
for 3). Its joints are numbered depth first, as those of most of our models are: each body's descendants right after it;
where ours are not, vectors change places. No need to have Pinocchio installed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...call_errors import names_arguments
from ...errors import InputError
from ...model import Model
from ...model.editing import depth_first_order

# For each kind of joint that differs: the number of coordinates before its angle.
_ANGLE_AFTER = {"continuous": 0, "planar": 2}


def pinocchio_nq(model: Model) -> int:
    """Size of q in Pinocchio."""
    return model.nq + sum(joint.kind in _ANGLE_AFTER for joint in model.joints)


@names_arguments
def to_pinocchio(model: Model, q, *vectors):
    """q of shape (nq,) or (B, nq) in Pinocchio's layout; with velocities, torques ... (nv,) or (B, nv) all of them."""
    q = _checked(q, model.nq, model.name)
    result = np.empty((*q.shape[:-1], pinocchio_nq(model)))
    for ours, theirs, angle in _layout(model):
        if angle is None:
            result[..., theirs] = q[..., ours]
        else:
            result[..., theirs.start : theirs.start + angle] = q[..., ours.start : ours.start + angle]
            result[..., theirs.stop - 2] = np.cos(q[..., ours.stop - 1])
            result[..., theirs.stop - 1] = np.sin(q[..., ours.stop - 1])
    if not vectors:
        return result
    places = _velocities(model)
    return result, *(_checked(vector, model.nv, model.name, "a vector")[..., places] for vector in vectors)


@names_arguments
def from_pinocchio(model: Model, q, *vectors):
    """A configuration q of Pinocchio (n,) or (B, n), in our layout, angles in (-pi, pi]; with velocities: all of it."""
    q = _checked(q, pinocchio_nq(model), f"{model.name} in Pinocchio")
    result = np.empty((*q.shape[:-1], model.nq))
    for ours, theirs, angle in _layout(model):
        if angle is None:
            result[..., ours] = q[..., theirs]
        else:
            result[..., ours.start : ours.start + angle] = q[..., theirs.start : theirs.start + angle]
            result[..., ours.stop - 1] = np.arctan2(q[..., theirs.stop - 1], q[..., theirs.stop - 2])
    if not vectors:
        return result
    places = np.argsort(_velocities(model))
    return result, *(_checked(vector, model.nv, model.name, "a vector")[..., places] for vector in vectors)


def _checked(q, size: int, whose: str, what: str = "q") -> np.ndarray:
    q = np.asarray(q, dtype=float)
    if q.ndim not in (1, 2) or q.shape[-1] != size:
        raise InputError(f"{what} has shape {q.shape}; expected ({size},) or (B, {size}) for {whose}")
    return q


def _velocities(model: Model) -> list[int]:
    """Where each velocity of Pinocchio's is in ours."""
    return [k for i in depth_first_order(model)[1:] for k in range(model.nv)[model.iv[i]]]


def _layout(model: Model) -> Iterator[tuple[slice, slice, int | None]]:
    """Per joint: where it is in our q, where in Pinocchio's, and where its angle is if that is stored differently."""
    start = 0
    for i in depth_first_order(model)[1:]:
        joint = model.joints[i - 1]
        angle = _ANGLE_AFTER.get(joint.kind)
        size = joint.nq + (angle is not None)
        yield model.iq[i], slice(start, start + size), angle
        start += size
