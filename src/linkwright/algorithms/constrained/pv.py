"""Popov-Vereshchagin solver (PV): hard constraints on a tree in O(n + m^2 d + m^3).

[Sathya2024] Algorithm 1, with its line numbers. On the way inward constraint rows K are propagated like forces; each
joint adds to L, the Delassus matrix, what it lets the constraints move, and to l what the free motion makes them move.
At the ground L lam = l, eq. (47); lines 13 and 14, which keep a floating base until after the multipliers, eq. (49),
stand in pv_base.py. Body frames, and the mechanism at rest that motion_sweep.py leaves, so that a_b is zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, maximum, sqrt
from ...spatial import RowVector, sum_of
from ...spatial.partial_factorization import WEAKEST
from ..convergence.damped_delassus import DampedDelassus
from ..convergence.hard_multipliers import hard_multipliers
from ..convergence.lost_digits import lost_to_free_accelerations, lost_to_masses
from ..rows.constrained_problem import ConstrainedProblem, Solution
from ..rows.passing_rows import Passing, add_to_delassus, propagate_rows
from ..tree.aba import accelerate, articulate


def pv(problem: ConstrainedProblem) -> Solution:
    """Multipliers by eq. (47): everything, a floating base too, is eliminated before them."""
    joint, y, passing, IA = _sweep_inward(problem)
    L, l = dual_system(problem, y, passing)
    for r, idle in enumerate(problem.idle):
        L[r][r] = L[r][r] + idle
    lam, pivot, weakest, hiding = hard_multipliers(problem.tree.model, L, l, weakest=problem.weakest)
    a, residuals = _roll_out(problem, joint, y, passing, lam)
    free = lost_to_free_accelerations(_free_size(y), a, sqrt(maximum(weakest, WEAKEST)))
    lost = maximum(lost_to_masses(problem.tree, IA, joint), free)
    return Solution(a, lam, residuals, 1.0, [pivot], lost=lost, unsure=hiding)


def prox_pv(problem: ConstrainedProblem, start: Sequence[Scalar]) -> DampedDelassus:
    """Proximal PV: L is damped by 1/mu, so it need not be invertible; ready for iterations. [Sathya2024b] eq. (8)."""
    joint, y, passing, IA = _sweep_inward(problem)
    L, l = dual_system(problem, y, passing)
    lost = lost_to_masses(problem.tree, IA, joint)
    accelerate = lambda lam: _roll_out(problem, joint, y, passing, lam)  # noqa: E731
    return DampedDelassus(problem, L, l, start, accelerate, lost, _free_size(y))


def _free_size(y) -> Scalar:
    """The largest joint acceleration without constraints, about."""
    return RowVector(abs(x) for own in y for x in own).largest


def dual_system(problem, y, passing: dict[int, Passing]) -> tuple[list[list[Scalar]], list[Scalar]]:
    """L and l with L lam = l."""
    n = len(problem.rows)
    L: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    l: list[Scalar] = [-e for _, _, e in problem.rows]
    for i, through in passing.items():
        add_to_delassus(L, through)  # line 11
        for r, ks in zip(through.rows, through.KS, strict=True):
            # line 12
            l[r] = l[r] + sum_of(x * z for x, z in zip(ks, y[i], strict=True))
    return L, l


def _sweep_inward(problem: ConstrainedProblem):
    tree = problem.tree
    IA = [inertia.articulated() for inertia in tree.lumped]
    joint, y = articulate(tree, problem.sweep, IA, list(problem.wrenches), problem.tau)  # lines 1-9
    rows = [(body, row) for body, row, _ in problem.rows]
    return joint, y, propagate_rows(tree, problem.sweep, joint, rows), IA  # line 10


def _roll_out(problem, joint, y, passing, lam) -> tuple[list[Scalar], list[Scalar]]:
    """(joint accelerations with the constraint forces in place, residuals)."""
    y = list(y)
    for i, through in passing.items():
        for r, solved in zip(through.rows, through.solved, strict=True):
            y[i] = [x - s * lam[r] for x, s in zip(y[i], solved, strict=True)]
    a, change = accelerate(problem.tree, problem.sweep, joint, y)  # lines 15-17
    return a, [r for c in problem.constraints for r in c.residual(change)]
