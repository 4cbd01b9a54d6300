"""Constrained articulated-body algorithm: ABA with penalties and multipliers, in O(n + m).

[Sathya2024b] sec. II-A2 in maximal coordinates, [Sathya2025] Alg. 1-3 for constraints to the ground. The augmented
Lagrangian adds mu K'K to the inertia of a constrained body and K'(lam - mu e) to its wrench; the rest is ABA. Each
further iteration (proximal.py) corrects the multipliers and sweeps only the bodies that carry a constraint.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar
from ...spatial import Force, Motion, RowVector
from ..convergence.swept_bodies import SweptBodies
from ..rows.constrained_problem import ConstrainedProblem
from ..rows.constraint_rows import combine, constrained_bodies, penalty_inertia
from ..tree.aba import accelerate, articulate


def constrained_aba(problem: ConstrainedProblem, start: Sequence[Scalar]) -> SweptBodies:
    """The tree, articulated with multipliers `start`, ready for iterations."""
    return SweptBodies(ArticulatedTree(problem, start))


class ArticulatedTree:
    """ABA's articulated bodies, with penalties and multipliers in their inertias and wrenches."""

    def __init__(self, problem: ConstrainedProblem, lam: Sequence[Scalar]):
        tree = problem.tree
        IA = [inertia.articulated() for inertia in tree.lumped]
        pA = list(problem.wrenches)
        for c, own in problem.of_each(lam):
            IA[c.body] = IA[c.body] + penalty_inertia(c.K, c.mu)
            pA[c.body] = pA[c.body] + combine(c.K, own - c.mu * c.e)
        self.problem, self.carriers = problem, set(constrained_bodies(tree))
        self.joint, self.y = articulate(tree, problem.sweep, IA, pA, problem.tau)
        self.IA = IA

    def accelerate(self, y: Sequence[RowVector], bodies: set[int] | None) -> tuple[list[Scalar], list[Motion]]:
        order = None if bodies is None else sorted(bodies)
        return accelerate(self.problem.tree, self.problem.sweep, self.joint, y, order)

    def change_of_y(self, step: Sequence[Scalar]) -> dict[int, RowVector]:
        """ABA's inward sweep of a wrench alone."""
        tree, sweep = self.problem.tree, self.problem.sweep
        changes = {}
        wrench = {i: Force.zero() for i in (0, *self.carriers)}
        for c, own in self.problem.of_each(step):
            wrench[c.body] = wrench[c.body] + combine(c.K, own)
        for i in sorted(self.carriers, reverse=True):
            p, joint = tree.parent[i], self.joint[i]
            changes[i] = dy = joint.D.solve(-sweep.S[i].project(wrench[i]))
            wrench[p] = wrench[p] + sweep.X[i].T @ joint.force_felt(wrench[i], dy)
        return changes

    @property
    def pivots(self) -> list[Scalar]:
        return [pivot for i in self.problem.tree.outward() for pivot in self.joint[i].D.pivots]
