"""Damped Gauss-Newton (Levenberg-Marquardt) on the configuration manifold: from an open pose to one of least error."""

from __future__ import annotations

import numpy as np

from .constraint_functions import ConstraintFunctions
from .least_step import least_step

_STEPS = 200
_LONGEST_STEP = 0.5  # of any joint, in radians or metres
# Damping is a multiple of the squared error, which keeps convergence quadratic wherever the distance to a closed pose
# is bounded by the error, dependent rows or not. The multiple adapts: down after a good step, up after a bad one.
_FIRST, _LEAST, _GIVE_UP = 1e-1, 1e-4, 1e12
_DOWN, _UP = 0.2, 8.0
SHAKES = (0.1, 0.3, 1.0, 1.0)  # radians, metres
_HARDLY, _PATIENCE, _ALMOST = 0.99, 4, 1e-4  # so many steps in a row that leave this share of an error below this


def least_error(
    functions: ConstraintFunctions, q: np.ndarray, ease: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """(q, error) for a batch, until the error is within the tolerance or falls no more.

    ease   (nv,) how readily each velocity moves: 0 not at all, 1 as the others; weights are its inverse square

    Steps are bounded and each is taken only if it lowers the error, so that nothing runs away at singular poses or
    where a loop cannot close: the pose then is one of least error in its neighbourhood.
    """
    model = functions.model
    q, error = q.copy(), functions.error(q)
    damping = np.full(len(q), _FIRST)
    doubtful = np.zeros(len(q), dtype=bool)
    slow = np.zeros(len(q), dtype=int)
    for _ in range(_STEPS):
        going = (damping < _GIVE_UP) & (slow < _PATIENCE)
        busy = np.flatnonzero((np.abs(error).max(axis=1, initial=0.0) > tolerance) & going)
        if not len(busy) or not ease.any():
            break
        J = functions.placed_jacobian(q[busy])
        if doubtful[busy].any():  # away from closed poses J is not quite the derivative of the error
            J[doubtful[busy]] = functions.error_derivative(q[busy[doubtful[busy]]])
        size = np.linalg.norm(error[busy], axis=1)
        step = bounded(ease * least_step(J * ease, error[busy], damping[busy] * size**2), _LONGEST_STEP)
        moved = model.integrate(q[busy], step)
        found = functions.error(moved)
        better = np.linalg.norm(found, axis=1) < size
        # a pose as near to closed as its file allows: steps go on finding a little less in the last digits
        little = better & (np.linalg.norm(found, axis=1) > _HARDLY * size) & (np.abs(found).max(axis=1) < _ALMOST)
        slow[busy] = np.where(little, slow[busy] + 1, np.where(better, 0, slow[busy]))
        q[busy[better]], error[busy[better]] = moved[better], found[better]
        doubtful[busy] |= ~better
        damping[busy] = np.where(better, np.maximum(damping[busy] * _DOWN, _LEAST), damping[busy] * _UP)
    return q, error


def bounded(step: np.ndarray, longest: np.ndarray | float) -> np.ndarray:
    """Each row shortened until no entry is larger than `longest`."""
    largest = np.abs(step).max(axis=1, initial=0.0)
    return step * np.minimum(1.0, longest / np.maximum(largest, np.finfo(float).tiny))[:, None]


def shaken(functions: ConstraintFunctions, q: np.ndarray, ease: np.ndarray, k: int) -> np.ndarray:
    """Poses to start from in place of q, always the same ones: a stretched-out or symmetric pose can be one where no
    small motion lowers the error although the loop can close."""
    shake = SHAKES[k] * ease * np.random.default_rng(k).uniform(-1, 1, len(ease)) * np.ones((len(q), 1))
    return functions.model.integrate(q, shake)
