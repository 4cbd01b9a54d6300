"""Popov-Vereshchagin solver (PV): hard constraints on a tree in O(n + m^2 d + m^3).

[Sathya2024] Algorithm 1. On the way inward the constraint rows K are propagated like forces; each joint adds to L, the
Delassus matrix, what it lets the constraints move, and to l what the free motion makes them move. At the ground
L lam = l.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, maximum, sqrt
from ...spatial import Force, RowVector, sum_of
from ...spatial.partial_factorization import WEAKEST
from ..convergence.damped_delassus import DampedDelassus
from ..convergence.hard_multipliers import hard_multipliers
from ..convergence.lost_digits import lost_to_free_accelerations, lost_to_masses
from ..parts.articulation import Articulation
from ..rows.constrained_problem import ConstrainedProblem, Solution
from ..rows.constraint_rows import constrained_bodies
from ..tree.aba import accelerate, articulate


def pv(problem: ConstrainedProblem) -> Solution:
    """Multipliers by eq. (47): everything, a floating base too, is eliminated before them."""
    joint, y, passing, IA = _sweep_inward(problem)
    L, l = dual_system(problem, y, passing)
    for r, idle in enumerate(problem.idle):
        L[r][r] = L[r][r] + idle
    lam, pivot, weakest = hard_multipliers(problem.tree.model, L, l, weakest=problem.weakest)
    a, residuals = _roll_out(problem, joint, y, passing, lam)
    free = lost_to_free_accelerations(_free_size(y), a, sqrt(maximum(weakest, WEAKEST)))
    lost = maximum(lost_to_masses(problem.tree, IA, joint), free)
    return Solution(a, lam, residuals, 1.0, [pivot], lost=lost)


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


class Passing:
    """The constraint rows that pass joint i on their way to the ground: which, K S and D^-1 (K S)' of each."""

    __slots__ = ("KS", "rows", "solved")

    def __init__(self, joint: Articulation, rows: Sequence[int], K: Sequence[Force]):
        self.rows = tuple(rows)
        self.KS = [joint.S.project(row) for row in K]
        self.solved = [joint.D.solve(ks) for ks in self.KS]


def propagate_rows(tree, sweep, joint: Sequence[Articulation], rows: Sequence[tuple[int, Force]]) -> dict[int, Passing]:
    """Carry rows (body, covector) to the ground; what passes each joint."""
    return propagate_terms(tree, sweep, joint, [[term] for term in rows])


def propagate_terms(
    tree, sweep, joint: Sequence[Articulation], rows: Sequence[Sequence[tuple[int, Force]]]
) -> dict[int, Passing]:
    """The same for rows on several bodies each: what arrives of a row from several children is added up."""
    arriving: dict[int, dict[int, Force]] = {i: {} for i in (0, *constrained_bodies(tree))}
    for r, terms in enumerate(rows):
        for body, row in terms:
            add_row(arriving[body], r, row)
    passing = {}
    for i in reversed(constrained_bodies(tree)):
        numbers, K = zip(*sorted(arriving[i].items()), strict=True)
        passing[i] = through = Passing(joint[i], numbers, K)
        nothing = [0.0] * (tree.iv[i].stop - tree.iv[i].start)
        for r, row, solved in zip(numbers, K, through.solved, strict=True):
            # K P' is what the parent feels of a force K; along free directions exactly what the rotor holds back
            felt = joint[i].force_felt(row, [-x for x in solved], nothing)
            add_row(arriving[tree.parent[i]], r, sweep.X[i].T @ felt)
    return passing


def add_row(rows: dict[int, Force], r: int, row: Force) -> None:
    rows[r] = rows[r] + row if r in rows else row


def add_to_delassus(L: list[list[Scalar]], through: Passing) -> None:
    """L += K S D^-1 S' K' of one joint."""
    for a, r in enumerate(through.rows):
        for b, s in enumerate(through.rows[: a + 1]):
            term = sum_of(x * z for x, z in zip(through.KS[a], through.solved[b], strict=True))
            L[r][s] = L[r][s] + term
            L[s][r] = L[r][s]


def dual_system(problem, y, passing: dict[int, Passing]) -> tuple[list[list[Scalar]], list[Scalar]]:
    """L and l with L lam = l."""
    n = len(problem.rows)
    L: list[list[Scalar]] = [[0.0] * n for _ in range(n)]
    l: list[Scalar] = [-e for _, _, e in problem.rows]
    for i, through in passing.items():
        add_to_delassus(L, through)
        for r, ks in zip(through.rows, through.KS, strict=True):
            l[r] = l[r] + sum_of(x * z for x, z in zip(ks, y[i], strict=True))
    return L, l


def _sweep_inward(problem: ConstrainedProblem):
    tree = problem.tree
    IA = [inertia.articulated() for inertia in tree.lumped]
    joint, y = articulate(tree, problem.sweep, IA, list(problem.wrenches), problem.tau)
    rows = [(body, row) for body, row, _ in problem.rows]
    return joint, y, propagate_rows(tree, problem.sweep, joint, rows), IA


def _roll_out(problem, joint, y, passing, lam) -> tuple[list[Scalar], list[Scalar]]:
    """(joint accelerations with the constraint forces in place, residuals)."""
    y = list(y)
    for i, through in passing.items():
        for r, solved in zip(through.rows, through.solved, strict=True):
            y[i] = [x - s * lam[r] for x, s in zip(y[i], solved, strict=True)]
    a, change = accelerate(problem.tree, problem.sweep, joint, y)
    return a, [r for c in problem.constraints for r in c.residual(change)]
