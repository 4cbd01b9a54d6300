"""Choosing mu, the penalty of each constraint row, so that users need not.

One number for a whole system is wrong: a finger and a leg differ by orders of magnitude in how easily they move. A
proximal iteration shrinks the error of a row by about mu times its Delassus entry, so that product is what is set.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from numbers import Real

import numpy as np

from ..algorithms.constrained_ltl import closure_jacobian
from ..algorithms.constraint_rows import constraint_rows
from ..algorithms.crba import crba
from ..algorithms.motion_sweep import MotionSweep
from ..errors import InputError, unknown_name
from ..model import Model, tree_of

# mu times the diagonal of the Delassus matrix. Each iteration divides the error of a combination of rows by 1 + mu
# times its eigenvalue, so more is faster, until digits are lost: about as many as mu has where penalties enter the
# inertias (LCABA and its kin, proxBBO at the roots of loops), far fewer where the Delassus matrix is damped. Measured
# in docs/closed-loops.md.
PRIMAL = 1e6
DUAL = 1e8
# Rows that hardly move anywhere (constraints on what is immovable anyway) are not made stiffer than this, relatively.
_SMALLEST_SHARE = 1e-6
_POSES = 4


def automatic_penalties(model: Model, stiffness: float = PRIMAL) -> np.ndarray:
    """mu of every row: `stiffness` over its Delassus entry, averaged (geometrically) over a few random poses."""
    return stiffness / _typical_delassus_diagonal(model) if model.nc else np.zeros(0)


@functools.lru_cache(maxsize=32)
def _typical_delassus_diagonal(model: Model) -> np.ndarray:
    tree = tree_of(model)
    rng = np.random.default_rng(0)
    logs = []
    for _ in range(_POSES):
        q = model.random_configuration(rng)
        M = np.array(crba(tree, q), dtype=float)
        sweep = MotionSweep(tree, q, [0.0] * model.nv)
        J = np.array(closure_jacobian(tree, sweep, constraint_rows(tree, sweep, q, [0.0] * model.nv)), dtype=float)
        diagonal = np.einsum("ij,ji->i", J, np.linalg.lstsq(M, J.T, rcond=None)[0])
        logs.append(np.log(np.maximum(diagonal, _SMALLEST_SHARE * max(float(diagonal.max()), 1e-300))))
    typical = np.exp(np.mean(logs, axis=0))
    typical.flags.writeable = False
    return typical


def penalties(model: Model, mu: object, stiffness: float = PRIMAL) -> np.ndarray:
    """mu of every row: as given (a number, or numbers by constraint name), as the constraints say, else automatic."""
    by_name = dict(mu) if isinstance(mu, Mapping) else {}
    names = [c.name for c in model.constraints]
    for name in by_name:
        if name not in names:
            raise unknown_name("constraint", name, names)
    chosen = np.full(model.nc, np.nan)
    start = 0
    for c in model.constraints:
        rows = slice(start, start + c.size)
        start += c.size
        if c.mu is not None:
            chosen[rows] = c.mu
        value = by_name.get(c.name, None if isinstance(mu, Mapping) else mu)
        if value is not None:
            chosen[rows] = _positive(value, c.name)
    unsaid = np.isnan(chosen)
    return np.where(unsaid, automatic_penalties(model, stiffness), chosen) if unsaid.any() else chosen


def _positive(value: object, name: str) -> float:
    if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(value) or not value > 0:
        raise InputError(
            f"mu of constraint {name!r} is {value!r}; a penalty must be a positive, finite number (or 'input', to give "
            f"it with each call)"
        )
    return float(value)
