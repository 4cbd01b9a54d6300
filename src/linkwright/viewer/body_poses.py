"""Poses of all bodies along a trajectory."""

from __future__ import annotations

import numpy as np

from ..compilation import reference
from ..errors import InputError
from ..model import Model

FRAMES_PER_SECOND = 60


def body_poses(model: Model, q) -> tuple[np.ndarray, np.ndarray]:
    """(rotations (T, n, 3, 3), positions (T, n, 3)) of all bodies, ground included, at configurations (T, nq)."""
    rotations, positions = reference(model, "forward_kinematics")(q)
    return rotations, positions


def checked_trajectory(model: Model, q, times) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q (T, nq) and times (T,) as arrays, thinned to what a screen can show, and which frames these are."""
    q, times = _array("q", q), _array("times", times)
    if q.ndim != 2 or q.shape[1] != model.nq or not len(q):
        raise InputError(f"q has shape {q.shape}; expected (T, {model.nq}): a trajectory of {model.name!r}")
    if times.shape != (len(q),):
        raise InputError(f"times has shape {times.shape}; expected ({len(q)},), one for each configuration")
    for name, values in (("times", times[:, None]), ("q", q)):
        bad = np.flatnonzero(~np.isfinite(values).all(axis=1))
        if len(bad):
            k = int(bad[0])
            raise InputError(f"{name} is not finite at step {k} of {len(q)}; show q[:{k}], times[:{k}] instead")
    backward = np.flatnonzero(np.diff(times) <= 0)
    if len(backward):
        k = int(backward[0])
        raise InputError(f"times must increase; at steps {k} and {k + 1} they are {times[k]:g} and {times[k + 1]:g}")
    kept = thinned(times)
    return q[kept], times[kept], kept


def thinned(times: np.ndarray) -> np.ndarray:
    """Indices of the frames to keep: the first, the last, and between them no more than a screen shows."""
    slots = np.floor((times - times[0]) * FRAMES_PER_SECOND + 1e-6).astype(int)
    kept = np.flatnonzero(np.diff(slots, prepend=-1))
    return kept if kept[-1] == len(times) - 1 else np.append(kept, len(times) - 1)


def quaternions(R: np.ndarray) -> np.ndarray:
    """x, y, z, w of rotation matrices (..., 3, 3); the largest component comes from the diagonal (Shepperd)."""
    d = np.einsum("...ii->...i", R)
    trace = d.sum(axis=-1)
    squares = np.concatenate([1 + 2 * d - trace[..., None], 1 + trace[..., None]], axis=-1)
    skews = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    candidates = np.empty((*R.shape[:-2], 4, 4))
    candidates[..., :3, :3] = R + np.swapaxes(R, -1, -2)
    for k in range(3):
        candidates[..., k, k] = squares[..., k]
    candidates[..., :3, 3] = candidates[..., 3, :3] = skews
    candidates[..., 3, 3] = squares[..., 3]
    best = np.argmax(squares, axis=-1)
    q = np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :]
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def _array(name: str, values) -> np.ndarray:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {type(values).__name__}; expected an array of numbers") from None
