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
from functools import cached_property

from ...scalar import Scalar, absolute, guard, maximum, until, where
from ...spatial import Motion, sum_of
from ..constrained.coupled_links import BodyPenalty, PenaltyBlock
from ..constrained.lcaba import EliminatedGraph
from ..rows.constrained_problem import ConstrainedProblem
from ..rows.constraint_rows import combine
from .cones import Values
from .rows import rolled
from .search import SearchLine, walked
from .sites import Along, BodySite, ConstraintSite, JointSite, PairSite, Site, moved

EXPECTED_PASSES = 4.0


@dataclass(frozen=True)
class SoftProblem:
    """A mechanism with contacts and joint rows; its constraints have penalties mu, and multipliers if they are hard."""

    problem: ConstrainedProblem
    bodies: Sequence[BodySite]
    pairs: Sequence[PairSite]
    joints: Sequence[JointSite]
    hard: bool

    @cached_property
    def sites(self) -> list[Site]:
        constraints = [ConstraintSite(c) for c in self.problem.constraints] if self.hard else []
        return [*self.bodies, *self.pairs, *self.joints, *constraints]

    def values(self, a: Sequence[Scalar], change: Sequence[Motion]) -> list[Values]:
        return [site.values(a, change) for site in self.sites]

    def constraint_forces(self, a: Sequence[Scalar], phi: Sequence[Values]) -> list[Values]:
        """Of the rows of all constraints."""
        constraints = self.problem.constraints
        if self.hard:
            return list(phi[len(phi) - len(constraints) :])
        change = rolled(self.problem, a)
        return [[-(mu * r) for mu, r in zip(c.mu, c.residual(change), strict=True)] for c in constraints]


@dataclass(frozen=True)
class Iterate:
    """Accelerations, those of all sites, the forces kept for them, and the share w of what was there at the start."""

    a: list[Scalar]
    x: list[Values]
    phi: list[Values]
    w: Scalar

    def packed(self, sites: Sequence[Site]) -> list[Scalar]:
        """What a pass carries: a joint's x is among the accelerations."""
        x = [value for site, own in zip(sites, self.x, strict=True) if not isinstance(site, JointSite) for value in own]
        return [*self.a, *x, *(f for own in self.phi for f in own), self.w]

    @classmethod
    def unpacked(cls, sites: Sequence[Site], n: int, values: Sequence[Scalar]) -> Iterate:
        rest = iter(values[n:])
        a = list(values[:n])
        x = [
            site.values(a, ()) if isinstance(site, JointSite) else [next(rest) for _ in range(site.size)]
            for site in sites
        ]
        return cls(a, x, [[next(rest) for _ in range(site.size)] for site in sites], next(rest))


@dataclass(frozen=True)
class SoftSolution:
    """Accelerations, those of all sites, their forces; how many solutions that took, and whether it is one."""

    a: list[Scalar]
    x: list[Values]
    phi: list[Values]
    iterations: Scalar
    converged: Scalar


@dataclass(frozen=True)
class Ends:
    """When passes end.

    tolerance    of the error of accelerations, relative to 1 + the largest
    improvement  of the cost that a step must promise, else it is the last one
    limit        passes at the most
    rounding     what sums of slopes leave of zero, relative to their terms
    """

    tolerance: float
    improvement: float
    limit: int
    rounding: float


def newton(soft: SoftProblem, start: Sequence[Scalar], ends: Ends) -> SoftSolution:
    """From accelerations `start`, until the sites' forces are what their accelerations say."""
    limit = ends.limit
    sites = soft.sites
    change = rolled(soft.problem, start)
    g = _smooth_gradient(soft, start, change)

    def one_pass(values, running):
        now, (steps, done) = Iterate.unpacked(sites, len(start), values[:-2]), values[-2:]
        models = [site.model(x, phi) for site, x, phi in zip(sites, now.x, now.phi, strict=True)]
        errors = [site.error(numbers) for site, numbers in zip(sites, models, strict=True)]
        settled = _is_settled(soft, now, errors, ends)
        ended = settled | (steps > limit - 0.5)
        done = where(running, where(settled, 1.0, 0.0), done)
        one_more = where(ended, 0.0, where(running, 1.0, 0.0))

        def advance() -> list[Scalar]:
            there, is_last = _walk(soft, now, models, g, ends)
            return [*there.packed(sites), where(is_last, 1.0, 0.0)]

        *following, last = guard(one_more > 0.5, advance, [*now.packed(sites), 0.0])
        return [*following, steps + one_more, maximum(done, last)], ended | (last > 0.5)

    first = Iterate(list(start), soft.values(start, change), [[0.0] * site.size for site in sites], 1.0)
    values = until(
        one_pass, [*first.packed(sites), 0.0, 0.0], limit=limit + 1, expected=min(EXPECTED_PASSES, limit) + 1.0,
        keeps=True,
    )  # fmt: skip
    found = Iterate.unpacked(sites, len(start), values[:-2])
    return SoftSolution(found.a, found.x, found.phi, values[-2], values[-1] > 0.5)


