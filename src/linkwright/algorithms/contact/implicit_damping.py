"""Damping taken at the end of a step whose forces are known: MuJoCo's Euler and implicitfast.

The accelerations a of the law obey M a = all forces. With torques that fall by S per velocity taken at the new velocity
v + h a' it is (M + h S) a' = M a, so that a' - a is what torques -h S a do to the mechanism with h S as rotors. What
resists a sum of velocities, the rate of a tendon, adds s r r' to S, which couples bodies as a closure does.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...model import Tree
from ...model.actuators import Actuator
from ...model.constraints.joint_tie import sum_of_rates
from ...scalar import Scalar, is_zero
from ...spatial import ArticulatedInertia, Force, sum_of
from ..constrained.coupled_links import PenaltyBlock
from ..constrained.lcaba import EliminatedGraph
from ..parts.actuator_forces import ActuatorForce
from ..parts.passive_torques import tendons_of
from ..rows.constrained_problem import ConstrainedProblem
from ..rows.constraint_rows import combine
from ..tree.aba import accelerate, articulate


@dataclass(frozen=True)
class CoupledSlope:
    """How much a force along a sum of velocities falls with it; `ratios`: (joint's body, velocity, ratio) of each.

    As MuJoCo has it, a joint's torque is taken at the new velocities of joints before and behind it; of those on other
    branches, which its inertia matrix has no place for, at the old ones.
    """

    tree: Tree
    ratios: Sequence[tuple[int, int, Scalar]]
    slope: Scalar

    def matrix(self, h: Scalar) -> list[list[Scalar]]:
        """h S between the joints."""
        support, stiff = self.tree.graph.support, h * self.slope
        return [
            [stiff * (p * r) if i in support[j] or j in support[i] else 0.0 for j, _, r in self.ratios]
            for i, _, p in self.ratios
        ]

    def torques(self, rates: Sequence[Scalar], h: Scalar) -> Iterator[tuple[int, Scalar]]:
        """(velocity, torque) that these accelerations take away within h."""
        for (_, k, _), row in zip(self.ratios, self.matrix(h), strict=True):
            yield k, -sum_of(x * rates[other] for x, (_, other, _) in zip(row, self.ratios, strict=True))

    def block(self, h: Scalar) -> PenaltyBlock:
        """One row per joint."""
        n = len(self.ratios)
        rows: dict[int, list[Force]] = {}
        for m, (i, _, _) in enumerate(self.ratios):
            for body, (row,) in sum_of_rates(self.tree, [i], [1.0]):
                rows.setdefault(body, [Force.zero()] * n)[m] = row
        H = self.matrix(h)

        def inertia(body: int, K: Sequence[Force]) -> ArticulatedInertia:
            felt = [combine(K, own) for own in H]
            return ArticulatedInertia.from_function(
                lambda r, s: sum_of(row[r] * f[s] for row, f in zip(K, felt, strict=True))
            )

        return PenaltyBlock([(body, tuple(K)) for body, K in rows.items()], lambda: H, [0.0] * n, inertia)


def tendon_slopes(tree: Tree) -> list[CoupledSlope]:
    """Of the tendons' dampers."""
    model, found = tree.model, []
    for tendon, at, (_, damping, _) in tendons_of(tree):
        if not is_zero(damping):
            bodies = [model.joint_index(joint) for joint, _ in tendon.ratios]
            ratios = [(i, k, ratio) for i, (_, k, ratio) in zip(bodies, at, strict=True)]
            found.append(CoupledSlope(tree, ratios, damping))
    return found


def actuator_slopes(tree: Tree, forces: Sequence[ActuatorForce]) -> list[CoupledSlope]:
    """Of actuators on several joints of one velocity; those on one are part of the diagonal."""
    model, found = tree.model, []
    for one, force in zip(model.actuators, forces, strict=False):
        if len(force.moment) > 1 and not is_zero(force.slope) and _has_single_joints(tree, one):
            bodies = [model.joint_index(name) for name, _ in one.drives]
            ratios = [(i, k, ratio) for i, (k, ratio) in zip(bodies, force.moment, strict=True)]
            found.append(CoupledSlope(tree, ratios, force.slope))
    return found


def _has_single_joints(tree: Tree, one: Actuator) -> bool:
    return all(tree.model.joints[tree.model.joint_index(name) - 1].nv == 1 for name, _ in one.drives)


def damped(
    problem: ConstrainedProblem, tree: Tree, a: Sequence[Scalar], rates: Sequence[Scalar], slope: Sequence[Scalar],
    h: Scalar, coupled: Sequence[CoupledSlope] = (),
) -> list[Scalar]:  # fmt: skip
    """a'; `rates` are the accelerations along axes that stand still, which dampers of free bodies feel."""
    if all(map(is_zero, slope)) and not coupled:
        return list(a)
    lost = [h * s for s in slope]
    stiff = copy.copy(tree)
    stiff.armature = tuple(
        [m + s for m, s in zip(tree.armature[i], lost[iv], strict=True)] for i, iv in enumerate(tree.iv)
    )
    torques = [-(s * x) for s, x in zip(lost, rates, strict=True)]
    if coupled:
        change = _coupled(problem, stiff, torques, rates, h, coupled)
    else:
        IA = [inertia.articulated() for inertia in tree.lumped]
        joint, y = articulate(stiff, problem.sweep, IA, [Force.zero()] * len(IA), torques)
        change, _ = accelerate(stiff, problem.sweep, joint, y)
    return [x + y for x, y in zip(a, change, strict=True)]


def _coupled(
    problem: ConstrainedProblem, stiff: Tree, torques: list[Scalar], rates: Sequence[Scalar], h: Scalar,
    coupled: Sequence[CoupledSlope],
) -> list[Scalar]:  # fmt: skip
    for one in coupled:
        for k, torque in one.torques(rates, h):
            torques[k] = torques[k] + torque
    free = copy.copy(problem)
    free.constraints = []
    free = free.with_right_sides(torques, [])
    blocks = [one.block(h) for one in coupled]
    stiff.constraint_bodies = tuple(dict.fromkeys(tuple(body for body, _ in block.terms) for block in blocks))
    free.tree, stiff.constraints = stiff, ()
    graph = EliminatedGraph(free, [], blocks)
    return graph.accelerate(graph.y, None)[0]
