"""Forces over a motion as arrows: from where, which way, how long."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError

if TYPE_CHECKING:
    from ..sim import Trajectory

_LONGEST = 0.35  # of the mechanism's size: what all but the hardest impacts stay below
_USUAL = 0.98
_HEAD = 9.0  # pixels
CONTACT_RECORD = ("contact_force", "contact_point", "contact_frame")


def checked_forces(forces, frames: int) -> np.ndarray:
    """(T, k, 6): points and vectors side by side; vectors of nothing where a force or its point is not finite."""
    try:
        points, vectors = (np.asarray(part, dtype=float) for part in forces)
    except (TypeError, ValueError):
        raise InputError(f"forces is {type(forces).__name__}; expected (points, vectors), both (T, k, 3)") from None
    if points.ndim != 3 or points.shape != vectors.shape or points.shape[::2] != (frames, 3):
        raise InputError(f"forces have shapes {points.shape} and {vectors.shape}; expected ({frames}, k, 3) of both")
    arrows = np.concatenate([points, vectors], axis=-1)
    return np.where(np.isfinite(arrows).all(axis=-1, keepdims=True), arrows, 0.0)


def arrow_scale(arrows: np.ndarray, size: float) -> float:
    """Metres per unit of force."""
    lengths = np.linalg.norm(arrows[..., 3:], axis=-1)
    acting = lengths[lengths > 0.0]
    return _LONGEST * size / float(np.quantile(acting, _USUAL)) if acting.size else 0.0


def arrow_shape(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """(end of the shaft, corners of the head) of an arrow from a to b on the screen, in pixels."""
    along = (b - a)[:2]
    length = float(np.hypot(*along))
    head, unit = min(_HEAD, 0.5 * length), along / max(length, 1e-9)
    shaft, aside = b[:2] - head * unit, 0.45 * head * np.array([-unit[1], unit[0]])
    return shaft, [b[:2], shaft + aside, shaft - aside]


def contact_arrows(trajectory: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """(points, vectors), both (T, k, 3) in the world: forces that contacts exert on their first shapes.

    Of a simulation with outputs contact_force, contact_point and contact_frame, of one sample; none act at the start.
    """
    missing = [name for name in CONTACT_RECORD if name not in trajectory.outputs]
    if missing or trajectory.batch is not None:
        raise InputError(
            f"arrows of contacts are for one sample of a simulation with outputs={CONTACT_RECORD}; this one "
            + (f"lacks {', '.join(missing)}" if missing else f"holds {trajectory.batch} samples")
        )
    force, point, frame = (trajectory[name] for name in CONTACT_RECORD)
    vectors = np.einsum("tkij,tki->tkj", frame, force[..., :3])
    return tuple(np.concatenate([np.zeros_like(x[:1]), x]) for x in (point, vectors))  # type: ignore[return-value]
