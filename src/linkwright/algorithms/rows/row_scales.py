"""The scale of each constraint row, in which stiff and soft, dependent and independent are said for the whole library.

A row moves as easily as its Delassus entry says: d = J M^-1 J', a typical one over a few poses. Rows divided by
sqrt(d), in coordinates in which the inertia is one, have singular values that are small only where rows depend on one
another. A row that joints further in keep from moving (a hinge's axis in a planar linkage) has an entry that is
rounding, and must not be blown up to count like the others; so d is no less than a share of what it would be were the
row's bodies free.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...model import Model, Tree, tree_of
from ...model.found_once import found_once
from ...scalar import Scalar
from ...spatial import LDL, Force
from ..parts.motion_sweep import MotionSweep
from ..tree.crba import crba
from ..tree.ltl import ltl_factor, solve_LT, velocity_parents
from .constraint_jacobian import jacobian_of_rows
from .constraint_rows import ConstraintRows, constraint_rows
from .file_digits import file_digits

# Directions of the constraints with a smaller scaled singular value are dependent, by the precision of the arithmetic.
RANK_TOLERANCE = {"float64": 1e-5, "float32": 1e-3}
# A file whose digits leave its loops open by this much has rows that are dependent only to some multiple of it.
_DIGITS_MARGIN = 10.0
_DEPENDENT_MARGIN = 3.0  # of the singular values that digits are seen to give to dependent rows
_POSES = 4
_SHARE_OF_FREE = 0.1
_REGULARIZATION = 1e-9  # of composite inertias: massless ends of links


@found_once
def rank_tolerance(model: Model, precision: str = "float64") -> float:
    """The rank tolerance for this model: larger than usual where its own numbers are given with few digits."""
    return max(largest_dependent(model, precision), _DIGITS_MARGIN * file_digits(model).open)


def largest_dependent(model: Model, precision: str = "float64") -> float:
    """The largest singular value of rows that depend on one another but for digits of the file; less than the rank
    tolerance where loops are open by more than such digits explain."""
    return max(RANK_TOLERANCE[precision], _DEPENDENT_MARGIN * file_digits(model).dependent)


@found_once
def row_scales(model: Model) -> np.ndarray:
    """d of every row: averaged (geometrically) over a few random poses."""
    rng = np.random.default_rng(0)
    logs = [0.0] * model.nc
    for _ in range(_POSES):
        q = [float(x) for x in model.random_configuration(rng)]
        for k, d in enumerate(_scales_at(tree_of(model), q)):
            logs[k] += math.log(d) / _POSES
    scales = np.array([math.exp(x) for x in logs])
    scales.flags.writeable = False
    return scales


def _scales_at(tree: Tree, q: Sequence[Scalar]) -> list[float]:
    zeros = [0.0] * tree.nv
    sweep = MotionSweep(tree, q, zeros)
    rows = constraint_rows(tree, sweep, q, zeros)
    parents = velocity_parents(tree)
    L = ltl_factor(crba(tree, q), parents)
    moving = [sum(float(x) ** 2 for x in solve_LT(L, parents, row)) for row in jacobian_of_rows(tree, sweep, rows)]
    free = _free_entries(tree, sweep, rows)
    moving = [x if math.isfinite(x) else 0.0 for x in moving]
    d = [max(own, _SHARE_OF_FREE * loose) for own, loose in zip(moving, free, strict=True)]
    least = max(1e-12 * max(d, default=0.0), 1e-300)
    return [max(x, least) for x in d]


def _free_entries(tree: Tree, sweep: MotionSweep, rows: Sequence[ConstraintRows]) -> list[float]:
    """The rows' Delassus entries were each of their bodies free, with all it carries frozen: K Ic^-1 K'."""
    composite = [inertia.articulated() for inertia in tree.inertia]
    for i in tree.inward():
        p = tree.parent[i]
        composite[p] = composite[p] + sweep.X[i].congruence(composite[i])
    result: list[float] = []
    for c in rows:
        sums = [0.0] * c.size
        for body, K in c.terms:
            if not body:
                continue
            inertia = [[float(composite[body][r, s]) for s in range(6)] for r in range(6)]
            largest = max(inertia[k][k] for k in range(6))
            if not largest > 0.0:
                continue
            g = [1.0 / math.sqrt(max(inertia[k][k], 1e-12 * largest)) for k in range(6)]  # unit diagonal
            scaled = [[inertia[r][s] * g[r] * g[s] for s in range(6)] for r in range(6)]
            factor = LDL([[x + _REGULARIZATION * (r == s) for s, x in enumerate(row)] for r, row in enumerate(scaled)])
            for k, row in enumerate(K):
                sums[k] += _energy(factor, row, g)
        result += sums
    return result


def _energy(factor: LDL, row: Force, g: Sequence[Scalar]) -> float:
    scaled = [float(x) * w for x, w in zip(row, g, strict=True)]
    return sum(x * y for x, y in zip(scaled, factor.solve(scaled), strict=True))
