"""The equations that accelerations under soft rows satisfy, and the same linearized at a solution: for derivatives.

    M (a - a_smooth) = J' f(J a) - J_h' lam,    J_h a = e

with f the forces of all sites by their laws and lam the multipliers of hard constraints. The matrix is Newton's last:
M + J' H J, bordered by J_h, with H = -df/dx the Hessians of the sites' costs where the solution is.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace

from ...scalar import Scalar
from ...spatial import Force
from ..constrained.coupled_links import BodyPenalty, PenaltyBlock
from ..constrained.lcaba import EliminatedGraph
from ..rows.constraint_rows import combine
from .cones import Values
from .rows import rolled
from .soft_problem import SoftProblem


def law_forces(soft: SoftProblem, x: Sequence[Values]) -> list[Values]:
    """Of contacts and joint rows, at the accelerations x of all sites."""
    models = [site.model(own, [0.0] * site.size) for site, own in zip(soft.yielding, x, strict=False)]
    return [[-r for r in site.residual(model)] for site, model in zip(soft.yielding, models, strict=True)]


def unbalanced(soft: SoftProblem, a: Sequence[Scalar], lam: Sequence[Scalar]) -> list[Scalar]:
    """What is left of the equations: of motion, then of hard constraints."""
    problem = soft.problem
    tree, sweep, change = problem.tree, problem.sweep, rolled(problem, a)
    forces = law_forces(soft, soft.values(a, change))
    wrench = [f if i == 0 else f + tree.lumped[i] @ change[i] for i, f in enumerate(problem.wrenches)]
    torques = [-t for t in problem.tau]

    def push(terms, f: Values) -> None:
        for body, K in terms:
            wrench[body] = wrench[body] - combine(K, f)

    own = iter(forces)
    for body_site in soft.bodies:
        wrench[body_site.body] = wrench[body_site.body] - Force.of(next(own))
    for site in soft.coupling:
        push(site.rows.terms, next(own))
    for joint in soft.joints:
        torques[joint.rows.k] = torques[joint.rows.k] - next(own)[0]
    left: list[Scalar] = []
    for c, multipliers in zip(problem.constraints, problem.split(lam) if soft.hard else problem.split(problem.mu),
                              strict=True):  # fmt: skip
        residual = list(c.residual(change))
        if soft.hard:
            push(c.terms, [-x for x in multipliers])
            left += residual
        else:
            push(c.terms, [-(m * r) for m, r in zip(c.mu, residual, strict=True)])
    for i in tree.inward():
        iv = tree.iv[i]
        held = sweep.S[i].project(wrench[i])
        torques[iv] = [t + s + r * x for t, s, r, x in zip(torques[iv], held, tree.armature[i], a[iv], strict=True)]
        wrench[tree.parent[i]] = wrench[tree.parent[i]] + sweep.X[i].T @ wrench[i]
    return [*torques, *left]


def linearized(
    soft: SoftProblem, a: Sequence[Scalar], torques: Sequence[Scalar], rows: Sequence[Scalar]
) -> EliminatedGraph:  # fmt: skip
    """(M + J' H J) w = torques with penalties for J_h w = rows, eliminated; H at accelerations a."""
    x = soft.values(a, rolled(soft.problem, a))
    own = iter([site.model(at, [0.0] * site.size) for site, at in zip(soft.yielding, x, strict=False)])
    blocks: list[PenaltyBlock | BodyPenalty] = [
        replace(site.penalty(next(own)), wrench=Force.zero()) for site in soft.bodies
    ]
    blocks += [replace(site.penalty(next(own)), pull=[0.0] * site.size) for site in soft.coupling]
    problem = soft.problem.with_right_sides(list(torques), list(rows))
    problem.tree = tree = copy.copy(problem.tree)
    armature = [list(numbers) for numbers in tree.armature]
    places = {k: (i, n) for i in tree.outward() for n, k in enumerate(range(tree.nv)[tree.iv[i]])}
    for site in soft.joints:
        i, n = places[site.rows.k]
        armature[i][n] = armature[i][n] + next(own)[0]
    tree.armature = tuple(armature)
    tree.constraint_bodies = (*tree.constraint_bodies, *soft.coupled_bodies)
    return EliminatedGraph(problem, [0.0] * len(problem.rows), blocks)
