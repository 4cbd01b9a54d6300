"""How many digits of its rows a file leaves: how far open loops are at best, and how nearly rows depend on one another.

A drawn pose that is open may just not have been closed by whoever drew it, so its error says little: a pose is looked
for that is closed. Even that may hide digits, as hinges whose axes are off close where all angles are zero. They show
where rows are almost dependent: at a singular pose of independent rows, or because the file's digits spoil dependent
ones. What is dependent but for digits lets the mechanism move on along it, staying closed to those digits; so moving
on tells one from the other, and how far open it is there tells how many digits there are.

Its own small search, in fixed order: what it finds decides which rows count, and with that programs, which are to be
the same on every processor. (assembly/ closes poses for users, by compiled functions.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ... import fixed_order
from ...model import Model, Tree, tree_of
from ...model.configuration import difference, integrate
from ...model.found_once import found_once
from ..parts.motion_sweep import MotionSweep
from ..tree.crba import crba
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
_SURELY_INDEPENDENT, _SURELY_DEPENDENT = 1e-2, 1e-6  # scaled singular values; between, digits may have made them
_MOVES, _MOVED = 4, 0.5  # ways on that are tried, and the share of one that must be left for the mechanism to move so
_CLOSINGS, _SETTLED = 12, 1e-11  # steps to a closed pose, and the error of sure rows there
_CLOSED, _MET = 1e-9, 1e-3  # an error that is none, and the share of one that is left where it can be met
_MASSLESS = 1e-9  # of the largest inertia: what velocities without inertia are given
_DOWN, _UP, _LEAST, _GIVE_UP = 0.2, 8.0, 1e-10, 1e8
_HARDLY, _PATIENCE = 0.99, 4  # so many steps in a row that leave this share of the error are the last


@dataclass(frozen=True)
class FileDigits:
    """open       the largest error (m, rad) of any row that digits leave, one digit of it; 0 where loops close to a
               millionth, or where no pose closes them
    dependent  the scaled singular value that digits give to rows that depend on one another; 0 where they give none
    """

    open: float
    dependent: float


@found_once
def file_digits(model: Model) -> FileDigits:
    if not model.nc:
        return FileDigits(0.0, 0.0)
    tree, q = tree_of(model), [float(x) for x in model.drawn]
    error = _errors(tree, q)
    left = 0.0
    if _largest(error) > _FINE:
        q = _closed(tree, q)
        error = _errors(tree, q)
        left = _largest(error)
        if left > LARGEST_ROUNDING:
            return FileDigits(0.0, 0.0)
        slope = fixed_order.norm(fixed_order.product(_jacobian(tree, q).T, error))
        flat = slope <= _FLAT * fixed_order.norm(error)
        left = left if flat and left > _FINE else 0.0  # else the search just ended
    around, dependent = _moved_on(tree, q)
    left = max(left, around)
    return FileDigits(rounded_up(left) if left > _FINE else 0.0, dependent)


def _moved_on(tree: Tree, q: Sequence[float]) -> tuple[float, float]:
    """(error, singular value) that dependent rows have by digits, as the mechanism moves on; zeros if none are."""
    here = _SureRows(tree, q)
    if not here.doubtful:
        return 0.0, 0.0
    rng, found = np.random.default_rng(0), []
    for _ in range(_MOVES):
        step = here.along(rng.normal(size=tree.nv))
        longest = float(np.abs(step).max(initial=0.0))
        if not longest > 0.0:
            continue
        step *= _LONGEST_STEP / longest
        there = [float(x) for x in integrate(tree.model, q, step.tolist())]
        there, error, rows = _closed_where_sure(tree, there)
        stays = _largest(rows.sure(error)) <= _SETTLED and _largest(error) <= LARGEST_ROUNDING
        if stays and _is_away(tree, q, there, step) and not _closes_there(tree, q, there, step, error):
            found.append((_largest(error), rows.doubtful))
    if not found:
        return 0.0, 0.0
    left = max(error for error, _ in found)
    return left, float(np.sort([here.doubtful, *(value for _, value in found)])[(len(found) + 1) // 2])


def _is_away(tree: Tree, q: Sequence[float], there: Sequence[float], step: np.ndarray) -> bool:
    """Whether much of a step from q is left."""
    way = [float(x) for x in difference(tree.model, q, there)]
    return fixed_order.dot(way, step) >= _MOVED * fixed_order.dot(step, step)


def _closes_there(
    tree: Tree, q: Sequence[float], there: Sequence[float], step: np.ndarray, error: np.ndarray
) -> bool:  # fmt: skip
    """Whether all rows can be met near by: then those that were not sure are weak there, and not dependent."""
    largest = _largest(error)
    if largest <= _CLOSED:
        return True
    closed = _closed(tree, there, enough=max(_MET * largest, 0.1 * _CLOSED))
    return _largest(_errors(tree, closed)) <= max(10.0 * _MET * largest, _CLOSED) and _is_away(tree, q, closed, step)


def _closed_where_sure(tree: Tree, q: list[float]) -> tuple[list[float], np.ndarray, _SureRows]:
    """(pose, error, rows) closed along rows that are surely independent."""
    for _ in range(_CLOSINGS):
        rows, error = _SureRows(tree, q), _errors(tree, q)
        if _largest(rows.sure(error)) <= _SETTLED or not np.isfinite(error).all():
            break
        step = rows.removing(error)
        step *= min(1.0, _LONGEST_STEP / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        q = [float(x) for x in integrate(tree.model, q, step.tolist())]
    return q, _errors(tree, q), _SureRows(tree, q)


class _SureRows:
    """The rows at a pose, scaled, in coordinates in which the inertia is one: a choice of those that are surely
    independent, and by how much the others are so.

    doubtful   the largest length that is left of another row, if that is more than rounding; 0 if it is none
    """

    def __init__(self, tree: Tree, q: Sequence[float]):
        from .row_scales import row_scales  # it needs this file

        M = np.array([[float(x) for x in row] for row in crba(tree, q)])
        M[np.diag_indices(len(M))] += _MASSLESS * float(np.diag(M).max(initial=0.0)) or 1.0
        self._factor = fixed_order.CholeskyFactor(M).L
        self._root = np.sqrt(row_scales(tree.model))
        columns = fixed_order.PivotedColumns(
            _forward(self._factor, (_jacobian(tree, q) / self._root[:, None]).T), _SURELY_DEPENDENT
        )
        lengths = [float(columns.R[k, c]) for k, c in enumerate(columns.order)]
        count = sum(x > _SURELY_INDEPENDENT for x in lengths)
        self.doubtful = max(lengths[count:], default=0.0)
        self._chosen, self._Q = columns.order[:count], columns.Q[:, :count]
        self._R = columns.R[:count][:, self._chosen]

    def sure(self, error: np.ndarray) -> np.ndarray:
        return error[self._chosen]

    def along(self, v: np.ndarray) -> np.ndarray:
        """v without what the chosen rows notice."""
        y = fixed_order.product(self._factor.T, v)
        for _ in range(2):
            y = y - fixed_order.product(self._Q, fixed_order.product(self._Q.T, y))
        return _backward(self._factor, y)

    def removing(self, error: np.ndarray) -> np.ndarray:
        """The motion, least in kinetic energy, that takes the error from the chosen rows."""
        z = _forward(self._R.T, -self.sure(error) / self._root[self._chosen])
        return _backward(self._factor, fixed_order.product(self._Q, z))


def _forward(L: np.ndarray, b: np.ndarray) -> np.ndarray:
    """L^-1 b of a lower triangle, for a vector or for columns."""
    x = np.array(b, dtype=float)
    for k in range(len(L)):
        x[k] = x[k] / L[k, k]
        x[k + 1 :] -= np.multiply.outer(L[k + 1 :, k], x[k])
    return x


def _backward(L: np.ndarray, b: np.ndarray) -> np.ndarray:
    """L'^-1 b of a lower triangle."""
    x = np.array(b, dtype=float)
    for k in reversed(range(len(L))):
        x[k] = x[k] / L[k, k]
        x[:k] -= L[k, :k] * x[k]
    return x


def _closed(tree: Tree, q: Sequence[float], enough: float = 0.1 * _FINE) -> list[float]:
    """Levenberg and Marquardt's method from q on, to a pose of least error, or of no more than is enough."""
    error, damping, slow, dear, doubtful = _errors(tree, q), _DAMPING, 0, 0, False
    for _ in range(_STEPS):
        size = fixed_order.norm(error)
        hopeless = damping > _GIVE_UP or slow >= _PATIENCE or dear > _DEAR or not math.isfinite(size)
        if hopeless or _largest(error) <= enough:
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
