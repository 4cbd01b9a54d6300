"""How far open the digits of a file leave its loops: as drawn, or if that pose is not closed, at one found from there.

Its own small search, in fixed order: what it finds decides which rows count, and with that programs, which are to be
the same on every processor. (assembly/ closes poses for users, by compiled functions.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ... import fixed_order
from ...model import Model, Tree, tree_of
from ...model.configuration import integrate
from ...model.found_once import found_once
from ..parts.motion_sweep import MotionSweep
from . import constraints_at
from .constraint_jacobian import jacobian_of_rows
from .constraint_rows import constraint_rows

LARGEST_ROUNDING = 1e-3  # m, rad: more is not rounding but a pose that nobody closed, or one that nobody can
_FINE = 1e-6  # what is left does not matter below this
_STEPS = 100
_DIFFERENCE, _DEAR = 1e-7, 10  # steps with derivatives by differences are dear: no more than so many
_NEAR = 1e-2  # an error up to which J is as good
_FLAT = 1e-3  # what motion lowers of an error that no motion lowers, of this size
_LONGEST_STEP = 0.3  # rad, m
_DAMPING = 1e-2  # of the squared error, at first; it falls after good steps and grows after bad ones
_DOWN, _UP, _LEAST, _GIVE_UP = 0.2, 8.0, 1e-10, 1e8
_HARDLY, _PATIENCE = 0.99, 4  # so many steps in a row that leave this share of the error are the last


@found_once
def left_open(model: Model) -> float:
    """The largest error (m, rad) of any row, one digit of it where it had to be looked for; 0 where there is no closed
    pose to be found, or where that is closed to a millionth."""
    if not model.nc:
        return 0.0
    tree, q = tree_of(model), [float(x) for x in model.drawn]
    largest = _largest(_errors(tree, q))
    if largest <= LARGEST_ROUNDING:
        return largest
    q = _closed(tree, q)
    error = _errors(tree, q)
    largest = _largest(error)
    if not _FINE < largest <= LARGEST_ROUNDING:
        return 0.0
    slope = fixed_order.norm(fixed_order.product(_jacobian(tree, q).T, error))
    return rounded_up(largest) if slope <= _FLAT * fixed_order.norm(error) else 0.0  # else the search just ended


def _closed(tree: Tree, q: Sequence[float]) -> list[float]:
    """Levenberg and Marquardt's method from q on, to a pose of least error."""
    error, damping, slow, dear, doubtful = _errors(tree, q), _DAMPING, 0, 0, False
    for _ in range(_STEPS):
        size = fixed_order.norm(error)
        hopeless = damping > _GIVE_UP or slow >= _PATIENCE or dear > _DEAR or not math.isfinite(size)
        if hopeless or _largest(error) <= 0.1 * _FINE:
            break
        exact = doubtful and size > _NEAR
        J = _differences(tree, q) if exact else _jacobian(tree, q)
        dear += exact
        normal = fixed_order.product(J, J.T)
        rounding = 1e-14 * max(float(np.diag(normal).max(initial=0.0)), 1e-300)
        normal[np.diag_indices(len(normal))] += damping * size**2 + rounding
        step = -fixed_order.product(J.T, fixed_order.solve_positive_definite(normal, error))
        step *= min(1.0, _LONGEST_STEP / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        moved = [float(x) for x in integrate(tree.model, q, step.tolist())]
        found = _errors(tree, moved)
        after = fixed_order.norm(found)
        if after < size:
            slow = slow + 1 if after > _HARDLY * size else 0
            q, error, damping = moved, found, max(damping * _DOWN, _LEAST)
        else:
            damping *= _UP
            doubtful = True
    return list(q)


def _errors(tree: Tree, q: Sequence[float]) -> np.ndarray:
    """Of all rows; zero of those that do not say where."""
    errors: list[float] = []
    for held in constraints_at(tree, q, MotionSweep(tree, q, [0.0] * tree.nv).X):
        errors.extend(map(float, held.error()) if held.constraint.has_position else [0.0] * held.constraint.size)
    return np.array(errors)


def _jacobian(tree: Tree, q: Sequence[float]) -> np.ndarray:
    zeros = [0.0] * tree.nv
    sweep = MotionSweep(tree, q, zeros)
    rows = jacobian_of_rows(tree, sweep, constraint_rows(tree, sweep, q, zeros))
    return np.array([[float(x) for x in row] for row in rows])


def _differences(tree: Tree, q: Sequence[float]) -> np.ndarray:
    """The derivative of the errors wherever they are not zero, where J is not quite that."""
    here, columns = _errors(tree, q), []
    for k in range(tree.nv):
        step = [_DIFFERENCE * (i == k) for i in range(tree.nv)]
        columns.append((_errors(tree, [float(x) for x in integrate(tree.model, q, step)]) - here) / _DIFFERENCE)
    return np.array(columns).T


def _largest(errors: np.ndarray) -> float:
    return float(np.abs(errors).max(initial=0.0))


def rounded_up(x: float) -> float:
    """To one digit: the last bits of a search are nobody's."""
    power = 10.0 ** math.floor(math.log10(x))
    return math.ceil(x / power) * power
