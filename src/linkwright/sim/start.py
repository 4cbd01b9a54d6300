"""The state a simulation starts from: complete, finite, and on the constraints."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.rows.constraint_state import constraint_state
from ..codegen.arguments import real_numbers
from ..errors import InputError
from ..model import Model, tree_of

# Farther off than this (m, rad; m/s, rad/s relative to the fastest joint), a start is refused: stabilization would
# close it with a jerk.
OPEN_TOLERANCE = 1e-5
MOVING_TOLERANCE = 1e-5
_UNIT_TOLERANCE = 1e-6  # of a quaternion's length


def as_state(model: Model, q0: Any, v0: Any) -> tuple[np.ndarray, np.ndarray]:
    """q0 and v0 as arrays (n,) or both (B, n)."""
    if not model.nv:
        raise InputError(f"{model.name!r} has no joints, so nothing of it moves")
    q = _array("q0", model.drawn if q0 is None else q0, model.nq, model)
    v = _array("v0", np.zeros(model.nv) if v0 is None else v0, model.nv, model)
    if q.ndim == v.ndim == 2 and len(q) != len(v):
        raise InputError(f"q0 holds {len(q)} samples and v0 {len(v)}; expected as many, or one of them unbatched")
    for i, joint in enumerate(model.joints, start=1):
        if joint.moves.has_quaternion:
            lengths = np.linalg.norm(q[..., model.iq[i]][..., -4:], axis=-1)
            if np.any(np.abs(lengths - 1) > _UNIT_TOLERANCE):
                length = float(np.ravel(lengths)[np.argmax(np.abs(np.ravel(lengths) - 1))])
                raise InputError(f"q0: the quaternion of joint {joint.name!r} has length {length:.6g}; expected 1")
    return q, v


def check_start(model: Model, q: np.ndarray, v: np.ndarray, holding: np.ndarray | None = None) -> None:
    """Refuse a state that violates constraints, naming each and by how much; `holding`, (constraints,) or
    (B, constraints), says 0 of those that do not hold."""
    if not model.constraints:
        return
    q, v = _same_batch(q, v)
    with np.errstate(all="ignore"):
        state = constraint_state(tree_of(model), list(q.T), list(v.T))
    fastest = max(1.0, float(np.abs(v).max(initial=0.0)))
    open_rows, moving_rows, row = [], [], 0
    for k, c in enumerate(model.constraints):
        own = slice(row, row + c.size)
        row += c.size
        on = 1.0 if holding is None else holding[..., k]
        off = _largest([x * on for x in state.error[own] if x is not None])
        rate = _largest([x * on for x in state.velocity[own]])
        if not off <= OPEN_TOLERANCE:
            open_rows.append(f"{c.name!r} by {off:.3g}")
        if not rate <= MOVING_TOLERANCE * fastest:
            moving_rows.append(f"{c.name!r} at {rate:.3g}")
    if open_rows:
        raise InputError(
            f"q0 does not close the constraints of {model.name!r}: open are {', '.join(open_rows)} (m or rad). Find a "
            f"closed configuration with linkwright.project_configuration, or pass start='project' or start='as given'"
        )
    if moving_rows:
        raise InputError(
            f"v0 violates the constraints of {model.name!r}: coming apart are {', '.join(moving_rows)} (m/s or rad/s). "
            f"Find a consistent velocity with linkwright.project_velocity, or pass start='project' or start='as given'"
        )


def _same_batch(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lead = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    return np.broadcast_to(q, (*lead, q.shape[-1])), np.broadcast_to(v, (*lead, v.shape[-1]))


def _largest(values) -> float:
    return float(np.max([np.abs(x).max() for x in map(np.asarray, values)], initial=0.0))


def _array(name: str, value: Any, size: int, model: Model) -> np.ndarray:
    try:
        array = real_numbers(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r}; expected numbers of shape ({size},) or (B, {size})") from None
    if array.ndim not in (1, 2) or array.shape[-1] != size or not len(array):
        raise InputError(f"{name} has shape {array.shape}; expected ({size},) or (B, {size}) for {model.name!r}")
    if not np.all(np.isfinite(array)):
        raise InputError(f"{name} is {array.tolist() if array.ndim == 1 else 'an array'} and not finite everywhere")
    return array
