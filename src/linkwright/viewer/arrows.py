"""Forces over a motion as arrows: from where, which way, how long."""

from __future__ import annotations

import numpy as np

from ..errors import InputError

_LONGEST = 0.35  # of the mechanism's size: what all but the hardest impacts stay below
_USUAL = 0.98


def checked_forces(forces, frames: int) -> np.ndarray:
    """(T, k, 6): points and vectors side by side; vectors of nothing where a force or its point is not finite."""
    try:
        points, vectors = (np.asarray(part, dtype=float) for part in forces)
    except (TypeError, ValueError):
        raise InputError(f"forces is {type(forces).__name__}; expected (points, vectors), both (T, k, 3)") from None
    if points.ndim != 3 or points.shape != vectors.shape or points.shape[::2] != (frames, 3):
        raise InputError(
            f"forces have shapes {points.shape} and {vectors.shape}; expected ({frames}, k, 3) of both"
        )
    arrows = np.concatenate([points, vectors], axis=-1)
    return np.where(np.isfinite(arrows).all(axis=-1, keepdims=True), arrows, 0.0)


def arrow_scale(arrows: np.ndarray, size: float) -> float:
    """Metres per unit of force."""
    lengths = np.linalg.norm(arrows[..., 3:], axis=-1)
    acting = lengths[lengths > 0.0]
    return _LONGEST * size / float(np.quantile(acting, _USUAL)) if acting.size else 0.0
