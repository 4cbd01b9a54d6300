"""Choosing mu, the penalty of each constraint row, so that users need not.

One number for a whole system is wrong: a finger and a leg differ by orders of magnitude in how easily they move. A
proximal iteration shrinks the error of a row by about mu times its scale (row_scales.py), so that product is what is
set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real

import numpy as np

from ..algorithms.constrained.lcaba import EliminatedGraph
from ..algorithms.convergence.lost_digits import OBLIQUE, lost_to_penalties
from ..algorithms.rows.constrained_problem import ConstrainedProblem
from ..algorithms.rows.row_scales import row_scales
from ..errors import InputError, unknown_name
from ..model import Model, tree_of
from ..model.found_once import found_once


@dataclass(frozen=True)
class Stiffness:
    """mu times the scale of a row.

    Each pass divides the residual of a direction by 1 + this times its scaled singular value squared, so more is
    faster, until digits are lost: about as many as mu has where penalties enter the inertias (LCABA and its kin,
    proxBBO at the roots of loops), far fewer where the Delassus matrix is damped. Measured in docs/closed-loops.md.

    counted     with the papers' iterations, of which there are as many as asked for, whatever they leave
    converged   with passes until all is right: fewer of them are worth a digit
    single      in single-precision arithmetic
    on_links    whether they enter the inertias of links, and must be softer where masses differ much
    """

    counted: float
    converged: float
    single: float
    on_links: bool = False

    def of(self, *, counted: bool, arithmetic: str) -> float:
        if arithmetic == "float32":
            return self.single
        return self.counted if counted else self.converged


# Digits that penalties may cost a typical pose (lost_digits.py); mechanisms whose masses differ much, a
# heavy load at the end of light links, get softer ones.
_BEARABLE_LOSS = 1e9
_SOFTEST = 1e4
# Penalties divide the residual of a direction by 1 + this at the rank tolerance, at the most.
_MOST_ON_DEPENDENT = 0.1
_POSES = 4
PRIMAL = Stiffness(1e6, 1e7, 1e3, on_links=True)
ROOTS = Stiffness(1e6, 1e6, 1e3)  # proxBBO
MIXED = Stiffness(1e6, 1e6, 1e3, on_links=True)
AUGMENTED = Stiffness(1e6, 1e5, 1e3)  # proxLTLs, which adds them to one matrix of all joints
DUAL = Stiffness(1e8, 1e8, 1e4)


def automatic_penalties(model: Model, stiffness: float = PRIMAL.counted) -> np.ndarray:
    """mu of every row: `stiffness` over its scale."""
    return stiffness / row_scales(model) if model.nc else np.zeros(0)


@found_once
def bearable_stiffness(model: Model, stiffness: float) -> float:
    """As much of a stiffness as leaves LCABA and its kin enough digits, by a few random poses."""
    tree, rng, zeros = tree_of(model), np.random.default_rng(0), [0.0] * model.nv
    mu, worst = automatic_penalties(model, stiffness).tolist(), 1.0
    with np.errstate(all="ignore"):
        for _ in range(_POSES):
            q = [float(x) for x in model.random_configuration(rng)]
            graph = EliminatedGraph(ConstrainedProblem(tree, q, zeros, zeros, mu=mu), [0.0] * model.nc)
            worst = max(worst, float(lost_to_penalties(tree, graph.IA, graph.joint, oblique=OBLIQUE)))
    return max(min(stiffness, stiffness * _BEARABLE_LOSS / worst), min(stiffness, _SOFTEST))


def softened(stiffness: float, rank_tolerance: float) -> float:
    """As much of it as hardly acts on directions that do not count, which must be taken back afterwards."""
    return min(stiffness, _MOST_ON_DEPENDENT / max(rank_tolerance, 1e-100) ** 2)


def penalties(model: Model, mu: object, stiffness: float = PRIMAL.counted) -> np.ndarray:
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
    if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(float(value)) or not float(value) > 0:
        raise InputError(
            f"mu of constraint {name!r} is {value!r}; a penalty must be a positive, finite number (or 'input', to give "
            f"it with each call)"
        )
    return float(value)
