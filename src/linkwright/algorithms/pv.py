"""Popov-Vereshchagin solver (PV): hard constraints on a tree in O(n + m^2 d + m^3).

[Sathya2024] Algorithm 1. On the way inward the constraint rows K are propagated like forces; each joint adds to L, the
Delassus matrix, what it lets the constraints move, and to l what the free motion makes them move. At the ground
L lam = l.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Model
from ..scalar import Scalar, where
from ..spatial import LDL, Force, sum_of
from ..spatial.partial_factorization import PartialLDL, most_doubtful
from .aba import accelerate, articulate
from .articulation import Articulation
from .constrained_problem import ConstrainedProblem, Iterations, Solution
from .constraint_rows import constrained_bodies


def pv(problem: ConstrainedProblem) -> Solution:
    """Multipliers by eq. (47): everything, a floating base too, is eliminated before them."""
    joint, y, passing = _sweep_inward(problem)
    L, l = dual_system(problem, y, passing)
    for r, idle in enumerate(problem.idle):
        L[r][r] = L[r][r] + idle
    lam, pivot = hard_multipliers(problem.tree.model, L, l)
    return _finish(problem, joint, y, passing, lam, 1.0, [pivot])


def hard_multipliers(
    model: Model, L: Sequence[Sequence[Scalar]], l: Sequence[Scalar], rows: Sequence[int] | None = None
) -> tuple[list[Scalar], Scalar]:
    """(lam with L lam = l, zero where it is in doubt else one), or of some rows only.

    A mechanism is singular at a pose if a row moves much less than it usually does, by itself or by what others leave
    of it. Multipliers would be rounding errors divided by rounding errors.
    """
    from .row_mobility import usual_mobility

    rows = range(len(l)) if rows is None else rows
    usual = usual_mobility(model)
    factor = PartialLDL([[L[r][s] for s in rows] for r in rows], [L[r][r] + usual[r] for r in rows], window=2)
    own = factor.scaled(factor.forward([l[r] for r in rows])[0])
    return factor.backward(own, []), where(most_doubtful(factor, own) > 0.0, 0.0, 1.0)


def prox_pv(problem: ConstrainedProblem, iterations: Iterations, start: Sequence[Scalar] | None = None) -> Solution:
    """Proximal PV: L is damped by 1/mu, lam = (L + 1/mu)^-1 (l + lam/mu), so it need not be invertible.

    [Sathya2024b] eq. (8).
    """
    joint, y, passing = _sweep_inward(problem)
    L, l = dual_system(problem, y, passing)
    lam, used = proximal_point(L, l, problem.mu, iterations, start)
    return _finish(problem, joint, y, passing, lam, used, ())


def proximal_point(
    L: Sequence[Sequence[Scalar]], l: Sequence[Scalar], mu: Sequence[Scalar], iterations: Iterations,
    start: Sequence[Scalar] | None,
) -> tuple[list[Scalar], Scalar]:  # fmt: skip
    """(lam, iterations used) for L lam = l, L symmetric and at least positive semidefinite."""
    n = len(l)
    damping = [1.0 / m for m in mu]
    damped = LDL([[L[r][s] + damping[r] if r == s else L[r][s] for s in range(n)] for r in range(n)])
    lam: list[Scalar] = [0.0] * n if start is None else list(start)
    used: Scalar = 0.0
    running: Scalar = 1.0
    for k in range(iterations.limit):
        new = damped.solve([x + d * y for x, d, y in zip(l, damping, lam, strict=True)])
        # (L lam - l) of the new multipliers is what the damping held back
        step = [b - a for a, b in zip(lam, new, strict=True)]
        lam = [x + s * running for x, s in zip(lam, step, strict=True)]
        used = used + running
        if k + 1 < iterations.limit:
            running = running * iterations.running([d * s for d, s in zip(damping, step, strict=True)])
    return lam, used


class Passing:
    """The constraint rows that pass joint i on their way to the ground: which, K S and D^-1 (K S)' of each."""

    __slots__ = ("KS", "rows", "solved")

    def __init__(self, joint: Articulation, rows: Sequence[int], K: Sequence[Force]):
        self.rows = tuple(rows)
        self.KS = [joint.S.project(row) for row in K]
        self.solved = [joint.D.solve(ks) for ks in self.KS]


def propagate_rows(tree, sweep, joint: Sequence[Articulation], rows: Sequence[tuple[int, Force]]) -> dict[int, Passing]:
    """Carry rows (body, covector) to the ground; what passes each joint."""
    arriving: dict[int, list[tuple[int, Force]]] = {i: [] for i in (0, *constrained_bodies(tree))}
    for r, (body, row) in enumerate(rows):
        arriving[body].append((r, row))
    passing = {}
    for i in reversed(constrained_bodies(tree)):
        numbers, K = zip(*sorted(arriving[i], key=lambda pair: pair[0]), strict=True)
        passing[i] = through = Passing(joint[i], numbers, K)
        nothing = [0.0] * (tree.iv[i].stop - tree.iv[i].start)
        for r, row, solved in zip(numbers, K, through.solved, strict=True):
            # K P' is what the parent feels of a force K; along free directions exactly what the rotor holds back
            felt = joint[i].force_felt(row, [-x for x in solved], nothing)
            arriving[tree.parent[i]].append((r, sweep.X[i].T @ felt))
    return passing


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
    return joint, y, propagate_rows(tree, problem.sweep, joint, rows)


def _finish(problem, joint, y, passing, lam, used, pivots) -> Solution:
    """Roll-out: joint accelerations with the constraint forces in place."""
    y = list(y)
    for i, through in passing.items():
        for r, solved in zip(through.rows, through.solved, strict=True):
            y[i] = [x - s * lam[r] for x, s in zip(y[i], solved, strict=True)]
    a, change = accelerate(problem.tree, problem.sweep, joint, y)
    residuals = [r for c in problem.constraints for r in c.residual(change)]
    return Solution(a, lam, residuals, used, pivots)
