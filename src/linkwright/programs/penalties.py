"""Choosing mu, the penalty of each constraint row, so that users need not.

One number for a whole system is wrong: a finger and a leg differ by orders of magnitude in how easily they move. A
proximal iteration shrinks the error of a row by about mu times its scale (row_scales.py), so that product is what is set.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real

import numpy as np

from ..errors import InputError, unknown_name
from ..model import Model
from .row_scales import row_scales

# mu times the scale of a row, by the precision of the arithmetic. Each pass divides the residual of a direction by 1 + this
# times its scaled singular value squared, so more is faster, until digits are lost: about as many as mu has where penalties
# enter the inertias (LCABA and its kin, proxBBO at the roots of loops), far fewer where the Delassus matrix is damped.
# Measured in docs/closed-loops.md.
PRIMAL = {"float64": 1e7, "float32": 1e3}
DUAL = {"float64": 1e8, "float32": 1e4}


def automatic_penalties(model: Model, stiffness: float = PRIMAL["float64"]) -> np.ndarray:
    """mu of every row: `stiffness` over its scale."""
    return stiffness / row_scales(model) if model.nc else np.zeros(0)


def penalties(model: Model, mu: object, stiffness: float = PRIMAL["float64"]) -> np.ndarray:
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
