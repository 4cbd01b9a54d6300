"""Newton's method for the accelerations under soft rows: each step is one solution of LCABA.

minimise over a   1/2 |a - a_smooth|^2_M + the sum of all sites' costs of x = J a.

`M (a - a_smooth) = J' phi + w g` is kept along the way (g: what the left side is at the start), so that neither line
search nor stopping test needs a product with M. All costs but those of sliding joints are homogeneous of degree two,
and a step solves (M + J' H J) d = -J' r - w g with r, what phi has too much of the sites' own forces. Soft constraints
are part of M. Hard ones are rows with a penalty and a multiplier, -phi: the method of multipliers, one update per pass.

A pass models the costs where it is; unless forces are what accelerations say, it finds the next step and walks along
it as far as it helps (search.py).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from ...scalar import Scalar, absolute, guard, maximum, until, where
from ...spatial import Motion, RowVector
from ..constrained.coupled_links import BodyPenalty, PenaltyBlock
from ..constrained.lcaba import EliminatedGraph
from ..rows.constraint_rows import combine
from .cones import Values
from .ends import GOES_ON, MET, SETTLED, Ends
from .halving import largest, total
from .rows import rolled
from .search import SearchLine, walked
from .sites import Along, ConstraintSite, JointSite, VelocitySite, moved
from .soft_problem import Iterate, SoftProblem

EXPECTED_PASSES = 4.0
# Steps shorter than that part of 1 + the largest acceleration are taken whole: slopes along them are rounding alone,
# and a search would stop anywhere.
_BEYOND_DOUBT = 1e-8


@dataclass(frozen=True)
class SoftSolution:
    """Accelerations, those of all sites, their forces; how many solutions that took, and whether it is one.

    settled   whether soft rows are as they should be, and hard ones as near as they can be brought
    """

    a: list[Scalar]
    x: list[Values]
    phi: list[Values]
    iterations: Scalar
    converged: Scalar
    settled: Scalar


def newton(soft: SoftProblem, start: Sequence[Scalar], ends: Ends) -> SoftSolution:
    """From accelerations `start`, until the sites' forces are what their accelerations say."""
    sites, limit, n = soft.sites, ends.limit, len(start)
    kept = sum(site.kept for site in sites)
    change = rolled(soft.problem, start)
    g = _smooth_gradient(soft, start, change)

    def one_pass(values, running):
        now, (steps, done) = Iterate.unpacked(sites, n, values[kept:-2]), values[-2:]
        last = iter(values[:kept])
        models = [
            site.model(x, phi, list(islice(last, site.kept)))
            for site, x, phi in zip(sites, now.x, now.phi, strict=True)
        ]
        errors = [site.error(numbers) for site, numbers in zip(soft.yielding, models, strict=False)]
        soft_settled = ends.are_settled(soft, now, errors)
        settled = soft_settled & ends.are_met(soft, now)
        ended = settled | (steps > limit - 0.5)
        done = where(running, where(settled, MET, GOES_ON), done)
        one_more = where(ended, 0.0, where(running, 1.0, 0.0))

        def advance() -> list[Scalar]:
            there, step, steep = _walk(soft, now, models, g, ends.rounding, one_more)
            outcome = ends.outcome(soft, now, soft_settled, there, step, steep)
            return [*there.packed(sites), where(one_more > 0.5, outcome, GOES_ON)]

        *following, outcome = guard(one_more > 0.5, advance, [*now.packed(sites), GOES_ON], keeps=True)
        modelled = [x for site, numbers in zip(sites, models, strict=True) for x in numbers[: site.kept]]
        return [*modelled, *following, steps + one_more, maximum(done, outcome)], ended | (absolute(outcome) > 0.5)

    first = Iterate(list(start), soft.values(start, change), [[0.0] * site.size for site in sites], 1.0)
    values = until(
        one_pass, [*[0.0] * kept, *first.packed(sites), 0.0, GOES_ON], limit=limit + 1,
        expected=min(EXPECTED_PASSES, limit) + 1.0, keeps=True,
    )  # fmt: skip
    found = Iterate.unpacked(sites, n, values[kept:-2])
    outcome = values[-1]
    return SoftSolution(found.a, found.x, found.phi, values[-2], outcome > 0.5 * (SETTLED + MET), outcome > 0.5)


