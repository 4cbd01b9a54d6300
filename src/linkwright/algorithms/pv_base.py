"""PV with the multipliers eliminated before a floating base: [Sathya2024] eq. (49) in place of (47).

Branches that meet only at the base do not couple before it, so the Delassus matrix L_b of everything but the base's own
joint is block-diagonal. Factoring its blocks and a 6x6 system at the base costs less than one dense L. It needs L_b to
be invertible: each limb must be able to do by itself all that its constraints ask for. A quadruped whose foot is welded
cannot (three joints, six rows); `base_is_separable` finds out, and `pv_auto` then falls back to eq. (47).

A limb that can in general may still be unable to at some poses (a straight leg). There the row it cannot move gets a
compliance of 1e-7 of what it has with the base: accelerations err by about 1e-7 of what the row changes, and its pivot
is zero. Eq. (47) has no such poses.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from ..model import Model, Tree
from ..scalar import Scalar, maximum, reciprocal, where
from ..spatial import LDL, sum_of
from .aba import accelerate, articulate
from .articulation import Articulation
from .constrained_problem import ConstrainedProblem, Solution
from .pv import Passing, dual_system, propagate_rows, pv

# L_b, scaled to a unit diagonal, counts as singular when its condition number exceeds this at any of a few poses. Later
# accuracy is lost in proportion to it.
LARGEST_CONDITION = 1e9
# The least compliance of a row before the base, relative to that with the base: of sixteen digits it leaves nine.
SOFTNESS = 1e-7
_POSES = 5

_measured: WeakKeyDictionary[Model, tuple[bool, list[float]]] = WeakKeyDictionary()


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
    floors = _measure(tree.model)[1]
    blocks = [
        (rows, FlooredLDL([[L[r][s] for s in rows] for r in rows], [floors[r] for r in rows]))
        for rows in groups_of_rows(passing, len(l))
    ]
    pivots = [pivot for _, factor in blocks for pivot in factor.pivots]

    y = list(y)
    for b, through in through_base.items():
        f = [t - p for t, p in zip(problem.tau[tree.iv[b]], joint[b].S.project(pA[b]), strict=True)]
        y[b], base_pivots = _base_acceleration(joint[b], f, through, blocks, l)
        pivots += base_pivots
        for r, ks in zip(through.rows, through.KS, strict=True):  # what eq. (46) needs: K_b a_b + l_b
            l[r] = l[r] + _dot(ks, y[b])
    lam: list[Scalar] = [0.0] * len(l)
    for rows, factor in blocks:
        for r, x in zip(rows, factor.solve([l[r] for r in rows]), strict=True):
            lam[r] = x
    for i, through in passing.items():
        for r, solved in zip(through.rows, through.solved, strict=True):
            y[i] = [x - s * lam[r] for x, s in zip(y[i], solved, strict=True)]
    a, change = accelerate(tree, problem.sweep, joint, y)
    residuals = [r for c in problem.constraints for r in c.residual(change)]
    return Solution(a, lam, residuals, 1.0, pivots)


def _sweep_inward(problem: ConstrainedProblem):
    """PV's sweep, and the wrenches pA it ends with."""
    tree, sweep = problem.tree, problem.sweep
    IA, pA = [inertia.articulated() for inertia in tree.lumped], list(problem.wrenches)
    joint, y = articulate(tree, sweep, IA, pA, problem.tau)
    return joint, y, pA, propagate_rows(tree, sweep, joint, [(body, row) for body, row, _ in problem.rows])


class FlooredLDL(LDL):
    """A factorization in which no pivot is below its floor; `pivots` holds zero where one was."""

    __slots__ = ()

    def __init__(self, A, floors: list[float]):
        n = len(A)
        self.L: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
        self.pivots, self.inverse_pivots = [], []
        used: list[Scalar] = []
        for c in range(n):
            scaled = [self.L[c][k] * used[k] for k in range(c)]
            pivot = A[c][c]
            for k in range(c):
                pivot = pivot - self.L[c][k] * scaled[k]
            used.append(maximum(pivot, floors[c]))
            self.pivots.append(where(pivot > floors[c], pivot, 0.0))
            self.inverse_pivots.append(reciprocal(used[c]))
            for r in range(c + 1, n):
                entry = A[r][c]
                for k in range(c):
                    entry = entry - self.L[r][k] * scaled[k]
                self.L[r][c] = entry * self.inverse_pivots[c]


