"""Popov-Vereshchagin solver (PV): hard constraints on a tree in O(n + m^2 d + m^3).

[Sathya2024] Algorithm 1, with its line numbers. On the way inward constraint rows K are propagated like forces; each
joint adds to L, the Delassus matrix, what it lets the constraints move, and to l what the free motion makes them move.
At the ground L lam = l, eq. (47); lines 13 and 14, which keep a floating base until after the multipliers, eq. (49),
stand in pv_base.py. Body frames, and the mechanism at rest that motion_sweep.py leaves, so that a_b is zero.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, maximum, sqrt
from ...spatial import RowVector
from ...spatial.partial_factorization import WEAKEST
from ..convergence.damped_delassus import DampedDelassus
from ..convergence.hard_multipliers import hard_multipliers
from ..convergence.lost_digits import lost_to_free_accelerations, lost_to_masses
from ..rows.constrained_problem import ConstrainedProblem, Solution
from ..rows.passing_rows import Passing, add_to_delassus, propagate_rows
from ..tree.aba import accelerate, articulate


def _sweep_inward(problem: ConstrainedProblem):
    # Algorithm 1
    tree, sweep = problem.tree, problem.sweep  # lines 1-4: motion_sweep.py
    IA, pA = [inertia.articulated() for inertia in tree.lumped], list(problem.wrenches)  # line 5
    joint, y = articulate(tree, sweep, IA, pA, problem.tau)  # lines 6-9: aba.py
    rows = [(body, row) for body, row, _ in problem.rows]
    return joint, y, propagate_rows(tree, sweep, joint, rows), IA  # line 10: passing_rows.py


def dual_system(problem, y, passing: dict[int, Passing]) -> tuple[list[list[Scalar]], list[Scalar]]:
    """L and l with L lam = l."""
    n = len(problem.rows)
    L: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    l = list(-problem.e)
    for i, through in passing.items():
        add_to_delassus(L, through)  # line 11: passing_rows.py
        for r, ks in zip(through.rows, through.KS, strict=True):
            l[r] = l[r] + ks @ y[i]  # line 12
    return L, l


def pv(problem: ConstrainedProblem) -> Solution:
    """Multipliers by eq. (47): everything, a floating base too, is eliminated before them."""
    joint, y, passing, IA = _sweep_inward(problem)
    L, l = dual_system(problem, y, passing)
    for r, idle in enumerate(problem.idle):
        L[r][r] = L[r][r] + idle
    # lines 13, 14: pv_base.py; here eq. (47) in their place
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
    still = [RowVector.zeros(len(own)) for own in y]
    held = lambda lam: _roll_out(problem, joint, still, passing, lam)[0]  # noqa: E731
    return DampedDelassus(problem, L, l, start, accelerate, lost, _free_size(y), held)


def _roll_out(problem, joint, y, passing, lam) -> tuple[list[Scalar], list[Scalar]]:
    """(joint accelerations with the constraint forces in place, residuals)."""
    y = list(y)
    for i, through in passing.items():
        for r, solved in zip(through.rows, through.solved, strict=True):
            y[i] = y[i] - solved * lam[r]  # lines 15, 16, K' lam
    a, change = accelerate(problem.tree, problem.sweep, joint, y)  # lines 16, 17: aba.py
    return a, list(problem.residuals(change))


def _free_size(y) -> Scalar:
    """The largest joint acceleration without constraints, about."""
    return RowVector(abs(x) for own in y for x in own).largest
