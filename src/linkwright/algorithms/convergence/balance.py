"""What is missing from the equations of motion and from the constraints, and how much of it is rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...scalar import Scalar
from ...spatial import Force, Motion, RowVector, sum_of
from ..rows.constrained_problem import ConstrainedProblem


@dataclass(frozen=True)
class Balance:
    """torques         tau - M a - c - J' lam
    residuals       K a - e
    torque_sizes    the sizes of all that was added up to find each torque: its rounding, in units of that of one number
    residual_sizes  the same of each residual
    """

    torques: RowVector
    residuals: RowVector
    torque_sizes: RowVector
    residual_sizes: RowVector


def balance(problem: ConstrainedProblem, a: Sequence[Scalar], lam: Sequence[Scalar]) -> Balance:
    """Newton's and Euler's equations body by body, from the tips inward: each torque to its own rounding, so that light
    bodies do not drown in the rounding of heavy ones."""
    tree, sweep = problem.tree, problem.sweep
    change = [Motion.zero()] * len(tree.parent)
    f = _Sums(problem.wrenches)
    for i in tree.outward():
        change[i] = sweep.S[i].add_motion(sweep.X[i] @ change[tree.parent[i]], a[tree.iv[i]])
        f.add(i, tree.lumped[i] @ change[i])
    residual_sizes: list[Scalar] = []
    for c, own in zip(problem.constraints, problem.split(lam), strict=True):
        sizes = [abs(e) for e in c.e]
        for body, K in c.terms:
            for k, (row, x) in enumerate(zip(K, own, strict=True)):
                f.add(body, row * x)
                sizes[k] = sizes[k] + sum_of(abs(r * m) for r, m in zip(row, change[body], strict=True))
        residual_sizes += sizes
    torques, torque_sizes = list(problem.tau), [abs(t) for t in problem.tau]
    for i in tree.inward():
        p, S = tree.parent[i], sweep.S[i]
        numbers = range(tree.nv)[tree.iv[i]]
        for k, (n, held, R) in enumerate(zip(numbers, S.project(f.wrench[i]), tree.armature[i], strict=True)):
            torques[n] = torques[n] - held - R * a[n]
            linear = S.directions and S.directions[k] >= 3
            torque_sizes[n] = torque_sizes[n] + (f.linear[i] if linear else f.angular[i])
        f.hand_on(i, p, sweep.X[i].T @ f.wrench[i], tree.model.bodies[i].placement.translation)
    residuals = RowVector(r for c in problem.constraints for r in c.residual(change))
    return Balance(RowVector(torques), residuals, RowVector(torque_sizes), RowVector(residual_sizes))


class _Sums:
    """Wrenches, and the sizes of moments and forces that went into them."""

    def __init__(self, wrenches: Sequence[Force]):
        self.wrench = list(wrenches)
        self.angular = [_size(w.angular) for w in wrenches]
        self.linear = [_size(w.linear) for w in wrenches]

    def add(self, i: int, wrench: Force) -> None:
        self.wrench[i] = self.wrench[i] + wrench
        self.angular[i] = self.angular[i] + _size(wrench.angular)
        self.linear[i] = self.linear[i] + _size(wrench.linear)

    def hand_on(self, i: int, p: int, wrench: Force, at: Sequence[float]) -> None:
        """To the parent, in whose frame the wrench is given and body i is at `at`."""
        reach = math.sqrt(sum(float(x) ** 2 for x in at))
        self.wrench[p] = self.wrench[p] + wrench
        self.angular[p] = self.angular[p] + (self.angular[i] + self.linear[i] * reach)
        self.linear[p] = self.linear[p] + self.linear[i]


def _size(vector) -> Scalar:
    return sum_of(abs(x) for x in vector)
