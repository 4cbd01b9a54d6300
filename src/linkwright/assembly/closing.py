"""When a pose is closed: to the tolerance asked for, or to what the numbers of the file allow.

A file with rounded lengths and axes may have no pose in which all of its dependent rows hold to the last digit: a
planar loop whose hinges are 1e-7 rad from parallel. Along the directions that count (independent_rows.py) the loops are
closed to the tolerance; what is left along the others is the file's own, and how much that is is measured: at poses
around the as-drawn one, or around one that closes what is drawn apart.
"""

from __future__ import annotations

import numpy as np

from ..algorithms.rows.row_scales import rank_tolerance
from ..model import Model
from ..model.found_once import found_once
from .constraint_functions import ConstraintFunctions, constraint_functions
from .independent_rows import IndependentRows, independent_rows
from .least_error import SHAKES, least_error, shaken

_STEPS = 12
_SPREAD, _POSES = 0.3, 8  # radians, metres from the as-drawn pose at which the accuracy is measured
_NEARLY, _ALMOST = 1e-9, 1e-4  # an error that Newton's method takes over from, and one that it may still lower
_BESIDE = 1e-5  # of what the file leaves open: J is the derivative of a closed loop's error, and no closer than that
_MARGIN = 10.0  # of what is measured there, for poses further away


def file_accuracy(model: Model) -> float:
    """How far open (metres, radians) the loops stay at best, for what the numbers of the model allow; 0 if not at all.

    The largest error left at poses around the as-drawn one that are closed along all directions that count. More than
    the rank tolerance is not accuracy but a contradiction, and counts as 0: such a pose is open.
    """
    return _file_accuracy(model)


@found_once
def _file_accuracy(model: Model) -> float:
    functions = constraint_functions(model)
    if not functions.placed.nc:
        return 0.0
    ease, rounding = np.ones(model.nv), rank_tolerance(model)
    with np.errstate(all="ignore"):
        start, error = polished(functions, model.drawn[None], functions.error(model.drawn[None]), ease, np.inf)
        as_drawn = float(np.abs(error).max())
        if not as_drawn <= rounding:
            start, error = _least_error_of_any(functions, ease)
            as_drawn = 0.0  # nobody drew this pose: it may be a stretched one, whose error is its own
            if not np.abs(error).max() <= rounding:
                return 0.0
        steps = np.random.default_rng(0).uniform(-_SPREAD, _SPREAD, (_POSES + 1, model.nv))[1:]
        around = np.tile(start, (len(steps), 1))
        moved = model.integrate(around, _tangent(functions, around, steps))
        found, error = polished(functions, moved, functions.error(moved), ease, np.inf)
        closable = np.abs(_rows(functions, found, ease).closable(error)).max(axis=1)
        left = np.abs(error).max(axis=1)
    usable = (closable <= 1e-9) & (left <= rounding)
    return float(max(as_drawn, left[usable].max(initial=0.0)))


def _least_error_of_any(functions: ConstraintFunctions, ease: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(q, error) of one pose: the most closed of those found from the as-drawn one and from shaken ones."""
    drawn = functions.model.drawn[None]
    starts = np.concatenate([drawn, *(shaken(functions, drawn, ease, k) for k in range(len(SHAKES)))])
    found, error = polished(functions, *least_error(functions, starts, ease, _NEARLY), ease, _ALMOST)
    best = int(np.argmin(np.linalg.norm(error, axis=1)))
    return found[best : best + 1], error[best : best + 1]


def closed_enough(functions: ConstraintFunctions, q: np.ndarray, error: np.ndarray, tolerance: float) -> np.ndarray:
    """(B,) whether poses are closed to the tolerance, or to what the file allows."""
    largest = np.abs(error).max(axis=1, initial=0.0)
    closed = largest <= tolerance
    doubtful = np.flatnonzero(~closed & (largest <= rank_tolerance(functions.model)))
    if len(doubtful):
        allowed = _MARGIN * file_accuracy(functions.model)
        doubtful = doubtful[largest[doubtful] <= allowed]
    if len(doubtful):
        ease = np.ones(functions.model.nv)
        part = _rows(functions, q[doubtful], ease).closable(error[doubtful])
        closed[doubtful] = np.abs(part).max(axis=1) <= np.maximum(tolerance, _BESIDE * largest[doubtful])
    return closed


def settled(
    functions: ConstraintFunctions, q: np.ndarray, error: np.ndarray, ease: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """(q, error) with poses that are open by no more than the file's own digits closed along what counts."""
    largest = np.abs(error).max(axis=1, initial=0.0)
    doubtful = np.flatnonzero((largest > tolerance) & (largest <= rank_tolerance(functions.model)))
    if not len(doubtful) or not _MARGIN * file_accuracy(functions.model) > tolerance:
        return q, error
    tried, left = polished(functions, q[doubtful], error[doubtful], ease, np.inf)
    better = closed_enough(functions, tried, left, tolerance)
    q[doubtful[better]], error[doubtful[better]] = tried[better], left[better]
    return q, error


def polished(
    functions: ConstraintFunctions, q: np.ndarray, error: np.ndarray, ease: np.ndarray, largest: float
) -> tuple[np.ndarray, np.ndarray]:
    """(q, error) moved until nothing is left of the error along the directions that count, as far as rounding lets it.

    Plain Newton steps, for poses that are almost closed: those whose error is at most `largest`.
    """
    q, error = q.copy(), error.copy()
    before = np.full(len(q), np.inf)
    busy = np.flatnonzero(np.abs(error).max(axis=1, initial=0.0) <= largest)
    for _ in range(_STEPS):
        if not len(busy) or not ease.any():
            break
        rows = _rows(functions, q[busy], ease)
        part = np.abs(rows.closable(error[busy])).max(axis=1, initial=0.0)
        going = part < 0.5 * before[busy]  # rounding is reached where it no longer falls
        step = np.zeros((len(busy), functions.model.nv))
        step[:, ease > 0] = rows.removing(error[busy])
        going &= np.abs(step).max(axis=1, initial=0.0) < 1.0
        before[busy] = part
        busy, step = busy[going], step[going]
        q[busy] = functions.model.integrate(q[busy], step)
        error[busy] = functions.error(q[busy])
    return q, error


def _rows(functions: ConstraintFunctions, q: np.ndarray, ease: np.ndarray) -> IndependentRows:
    """Of the constraints that say where things should be, for the velocities that may move."""
    free = np.flatnonzero(ease > 0)
    J, M = functions.placed_jacobian(q)[:, :, free], functions.inertia(q)[:, free[:, None], free]
    return independent_rows(functions.model, J, M, functions.placed)


def _tangent(functions: ConstraintFunctions, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    rows = _rows(functions, q, np.ones(functions.model.nv))
    return v + rows.removing(np.einsum("bmn,bn->bm", functions.placed_jacobian(q), v))
