"""Constrained articulated-body algorithm: ABA with penalties and multipliers, in O(n + m).

[Sathya2024b] sec. II-A2 in maximal coordinates, [Sathya2025] Alg. 1-3 for constraints to the ground. The augmented
Lagrangian adds mu K'K to the inertia of a constrained body and K'(lam - mu e) to its wrench; the rest is ABA. Each
further iteration corrects the multipliers and sweeps only the bodies that carry a constraint.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..scalar import Scalar
from ..spatial import Force, sum_of
from .aba import accelerate, articulate
from .constrained_problem import ConstrainedProblem, Iterations, Solution
from .constraint_rows import constrained_bodies, penalty_inertia


def constrained_aba(
    problem: ConstrainedProblem, iterations: Iterations, start: Sequence[Scalar] | None = None
) -> Solution:
    """Solve to the end of `iterations`, from multipliers `start` (zero if None)."""
    tree, sweep = problem.tree, problem.sweep
    IA = [inertia.articulated() for inertia in tree.lumped]
    pA = list(problem.wrenches)
    lam: list[Scalar] = list(start) if start is not None else [0.0] * len(problem.rows)
    for c, own in zip(problem.constraints, problem.split(lam), strict=True):
        IA[c.body] = IA[c.body] + penalty_inertia(c.K, c.mu)
        pull = [x - m * e for x, m, e in zip(own, c.mu, c.e, strict=True)]
        pA[c.body] = pA[c.body] + combine(c.K, pull)

    joint, y = articulate(tree, sweep, IA, pA, problem.tau)
    carriers = constrained_bodies(tree)
    used: Scalar = 1.0
    residuals, lam = _update(problem, joint, y, carriers, lam, 1.0)
    for _ in range(iterations.limit - 1):
        running = iterations.running(residuals)
        _correct(problem, joint, y, carriers, residuals, running)
        new, lam = _update(problem, joint, y, carriers, lam, running)
        residuals, used = new, used + running
    a, _ = accelerate(tree, sweep, joint, y)
    pivots = [pivot for i in tree.outward() for pivot in joint[i].D.pivots]
    return Solution(a, lam, residuals, used, pivots)


def _update(problem, joint, y, carriers, lam, running) -> tuple[list[Scalar], list[Scalar]]:
    """(K a - e, lam + mu (K a - e))."""
    _, change = accelerate(problem.tree, problem.sweep, joint, y, carriers)
    residuals = [r for c in problem.constraints for r in c.residual(change)]
    steps = [m * r * running for m, r in zip(problem.mu, residuals, strict=True)]
    return residuals, [x + s for x, s in zip(lam, steps, strict=True)]


def _correct(problem, joint, y, carriers, residuals, running) -> None:
    """What the change of multipliers, mu (K a - e), does to y: ABA's inward sweep of a wrench alone."""
    tree, sweep = problem.tree, problem.sweep
    wrench = {i: Force.zero() for i in (0, *carriers)}
    for c, own in zip(problem.constraints, problem.split(residuals), strict=True):
        step = [m * r * running for m, r in zip(c.mu, own, strict=True)]
        wrench[c.body] = wrench[c.body] + combine(c.K, step)
    for i in reversed(carriers):
        p = tree.parent[i]
        dy = joint[i].D.solve([-s for s in sweep.S[i].project(wrench[i])])
        y[i] = [a + b for a, b in zip(y[i], dy, strict=True)]
        wrench[p] = wrench[p] + sweep.X[i].T @ joint[i].force_felt(wrench[i], dy, [0.0] * len(dy))


def combine(K: Sequence[Force], factors: Sequence[Scalar]) -> Force:
    """K' factors."""
    return sum_of(row * x for row, x in zip(K, factors, strict=True))