def _base_acceleration(
    joint: Articulation, f: list[Scalar], through: Passing, blocks, l
) -> tuple[list[Scalar], list[Scalar]]:
    """Eq. (49): (H + K' L^-1 K)^-1 (f - K' L^-1 l), along the directions of the base's joint.

    With half a solve, L_b = C Delta C', the products K' L^-1 K need C^-1 K only.
    """
    n = len(f)
    H = [joint.S.project(column) for column in joint.U]
    for k in range(n):
        H[k][k] = H[k][k] + joint.R[k]
    position = {r: k for k, r in enumerate(through.rows)}
    for rows, factor in blocks:
        if rows[0] not in position:
            continue
        columns = [factor.forward([through.KS[position[r]][k] for r in rows]) for k in range(n)]
        right = factor.forward([l[r] for r in rows])
        for a in range(n):
            scaled = factor.scaled(columns[a])
            for b in range(a + 1):
                H[a][b] = H[a][b] + _dot(scaled, columns[b])
            f[a] = f[a] - _dot(scaled, right)
    factor = LDL(H)
    return factor.solve(f), factor.pivots


def floating_bases(tree: Tree) -> list[int]:
    """Constrained mechanisms' free-flyers on the ground."""
    carriers = {i for bodies in tree.constraint_bodies for i in tree.graph.support[bodies[0]]}
    return [i for i in sorted(carriers) if tree.parent[i] == 0 and tree.model.bodies[i].joint.kind == "free_flyer"]


def groups_of_rows(passing: dict[int, Passing], count: int) -> list[list[int]]:
    """Rows that some joint couples, directly or through others: the diagonal blocks of L."""
    group = list(range(count))
    for through in passing.values():
        merged = {group[r] for r in through.rows}
        group = [min(merged) if g in merged else g for g in group]
    return [[r for r in range(count) if group[r] == g] for g in sorted(set(group))]


def base_is_separable(tree: Tree) -> bool:
    """Whether L_b is invertible: by its condition number at a few random poses. Remembered per model."""
    return _measure(tree.model)[0]


def _measure(model: Model) -> tuple[bool, list[float]]:
    """(whether L_b is invertible, the floor of each row's pivot)."""
    if model not in _measured:
        tree = Tree(model, choose_cheap_frames=False)  # the same in all frames
        zeros = [0.0] * model.nv
        q = list(model.random_configuration(np.random.default_rng(0), _POSES).T)  # a scalar is one number per pose
        with np.errstate(all="ignore"):
            problem = ConstrainedProblem(tree, q, zeros, zeros)
            _, y, _, passing = _sweep_inward(problem)
            whole = _numbers(dual_system(problem, y, passing)[0])
            for b in floating_bases(tree):
                passing.pop(b)
            L = _numbers(dual_system(problem, y, passing)[0])
        separable = all(
            condition(sample[np.ix_(rows, rows)]) < LARGEST_CONDITION
            for rows in groups_of_rows(passing, model.nc)
            for sample in L
        )
        floors = SOFTNESS * np.median(np.diagonal(whole, axis1=1, axis2=2), axis=0)
        _measured[model] = separable, floors.tolist()
    return _measured[model]


def _numbers(L: list[list[Scalar]]) -> np.ndarray:
    """(poses, rows, rows)."""
    n = len(L)
    entries = [np.broadcast_to(np.asarray(x, dtype=float), _POSES) for row in L for x in row]
    return np.stack(entries, axis=-1).reshape(_POSES, n, n) if n else np.zeros((_POSES, 0, 0))


def condition(matrix: np.ndarray) -> float:
    """Of a positive semidefinite matrix scaled to a unit diagonal; infinite if it is singular."""
    diagonal = np.diag(matrix)
    if not np.all(np.isfinite(matrix)) or np.any(diagonal <= 0):
        return np.inf
    scale = 1 / np.sqrt(diagonal)
    values = np.linalg.eigvalsh(matrix * np.outer(scale, scale))
    return float(values[-1] / values[0]) if values[0] > 0 else np.inf


def _dot(a, b) -> Scalar:
    return sum_of(x * z for x, z in zip(a, b, strict=True))
