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
# Hard rows that depend on each other, or contradict each other, are met up to rounding or not at all: passes end where
# the largest miss is no longer halved. Up to so much of 1 + the largest acceleration it counts as met.
_HALVED = 0.5
_MISSED_BY_ROUNDING = 1e-8
# Steps shorter than that part of 1 + the largest acceleration are taken whole: slopes along them are rounding alone,
# and a search would stop anywhere.
_BEYOND_DOUBT = 1e-8
_GOES_ON, _SETTLED, _MET = 0.0, 1.0, 2.0  # what became of a sample


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
        return [*self.yielding, *constraints]

    @property
    def yielding(self) -> list[Site]:
        """All but hard constraints, which come last."""
        return [*self.bodies, *self.pairs, *self.joints]

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
    """Accelerations, those of all sites, their forces; how many solutions that took, and whether it is one.

    settled   whether soft rows are as they should be, and hard ones as near as they can be brought
    """

    a: list[Scalar]
    x: list[Values]
    phi: list[Values]
    iterations: Scalar
    converged: Scalar
    settled: Scalar


def newton(
    soft: SoftProblem, start: Sequence[Scalar], tolerance: float, limit: int, rounding: float
) -> SoftSolution:  # fmt: skip
    """From accelerations `start`, until the sites' forces are what their accelerations say.

    `rounding`: relative size of what sums of slopes leave of zero.
    """
    sites = soft.sites
    change = rolled(soft.problem, start)
    g = _smooth_gradient(soft, start, change)

    def one_pass(values, running):
        now, (steps, done) = Iterate.unpacked(sites, len(start), values[:-2]), values[-2:]
        models = [site.model(x, phi) for site, x, phi in zip(sites, now.x, now.phi, strict=True)]
        error = absolute(now.w)
        for site, numbers in zip(soft.yielding, models, strict=False):
            error = maximum(error, site.error(numbers))
        soft_settled = error <= tolerance * (1.0 + _largest(now.a))
        settled = soft_settled & (_missed(soft, now) <= tolerance * (1.0 + _largest(now.a)))
        ended = settled | (steps > limit - 0.5)
        done = where(running, where(settled, _MET, _GOES_ON), done)
        one_more = where(ended, 0.0, where(running, 1.0, 0.0))

        def advance() -> list[Scalar]:
            there, step = _walk(soft, now, models, g, rounding)
            return [*there.packed(sites), _outcome(soft, now, soft_settled, there, step, tolerance)]

        *following, outcome = guard(one_more > 0.5, advance, [*now.packed(sites), _GOES_ON])
        return [*following, steps + one_more, maximum(done, outcome)], ended | (outcome > 0.5)

    first = Iterate(list(start), soft.values(start, change), [[0.0] * site.size for site in sites], 1.0)
    values = until(
        one_pass, [*first.packed(sites), 0.0, 0.0], limit=limit + 1, expected=min(EXPECTED_PASSES, limit) + 1.0,
        keeps=True,
    )  # fmt: skip
    found = Iterate.unpacked(sites, len(start), values[:-2])
    return SoftSolution(found.a, found.x, found.phi, values[-2], values[-1] > 1.5, values[-1] > 0.5)


def _walk(
    soft: SoftProblem, now: Iterate, models: list[Values], g: Sequence[Scalar], rounding: float
) -> tuple[Iterate, list[Scalar]]:  # fmt: skip
    """(Where it leads, the step): to the minimum of the quadratic models together, as far as that helps."""
    da, change = _step(soft, models, [-(now.w * x) for x in g])
    d = soft.values(da, change)
    dphi, sums = [], Along(0.0, 0.0, 0.0)
    for site, numbers, phi, own in zip(soft.sites, models, now.phi, d, strict=True):
        more, sums = site.change(numbers, phi, own, sums)
        dphi.append(more)
    rest = now.w * sum_of(p * r for p, r in zip(da, g, strict=True))
    line = SearchLine(
        soft.sites, now.x, d, sums.residual + rest, sums.kept + rest, sums.change - rest, rounding
    )  # fmt: skip
    t = where(_largest(da) <= _BEYOND_DOUBT * (1.0 + _largest(now.a)), 1.0, walked(line))
    there = Iterate(
        moved(now.a, t, da), [moved(p, t, q) for p, q in zip(now.x, d, strict=True)],
        [moved(p, t, q) for p, q in zip(now.phi, dphi, strict=True)], now.w * (1.0 - t),
    )  # fmt: skip
    return there, da


def _outcome(
    soft: SoftProblem, now: Iterate, settled: Scalar, there: Iterate, step: Sequence[Scalar], tolerance: float
) -> Scalar:
    """Whether a step leaves nothing to do: soft rows were settled before it, or it is small (of forces in stiff
    directions rounding may leave more); hard rows are met, or no nearer than before."""
    scale = 1.0 + _largest(there.a)
    small = maximum(_largest(step), absolute(there.w)) <= tolerance * scale
    if not soft.hard or not soft.problem.constraints:
        return where(small, _MET, _GOES_ON)
    missed = _missed(soft, there)
    at_rest = (missed > _HALVED * _missed(soft, now)) & (settled | small)
    met = (small & (missed <= tolerance * scale)) | (at_rest & (missed <= _MISSED_BY_ROUNDING * scale))
    return where(met, _MET, where(at_rest, _SETTLED, _GOES_ON))


def _missed(soft: SoftProblem, at: Iterate) -> Scalar:
    """What is left of hard constraints."""
    rows = [
        value - e for site, x in zip(soft.sites, at.x, strict=True) if isinstance(site, ConstraintSite)
        for value, e in zip(x, site.rows.e, strict=True)
    ]  # fmt: skip
    return _largest(rows)


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
