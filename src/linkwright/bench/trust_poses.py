"""Poses and velocities for `linkwright bench trust`: closed ones, open ones, and how to come by them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..compilation import reference
from ..model import Model

_STEPS = 8  # of Gauss and Newton: what is not closed then stays as it is
_LONGEST = 0.5  # of a step of any joint, radians or metres
_RANK = 1e-6  # of rows while closing: dependent ones must not send joints far away
_SPREAD = 0.3  # of poses about a closed one, radians and metres


@dataclass(frozen=True, eq=False)
class States:
    """Some states of one mechanism; arrays are (B, n).

    known   the same mechanism with what the solvers may not know: a drawn pose that is closed
    """

    label: str
    model: Model
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    desired: np.ndarray | None = None
    known: Model | None = None

    def __len__(self) -> int:
        return len(self.q)


def closed_states(rng, label: str, model: Model, q: np.ndarray) -> States:
    """At these poses, with random velocities that keep the loops as they are. Every fourth is at rest."""
    v, tau = rng.normal(size=(len(q), model.nv)), rng.normal(size=(len(q), model.nv))
    v[3::4] = 0.0
    return States(label, model, q, consistent(model, q, v), tau)


def open_states(rng, label: str, model: Model, q: np.ndarray, *, desired: bool = False) -> States:
    """At these poses, with velocities and desired accelerations of the constraints that need not fit them."""
    v, tau = rng.normal(size=(len(q), model.nv)), rng.normal(size=(len(q), model.nv))
    return States(label, model, q, v, tau, rng.normal(size=(len(q), model.nc)) if desired else None)


def near(rng, model: Model, q: np.ndarray, count: int, spread: float = _SPREAD) -> np.ndarray:
    """Poses around one, itself the first of them, as closed as can be."""
    step = spread * rng.normal(size=(count, model.nv))
    step[0] = 0.0
    return closed(model, model.integrate(np.tile(q, (count, 1)), step))


def closed(model: Model, q: np.ndarray) -> np.ndarray:
    """Towards closed loops by a few steps, in the reference: compiling would take longer than these states need."""
    placed = replace(model, constraints=tuple(c for c in model.constraints if c.has_position))
    if not placed.nc:
        return q
    error, jacobian = reference(placed, "constraint_error"), reference(placed, "constraint_jacobian")
    for _ in range(_STEPS):
        left = error(q)
        if np.abs(left).max() < 1e-13:
            break
        step = np.einsum("bnm,bm->bn", np.linalg.pinv(jacobian(q), rcond=_RANK), left)
        largest = np.abs(step).max(axis=1, keepdims=True)
        q = model.integrate(q, -step * np.minimum(1.0, _LONGEST / np.maximum(largest, 1e-300)))
    return q


def consistent(model: Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """v without what the constraints forbid, of however little use they are."""
    if not model.nc:
        return v
    J = reference(model, "constraint_jacobian")(q)
    inverse = np.linalg.pinv(J, rcond=1e-12)
    for _ in range(2):  # the second time removes what rounding left
        v = v - np.einsum("bnm,bmk,bk->bn", inverse, J, v)
    return v
