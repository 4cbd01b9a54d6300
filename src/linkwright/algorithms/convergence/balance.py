"""What is missing from the equations of motion and from the constraints, and how much of it is rounding."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Force, Motion, RigidInertia, RowVector, sum_of
from ..rows.constrained_problem import ConstrainedProblem


@dataclass(frozen=True)
class Balance:
    """torques         tau - M a - c - J' lam
    residuals       K a - e
    wrench_sizes    per body the sizes of (moments, forces) that were added up there: their rounding, in units of that
                    of one number
    torque_sizes    the same of each torque, of what was added up in its joint
    residual_sizes  the same of each residual
    """

    torques: RowVector
    residuals: RowVector
    wrench_sizes: list[tuple[Scalar, Scalar]]
    torque_sizes: RowVector
    residual_sizes: RowVector


def balance(problem: ConstrainedProblem, a: Sequence[Scalar], lam: Sequence[Scalar]) -> Balance:
    """Newton's and Euler's equations body by body, from the tips inward: each torque to its own rounding, so that light
    bodies do not drown in the rounding of heavy ones.

    What a held load and its constraint exert cancels on the load itself, and so does their rounding, but for a wrench
    there that the constraint takes up. So rounding is told body by body, where it arises: spread over all torques on
    the way to the ground it would be thousands of times as much.
    """
    tree, sweep = problem.tree, problem.sweep
    change = [Motion.zero()] * len(tree.parent)
    motion = _Motions(len(tree.parent))
    f = _Wrenches(problem.wrenches)
    for i in tree.outward():
        p = tree.parent[i]
        moved = sweep.S[i].add_motion(Motion.zero(), a[tree.iv[i]])
        change[i] = sweep.S[i].add_motion(sweep.X[i] @ change[p], a[tree.iv[i]])
        motion.add(i, p, moved, _reach(tree, i))
        f.add(i, tree.lumped[i] @ change[i])
        f.add_sizes(i, *_inertial_sizes(tree.lumped[i], motion.angular[i], motion.linear[i]))
    residual_sizes: list[Scalar] = []
    for c, own in problem.of_each(lam):
        sizes = [abs(e) for e in c.e]
        for body, K in c.terms:
            for k, (row, x) in enumerate(zip(K, own, strict=True)):
                f.add(body, row * x)
                f.add_sizes(body, _size(row.angular) * abs(x), _size(row.linear) * abs(x))
                sizes[k] = sizes[k] + sum_of(abs(r * m) for r, m in zip(row, change[body], strict=True))
        residual_sizes += sizes
    torques, torque_sizes = list(problem.tau), [abs(t) for t in problem.tau]
    for i in tree.inward():
        held = sweep.S[i].project(f.wrench[i])
        for n, t, R in zip(range(tree.nv)[tree.iv[i]], held, tree.armature[i], strict=True):
            torques[n] = torques[n] - t - R * a[n]
            torque_sizes[n] = torque_sizes[n] + abs(t) + abs(R * a[n])
        f.hand_on(i, tree.parent[i], sweep.X[i].T @ f.wrench[i], _reach(tree, i))
    residuals = problem.residuals(change)
    wrench_sizes = list(zip(f.angular, f.linear, strict=True))
    return Balance(RowVector(torques), residuals, wrench_sizes, RowVector(torque_sizes), RowVector(residual_sizes))


class _Motions:
    """Sizes of what was added up to bodies' angular and linear accelerations."""

    def __init__(self, n: int):
        self.angular: list[Scalar] = [0.0] * n
        self.linear: list[Scalar] = [0.0] * n

    def add(self, i: int, p: int, moved: Motion, reach: float) -> None:
        self.angular[i] = self.angular[p] + _size(moved.angular)
        self.linear[i] = self.linear[p] + self.angular[p] * reach + _size(moved.linear)


class _Wrenches:
    """Wrenches on bodies, and the sizes of moments and forces that were added up to each."""

    def __init__(self, wrenches: Sequence[Force]):
        self.wrench = list(wrenches)
        self.angular = [_size(w.angular) for w in wrenches]
        self.linear = [_size(w.linear) for w in wrenches]

    def add(self, i: int, wrench: Force) -> None:
        self.wrench[i] = self.wrench[i] + wrench

    def add_sizes(self, i: int, angular: Scalar, linear: Scalar) -> None:
        self.angular[i] = self.angular[i] + angular
        self.linear[i] = self.linear[i] + linear

    def hand_on(self, i: int, p: int, wrench: Force, reach: float) -> None:
        """To the parent, in whose frame the wrench is given and body i is so far away."""
        self.wrench[p] = self.wrench[p] + wrench
        forces = _size(wrench.linear)
        self.add_sizes(p, _size(wrench.angular) + forces * reach, forces)


def _inertial_sizes(inertia: RigidInertia, angular: Scalar, linear: Scalar) -> tuple[Scalar, Scalar]:
    first = _size(inertia.h)
    return inertia.J.trace * angular + first * linear, inertia.m * linear + first * angular


def _reach(tree: Tree, i: int) -> float:
    return math.sqrt(sum(float(x) ** 2 for x in tree.model.bodies[i].placement.translation))


def _size(vector) -> Scalar:
    return sum_of(abs(x) for x in vector)