def _walk(
    soft: SoftProblem, now: Iterate, models: list[Values], g: Sequence[Scalar], rounding: float, goes: Scalar
) -> tuple[Iterate, Scalar, Scalar]:  # fmt: skip
    """Towards the minimum of the quadratic models together, as far as that helps, or not at all where `goes` is 0; the
    largest acceleration of the whole step, and the slope of the cost at its start."""
    da, change = _step(soft, models, [-(now.w * x) for x in g])
    d = soft.values(da, change)
    dphi, parts = [], [Along(0.0, 0.0, 0.0)]
    for site, numbers, phi, own in zip(soft.sites, models, now.phi, d, strict=True):
        alone = isinstance(site, VelocitySite)
        more, sums = site.change(numbers, phi, own, Along(0.0, 0.0, 0.0) if alone else parts[0])
        dphi.append(more)
        parts = [*parts, sums] if alone else [sums, *parts[1:]]
    sums = Along(*(total(own) for own in zip(*parts, strict=True)))
    rest = now.w * total([p * r for p, r in zip(da, g, strict=True)])
    steep = sums.residual + rest
    length = largest(da)
    line = SearchLine(soft.sites, now.x, d, steep, sums.kept + rest, sums.change - rest, rounding)
    t = where(length <= _BEYOND_DOUBT * (1.0 + largest(now.a)), 1.0, walked(line)) * goes
    there = Iterate(
        moved(now.a, t, da), [moved(p, t, q) for p, q in zip(now.x, d, strict=True)],
        [moved(p, t, q) for p, q in zip(now.phi, dphi, strict=True)], now.w * (1.0 - t),
    )  # fmt: skip
    return there, length, steep


def _step(
    soft: SoftProblem, models: list[Values], torques: Sequence[Scalar]
) -> tuple[list[Scalar], list[Motion]]:  # fmt: skip
    """Accelerations of joints and bodies under the pull of all sites and these torques."""
    problem = soft.problem.with_right_sides(torques, [0.0] * len(soft.problem.mu))
    problem.tree = tree = copy.copy(problem.tree)
    armature, tau = [list(own) for own in tree.armature], list(problem.tau)
    places = {k: (i, n) for i in tree.outward() for n, k in enumerate(range(tree.nv)[tree.iv[i]])}
    blocks: list[PenaltyBlock | BodyPenalty] = []
    multipliers: list[Scalar] = [] if soft.hard else [0.0] * len(soft.problem.mu)
    for site, numbers in zip(soft.sites, models, strict=True):
        if isinstance(site, JointSite):  # as a rotor that is pushed
            k, (H, r) = site.rows.k, numbers
            i, n = places[k]
            armature[i][n], tau[k] = armature[i][n] + H, tau[k] - r
        elif isinstance(site, ConstraintSite):
            multipliers += numbers
        else:
            blocks.append(site.penalty(numbers))  # type: ignore[attr-defined]  # a body's, a pair's, a tendon's
    tree.armature, problem.tau = tuple(armature), RowVector(tau)
    tree.constraint_bodies = (*tree.constraint_bodies, *soft.coupled_bodies)
    graph = EliminatedGraph(problem, multipliers, blocks)
    return graph.accelerate(graph.y, None)


def _smooth_gradient(soft: SoftProblem, a: Sequence[Scalar], change: Sequence[Motion]) -> list[Scalar]:
    """M (a - a_smooth): RNEA's sweep inward."""
    problem = soft.problem
    tree, sweep = problem.tree, problem.sweep
    wrench = [
        f if i == 0 else f + tree.lumped[i].articulated() @ change[i] for i, f in enumerate(problem.wrenches)
    ]
    for c in () if soft.hard else problem.constraints:
        for body, K in c.terms:
            wrench[body] = wrench[body] + combine(K, c.mu * c.residual(change))
    g: list[Scalar] = [0.0] * tree.nv
    for i in tree.inward():
        iv = tree.iv[i]
        own = sweep.S[i].project(wrench[i])
        g[iv] = [s + r * x - t for s, r, x, t in zip(own, tree.armature[i], a[iv], problem.tau[iv], strict=True)]
        if tree.parent[i]:
            p = tree.parent[i]
            wrench[p] = wrench[p] + sweep.X[i].T @ wrench[i]
    return g
