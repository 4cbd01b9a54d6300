"""Configurations of a whole mechanism: joint by joint, on numbers, batches and traced values alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError
from ..scalar import Scalar

if TYPE_CHECKING:
    from .model import Model


def integrate(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """q moved along v for unit time, as a list of scalars."""
    moved: list[Scalar] = []
    for i, joint in enumerate(model.joints, start=1):
        moved += joint.motion().integrate(q[model.iq[i]], v[model.iv[i]])
    return moved


def difference(model: Model, q0: Sequence[Scalar], q1: Sequence[Scalar]) -> list[Scalar]:
    """The v that leads from q0 to q1 in unit time, as a list of scalars."""
    rates: list[Scalar] = []
    for i, joint in enumerate(model.joints, start=1):
        rates += joint.motion().difference(q0[model.iq[i]], q1[model.iq[i]])
    return rates


def coordinate_rates(model: Model, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """dq/dt when moving with v, as a list of scalars."""
    rates: list[Scalar] = []
    for i, joint in enumerate(model.joints, start=1):
        rates += joint.motion().coordinate_rates(q[model.iq[i]], v[model.iv[i]])
    return rates


def velocity_chart(model: Model, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """The matrix (nv, nq) that turns rates dq/dt into velocities v."""
    chart: list[list[Scalar]] = [[0.0] * model.nq for _ in range(model.nv)]
    for i, joint in enumerate(model.joints, start=1):
        own, motion = q[model.iq[i]], joint.motion()
        for c in range(joint.nq):
            unit = [float(k == c) for k in range(joint.nq)]
            for r, entry in enumerate(motion.velocities_of(own, unit)):
                chart[model.iv[i].start + r][model.iq[i].start + c] = entry
    return chart


def is_curved(model: Model, coordinates: Sequence[int]) -> bool:
    """Whether some of the coordinates belong to joints whose velocities are no rates of theirs."""
    joints = enumerate(model.joints, start=1)
    curved = [model.iq[i] for i, joint in joints if not joint.motion().velocity_is_rate]
    return any(own.start <= n < own.stop for own in curved for n in coordinates)


def neutral(model: Model) -> np.ndarray:
    """All joints at zero, quaternions at identity."""
    return np.array([x for joint in model.joints for x in joint.motion().neutral()], dtype=float)


def random_configuration(model: Model, rng: np.random.Generator | int | None = None, batch: int | None = None):
    """Uniform within joint limits, (nq,) or (batch, nq).

    Where there are none: in [-pi, pi], positions of free-flyers in [-1, 1] m, orientations uniform over all.
    """
    rng = np.random.default_rng(rng)

    def one() -> list[float]:
        return [x for joint in model.joints for x in joint.motion().random(rng, joint.lower, joint.upper)]

    if batch is None:
        return np.array(one(), dtype=float)
    return np.array([one() for _ in range(batch)], dtype=float).reshape(batch, model.nq)


def as_columns(model: Model, name: str, values, size: int) -> np.ndarray:
    """(n,) or (B, n) with its coordinate axis first, so that each coordinate is a scalar or an array of shape (B,)."""
    try:
        array = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {values!r}; expected numbers of shape ({size},) or (B, {size})") from None
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        raise InputError(f"{name} has shape {array.shape}; expected ({size},) or (B, {size}) for {model.name!r}")
    return array.T


def as_rows(columns: Sequence[Scalar], batch: tuple[int, ...]) -> np.ndarray:
    """Inverse of `as_columns`."""
    if not columns:
        return np.zeros((*batch, 0))
    return np.stack([np.broadcast_to(c, batch) for c in columns], axis=-1)