def _is_settled(soft: SoftProblem, now: Iterate, errors: Sequence[Scalar], ends: Ends) -> Scalar:
    """Whether forces are what accelerations say, or so nearly that no step would promise an improvement: one that does
    away with an error e of what moves by 1/m per force lowers the cost by about m/2 e^2."""
    bearable = ends.tolerance * (1.0 + _largest(now.a))
    settled = maximum(_largest(errors), absolute(now.w)) <= bearable
    if not ends.improvement:
        return settled
    promised, unmet = 0.0, absolute(now.w)
    for site, error in zip(soft.sites, errors, strict=True):
        if isinstance(site, ConstraintSite):
            unmet = maximum(unmet, error)
        else:
            promised = promised + error * error * (0.5 / max(site.weights))
    return settled | ((promised <= ends.improvement) & (unmet <= bearable))


def _walk(
    soft: SoftProblem, now: Iterate, models: list[Values], g: Sequence[Scalar], ends: Ends
) -> tuple[Iterate, Scalar]:  # fmt: skip
    """Towards the minimum of the quadratic models together, as far as that helps; and whether that was all."""
    da, change = _step(soft, models, [-(now.w * x) for x in g])
    d = soft.values(da, change)
    dphi, sums = [], Along(0.0, 0.0, 0.0)
    for site, numbers, phi, own in zip(soft.sites, models, now.phi, d, strict=True):
        more, sums = site.change(numbers, phi, own, sums)
        dphi.append(more)
    rest = now.w * sum_of(p * r for p, r in zip(da, g, strict=True))
    line = SearchLine(
        soft.sites, now.x, d, sums.residual + rest, sums.kept + rest, sums.change - rest, ends.rounding
    )  # fmt: skip
    t = walked(line)
    there = Iterate(
        moved(now.a, t, da), [moved(p, t, q) for p, q in zip(now.x, d, strict=True)],
        [moved(p, t, q) for p, q in zip(now.phi, dphi, strict=True)], now.w * (1.0 - t),
    )  # fmt: skip
    return there, _is_last(soft, there, _largest(da), line.steep, ends)


def _is_last(soft: SoftProblem, there: Iterate, step: Scalar, steep: Scalar, ends: Ends) -> Scalar:
    """Whether a step of this size, and this slope at its start, was so small that nothing is left to do (of forces in
    stiff directions rounding may leave more than the tolerance)."""
    bearable = ends.tolerance * (1.0 + _largest(there.a))
    is_last = (step <= bearable) & (absolute(there.w) <= bearable)
    if ends.improvement:
        is_last = is_last | (steep * -0.5 <= ends.improvement)
    for site, x in zip(soft.sites, there.x, strict=True):
        if isinstance(site, ConstraintSite):
            is_last = is_last & (_largest([p - q for p, q in zip(x, site.rows.e, strict=True)]) <= bearable)
    return is_last


def _step(
    soft: SoftProblem, models: list[Values], torques: Sequence[Scalar]
) -> tuple[list[Scalar], list[Motion]]:  # fmt: skip
    """Accelerations of joints and bodies under the pull of all sites and these torques."""
    problem = soft.problem.with_right_sides(torques, [0.0] * len(soft.problem.mu))
    problem.tree = tree = copy.copy(problem.tree)
    armature = [list(own) for own in tree.armature]
    places = {k: (i, n) for i in tree.outward() for n, k in enumerate(range(tree.nv)[tree.iv[i]])}
    blocks: list[PenaltyBlock | BodyPenalty] = []
    multipliers: list[Scalar] = [] if soft.hard else [0.0] * len(soft.problem.mu)
    for site, numbers in zip(soft.sites, models, strict=True):
        if isinstance(site, JointSite):  # as a rotor that is pushed
            k, (H, r) = site.rows.k, numbers
            i, n = places[k]
            armature[i][n], problem.tau[k] = armature[i][n] + H, problem.tau[k] - r
        elif isinstance(site, ConstraintSite):
            multipliers += numbers
        else:
            blocks.append(site.penalty(numbers))  # type: ignore[attr-defined]  # a body's or a pair's
    coupled = [tuple(body for body, _ in site.rows.terms) for site in soft.pairs]
    tree.armature = tuple(armature)
    tree.constraint_bodies = (*tree.constraint_bodies, *dict.fromkeys(coupled))
    graph = EliminatedGraph(problem, multipliers, blocks)
    return graph.accelerate(graph.y, None)


def _largest(values: Sequence[Scalar]) -> Scalar:
    largest: Scalar = 0.0
    for value in values:
        largest = maximum(largest, absolute(value))
    return largest


def _smooth_gradient(soft: SoftProblem, a: Sequence[Scalar], change: Sequence[Motion]) -> list[Scalar]:
    """M (a - a_smooth): RNEA's sweep inward."""
    problem = soft.problem
    tree, sweep = problem.tree, problem.sweep
    wrench = [
        f if i == 0 else f + tree.lumped[i].articulated() @ change[i] for i, f in enumerate(problem.wrenches)
    ]
    for c in () if soft.hard else problem.constraints:
        pull = [mu * r for mu, r in zip(c.mu, c.residual(change), strict=True)]
        for body, K in c.terms:
            wrench[body] = wrench[body] + combine(K, pull)
    g: list[Scalar] = [0.0] * tree.nv
    for i in tree.inward():
        iv = tree.iv[i]
        own = sweep.S[i].project(wrench[i])
        g[iv] = [s + r * x - t for s, r, x, t in zip(own, tree.armature[i], a[iv], problem.tau[iv], strict=True)]
        if tree.parent[i]:
            p = tree.parent[i]
            wrench[p] = wrench[p] + sweep.X[i].T @ wrench[i]
    return g
