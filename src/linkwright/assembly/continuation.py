"""Following a closed mechanism towards another pose in small steps, so that it stays on its assembly branch."""

from __future__ import annotations

import numpy as np

from .closing import closed_enough
from .constraint_functions import ConstraintFunctions
from .correction import corrected
from .least_step import least_step

_LONGEST_STEP = 0.1  # of any joint, in radians or metres
_SHORTEST_STEP = 1e-7
_STEPS = 2000
_SETTLED = 1e-6
_SIDEWAYS = 1e-3  # where the loops allow less than this share of the way to the target, no pose around is nearer
# A correction longer than this share of the step it corrects might be a leap to another branch.
_TRUSTED_SHARE = 0.3
_STEP_TOLERANCE = 1e-9  # between steps; the last pose is closed to what was asked for


def followed(
    functions: ConstraintFunctions, start: np.ndarray, target: np.ndarray, held: np.ndarray, ease: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """(q, how far the velocities in `held` are from the target's) for a batch of closed poses `start`.

    Velocities of ease 0 go to the target's. What the loops leave of the others goes as near to it as it can, weighted
    by the inverse square of their ease.
    """
    model = functions.model
    q = start.copy()
    reach = np.full(len(q), _LONGEST_STEP)
    running = np.ones(len(q), dtype=bool)
    driven = not ease.all()  # some go where they must; otherwise all may stop where nothing leads nearer to the target
    weight = np.where(ease > 0, 1 / np.where(ease > 0, ease, 1.0), 0.0)
    for _ in range(_STEPS):
        busy = np.flatnonzero(running)
        if not len(busy):
            break
        goal = model.difference(q[busy], target[busy])
        v = tangent(functions, q[busy], goal, ease)
        length = np.abs(v).max(axis=1, initial=0.0)
        distance = np.linalg.norm(weight * goal, axis=1)
        share = np.minimum(1.0, reach[busy] / np.maximum(length, _SETTLED))
        predicted = model.integrate(q[busy], v * share[:, None])
        moved, error = corrected(functions, predicted, ease, _STEP_TOLERANCE)
        leap = np.abs(model.difference(predicted, moved)).max(axis=1, initial=0.0)
        closed = closed_enough(functions, moved, error, _STEP_TOLERANCE)
        good = closed & (leap <= np.maximum(_TRUSTED_SHARE * share * length, 10 * _STEP_TOLERANCE))
        settled = length <= _SETTLED
        if not driven:
            good &= np.linalg.norm(weight * model.difference(moved, target[busy]), axis=1) < distance
            settled |= np.linalg.norm(weight * v, axis=1) <= _SIDEWAYS * distance
        q[busy[good]] = moved[good]
        reach[busy] = np.where(good, np.minimum(2 * reach[busy], _LONGEST_STEP), reach[busy] / 4)
        running[busy] = (reach[busy] > _SHORTEST_STEP) & ~settled
    return q, np.abs(model.difference(q, target)[:, held]).max(axis=1, initial=0.0)


def tangent(functions: ConstraintFunctions, q: np.ndarray, goal: np.ndarray, ease: np.ndarray) -> np.ndarray:
    """The motion nearest to `goal` that keeps the loops closed."""
    J = functions.placed_jacobian(q)
    return goal + ease * least_step(J * ease, np.einsum("bmn,bn->bm", J, goal))
