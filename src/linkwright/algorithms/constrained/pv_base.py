"""PV with the multipliers eliminated before a floating base: [Sathya2024] eq. (49) in place of (47),
Algorithm 1, lines 13, 14.

Branches that meet only at the base do not couple before it, so the Delassus matrix L_b of everything but the base's own
joint is block-diagonal. Factoring its blocks and a 6x6 system at the base costs less than one dense L. It needs L_b to
be invertible: each limb must be able to do by itself all that its constraints ask for. A quadruped whose foot is welded
cannot (three joints, six rows); `base_is_separable` finds out, and `pv_auto` then falls back to eq. (47). A limb that
can in general may still be unable to at some poses (a straight leg): `separated_base.py`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model import Model, Tree
from ...model.found_once import found_once
from ...scalar import Scalar, maximum, minimum, sqrt, where
from ...spatial import RowVector
from ...spatial.partial_factorization import WEAKEST
from ..convergence.hard_multipliers import hard_multipliers
from ..convergence.lost_digits import lost_to_free_accelerations, usually_lost_to_masses
from ..parts.articulation import Articulation
from ..rows.constrained_problem import ConstrainedProblem, Solution
from ..rows.passing_rows import Passing, propagate_rows
from ..rows.random_poses import numbers, rows_at_random_poses
from ..rows.row_scales import row_scales
from ..tree.aba import accelerate, articulate
from .pv import dual_system, pv
from .separated_base import Block, SeparatedBase

# L_b, scaled to a unit diagonal, counts as singular when its condition number exceeds this at any of a few poses. Later
# accuracy is lost in proportion to it.
LARGEST_CONDITION = 1e9


def pv_auto(problem: ConstrainedProblem) -> Solution:
    """Eq. (49) where the mechanism has a floating base that allows it, else eq. (47)."""
    tree = problem.tree
    return pv_with_base_last(problem) if floating_bases(tree) and base_is_separable(tree) else pv(problem)


def pv_with_base_last(problem: ConstrainedProblem) -> Solution:
    """Eq. (49) and (46), whether or not L_b is invertible: ask `base_is_separable` first."""
    tree = problem.tree
    joint, y, pA, passing = _sweep_inward(problem)
    through_base = {i: passing.pop(i) for i in floating_bases(tree)}
    L, l = dual_system(problem, y, passing)
    for r, idle in enumerate(problem.idle):
        L[r][r] = L[r][r] + idle
    pivots: list[Scalar] = []
    weakest: Scalar = 1.0
    free_size = RowVector(abs(x) for own in y for x in own).largest
    y, lam = list(y), [0.0] * len(l)
    beside = set(range(len(l)))  # rows of mechanisms that do not float
    for b, through in through_base.items():
        f = problem.tau[tree.iv[b]] - joint[b].S.project(pA[b])
        K = dict(zip(through.rows, through.KS, strict=True))
        base = SeparatedBase(L, K, base_inertia(joint[b]), blocks_of(tree, passing, through.rows))
        x, y[b], doubt = base.solve(l, f, problem.weakest)  # Algorithm 1, lines 13, 14: eq. (49), (46)
        for r, multiplier in x.items():
            lam[r] = multiplier
        pivots += [*base.pivots, where(doubt > 0.0, 0.0, 1.0)]
        weakest = minimum(weakest, base.weakest)
        beside -= set(through.rows)
    if beside:
        rows = sorted(beside)
        multipliers, pivot, least, _ = hard_multipliers(tree.model, L, l, rows, problem.weakest)
        weakest = minimum(weakest, least)
        for r, multiplier in zip(rows, multipliers, strict=True):
            lam[r] = multiplier
        pivots.append(pivot)
    for i, through in passing.items():
        for r, solved in zip(through.rows, through.solved, strict=True):
            y[i] = y[i] - solved * lam[r]
    a, change = accelerate(tree, problem.sweep, joint, y)
    residuals = list(problem.residuals(change))
    free = lost_to_free_accelerations(free_size, a, sqrt(maximum(weakest, WEAKEST)))
    return Solution(a, lam, residuals, 1.0, pivots, lost=maximum(usually_lost_to_masses(tree.model), free))


def _sweep_inward(problem: ConstrainedProblem):
    """PV's sweep, and the wrenches pA it ends with."""
    tree, sweep = problem.tree, problem.sweep
    IA, pA = [inertia.articulated() for inertia in tree.lumped], list(problem.wrenches)
    joint, y = articulate(tree, sweep, IA, pA, problem.tau)
    return joint, y, pA, propagate_rows(tree, sweep, joint, [(body, row) for body, row, _ in problem.rows])


def base_inertia(joint: Articulation) -> list[list[Scalar]]:
    """H along the directions of the base's joint."""
    H = [list(joint.S.project(column)) for column in joint.U]
    for k, R in enumerate(joint.R):
        H[k][k] = H[k][k] + R
    return H


def blocks_of(tree: Tree, passing: dict[int, Passing], rows: Sequence[int]) -> list[Block]:
    """The blocks of L_b that some rows fall into, a third of them spare: of a point one row, of a weld two."""
    sizes = row_scales(tree.model).tolist()
    return [
        Block(group, max(1, len(group) // 3), [sizes[r] for r in group])
        for group in groups_of_rows(passing, len(sizes))
        if group[0] in rows
    ]


def floating_bases(tree: Tree) -> list[int]:
    """Constrained mechanisms' free-flyers on the ground."""
    carriers = {i for bodies in tree.constraint_bodies for i in tree.graph.support[bodies[0]]}
    return [i for i in sorted(carriers) if tree.parent[i] == 0 and tree.joint[i].is_free]


def groups_of_rows(passing: dict[int, Passing], count: int) -> list[list[int]]:
    """Rows that some joint couples, directly or through others: the diagonal blocks of L."""
    group = list(range(count))
    for through in passing.values():
        merged = {group[r] for r in through.rows}
        group = [min(merged) if g in merged else g for g in group]
    return [[r for r in range(count) if group[r] == g] for g in sorted(set(group))]


def base_is_separable(tree: Tree) -> bool:
    """Whether L_b is invertible: by its condition number at a few random poses."""
    return _separable(tree.model)


@found_once
def _separable(model: Model) -> bool:
    with np.errstate(all="ignore"):
        problem, y, passing = rows_at_random_poses(model)
        for b in floating_bases(problem.tree):
            passing.pop(b)
        L = numbers(dual_system(problem, y, passing)[0])
    return all(
        condition(sample[np.ix_(rows, rows)]) < LARGEST_CONDITION
        for rows in groups_of_rows(passing, model.nc)
        for sample in L
    )


def condition(matrix: np.ndarray) -> float:
    """Of a positive semidefinite matrix scaled to a unit diagonal; infinite if it is singular."""
    diagonal = np.diag(matrix)
    if not np.all(np.isfinite(matrix)) or np.any(diagonal <= 0):
        return np.inf
    scale = 1 / np.sqrt(diagonal)
    values = np.linalg.eigvalsh(matrix * np.outer(scale, scale))
    return float(values[-1] / values[0]) if values[0] > 0 else np.inf

