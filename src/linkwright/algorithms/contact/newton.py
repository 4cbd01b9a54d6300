"""Newton's method for the accelerations under soft rows: each step is one solution of LCABA.

minimise over a   1/2 |a - a_smooth|^2_M + the sum of all sites' costs of x = J a.

`M (a - a_smooth) = J' phi + w g` is kept along the way (g: what the left side is at the start), so that neither line
search nor stopping test needs a product with M. Hard constraints are rows with a penalty and a multiplier, -phi: the
method of multipliers, one update per pass.

A pass walks along the last step as far as it helps, where the costs are modelled anew (search.py); unless forces are
now what accelerations say, it finds the next step. So every model is made once, and no solution is found in vain.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...scalar import Scalar, absolute, guard, maximum, until, where
from ...spatial import Motion, sum_of
from ..constrained.coupled_links import BodyPenalty, PenaltyBlock
from ..constrained.lcaba import EliminatedGraph
from ..rows.constrained_problem import ConstrainedProblem
from .cones import Values
from .rows import rolled
from .search import SearchLine, walked
from .sites import BodySite, ConstraintSite, JointSite, PairSite, Site

EXPECTED_PASSES = 4.0
# Hard rows that depend on each other, or contradict each other, are met up to rounding or not at all: passes end where
# the largest miss is no longer halved. Up to so much of 1 + the largest acceleration it counts as met.
_HALVED = 0.5
_MISSED_BY_ROUNDING = 1e-8


@dataclass(frozen=True)
class SoftProblem:
    """A mechanism with contacts and joint rows; its constraints have penalties mu, and multipliers if they are hard."""

    problem: ConstrainedProblem
    bodies: Sequence[BodySite]
    pairs: Sequence[PairSite]
    joints: Sequence[JointSite]
    hard: bool

    @property
    def soft(self) -> list[Site]:
        return [*self.bodies, *self.pairs, *self.joints]

    @property
    def sites(self) -> list[Site]:
        return [*self.soft, *(ConstraintSite(c) for c in self.problem.constraints)]

    def values(self, a: Sequence[Scalar], change: Sequence[Motion]) -> list[Values]:
        return [site.values(a, change) for site in self.sites]

    def split(self, x: Sequence[Scalar]) -> list[Values]:
        result, start = [], 0
        for site in self.sites:
            result.append(list(x[start : start + site.size]))
            start += site.size
        return result

    def multipliers(self, phi: Sequence[Values]) -> list[Values]:
        """Of the constraints, at the start of a pass."""
        return [[-f for f in fs] if self.hard else [0.0] * len(fs) for fs in self.of_constraints(phi)]

    def of_constraints(self, values: Sequence[Values]) -> list[Values]:
        return list(values[len(values) - len(self.problem.constraints) :])


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
    n, sites = len(start), soft.sites
    change = rolled(soft.problem, start)
    x0 = [value for own in soft.values(start, change) for value in own]
    g = _smooth_gradient(soft.problem, start, change)
    rows = len(x0)

    def one_pass(values, running):
        a, x, phi, da, dx, dphi = (values[s] for s in _slices(n, rows))
        w, steps, done, steep, missed = values[-5:]
        x, phi, dx, dphi = (soft.split(v) for v in (x, phi, dx, dphi))
        rest = w * sum_of(p * r for p, r in zip(da, g, strict=True))
        line = SearchLine(sites, x, dx, phi, dphi, soft.multipliers(phi), rest, steep, rounding)
        t, models = walked(line, where(running & (steps > 0.5), 1.0, 0.0))
        a, w = _along(a, t, da), w * (1.0 - t)
        x = [_along(p, t, d) for p, d in zip(x, dx, strict=True)]
        phi = [_along(p, t, d) for p, d in zip(phi, dphi, strict=True)]
        scale = 1.0 + _largest(a)
        settled = _error(soft, models, x, phi) + absolute(w) <= tolerance * scale
        met, missing = settled, _missed(soft, x)
        missed_next = where(settled, missing, math.inf)  # forces that still change are no sign of standing still
        if soft.hard and soft.problem.constraints:
            met = settled & (missing <= max(tolerance, _MISSED_BY_ROUNDING) * scale)
            settled = settled & ((missing <= tolerance * scale) | (missing > _HALVED * missed))
        last = steps > limit - 0.5
        ended = settled | last
        done = where(running, where(ended & met, 2.0, where(settled, 1.0, 0.0)), done)

        def solve() -> list[Scalar]:
            new_a, new_x, new_phi = _step(soft, models, phi)
            step_a, step_x, step_phi = _less(new_a, a), _less(_flat(new_x), _flat(x)), _less(_flat(new_phi), _flat(phi))
            slope = w * sum_of(p * r for p, r in zip(step_a, g, strict=True))
            return [*step_a, *step_x, *step_phi, slope + _slope(soft, models, x, phi, soft.split(step_x))]

        one_more = where(ended, 0.0, where(running, 1.0, 0.0))
        found = guard(one_more > 0.5, solve, [*da, *_flat(dx), *_flat(dphi), steep])
        steps = steps + one_more
        missed = where(running, missed_next, missed)
        return [*a, *_flat(x), *_flat(phi), *found[:-1], w, steps, done, found[-1], missed], ended

    nothing = [0.0] * rows
    first = [*start, *x0, *nothing, *[0.0] * n, *nothing, *nothing, 1.0, 0.0, 0.0, 0.0, math.inf]
    values = until(one_pass, first, limit=limit + 1, expected=min(EXPECTED_PASSES, limit) + 1.0, keeps=True)
    a, x, phi = (values[s] for s in _slices(n, rows)[:3])
    return SoftSolution(a, soft.split(x), soft.split(phi), values[-4], values[-3] > 1.5, values[-3] > 0.5)


def _slices(n: int, rows: int) -> list[slice]:
    """Where a, x, phi and their steps are among what a pass carries."""
    slices, start = [], 0
    for size in (n, rows, rows, n, rows, rows):
        slices.append(slice(start, start + size))
        start += size
    return slices


def _flat(values: Sequence[Values]) -> list[Scalar]:
    return [x for own in values for x in own]


def _less(new: Sequence[Scalar], old: Sequence[Scalar]) -> list[Scalar]:
    return [p - q for p, q in zip(new, old, strict=True)]


def _along(x: Sequence[Scalar], t: Scalar, d: Sequence[Scalar]) -> list[Scalar]:
    return [p + t * q for p, q in zip(x, d, strict=True)]


def _step(
    soft: SoftProblem, models: list[Values], phi: list[Values]
) -> tuple[list[Scalar], list[Values], list[Values]]:
    """(a, x, phi) of the minimum of the quadratic models together."""
    own = iter(models)
    blocks: list[PenaltyBlock | BodyPenalty] = [site.penalty(next(own)) for site in soft.bodies]
    blocks += [pair.penalty(next(own)) for pair in soft.pairs]
    penalties = [next(own) for _ in soft.joints]
    lam = soft.multipliers(phi)
    graph = EliminatedGraph(_stiffened(soft, penalties), [m for each in lam for m in each], blocks)
    a, change = graph.accelerate(graph.y, None)
    x = soft.values(a, change)
    forces = [site.force(numbers, z) for site, numbers, z in zip(soft.sites, [*models, *lam], x, strict=True)]
    return a, x, forces


def _stiffened(soft: SoftProblem, penalties) -> ConstrainedProblem:
    """The problem with joint rows as rotors that are pushed, and links coupled that touch each other."""
    problem, tree = copy.copy(soft.problem), copy.copy(soft.problem.tree)
    armature, tau = [list(own) for own in tree.armature], list(problem.tau)
    places = {k: (i, n) for i in tree.outward() for n, k in enumerate(range(tree.nv)[tree.iv[i]])}
    for site, (H, load) in zip(soft.joints, penalties, strict=True):
        i, n = places[site.rows.k]
        armature[i][n], tau[site.rows.k] = armature[i][n] + H, tau[site.rows.k] + load
    tree.armature, problem.tau, problem.tree = tuple(armature), tau, tree
    coupled = [tuple(body for body, _ in site.rows.terms) for site in soft.pairs]
    tree.constraint_bodies = (*tree.constraint_bodies, *dict.fromkeys(coupled))
    return problem


def _slope(soft: SoftProblem, models: list[Values], x: list[Values], phi: list[Values], dx: list[Values]) -> Scalar:
    """Of the cost along a step from where the models were made, all but what w g does."""
    slope: Scalar = 0.0
    numbers = [*models, *soft.multipliers(phi)]
    for site, own, z, f, d in zip(soft.sites, numbers, x, phi, dx, strict=True):
        for step, kept, now in zip(d, f, site.force(own, z), strict=True):
            slope = slope + step * (kept - now)
    return slope


def _error(soft: SoftProblem, models: list[Values], x: list[Values], phi: list[Values]) -> Scalar:
    """About how far accelerations are off: what soft rows' forces differ from those their accelerations say, times how
    easily they move.
    """
    worst: Scalar = 0.0
    for site, own, z, f in zip(soft.soft, models, x, phi, strict=False):
        for now, then, weight in zip(site.force(own, z), f, site.weights, strict=True):
            worst = maximum(worst, absolute(now - then) * weight)
    if soft.hard:
        return worst
    for c, z, fs in zip(soft.problem.constraints, soft.of_constraints(x), soft.of_constraints(phi), strict=True):
        for value, e, stiff, f in zip(z, c.e, c.mu, fs, strict=True):
            worst = maximum(worst, absolute((value - e) + f * (1.0 / stiff)))
    return worst


def _missed(soft: SoftProblem, x: list[Values]) -> Scalar:
    """What is left of hard constraints."""
    if not soft.hard:
        return 0.0
    rows = zip(soft.problem.constraints, soft.of_constraints(x), strict=True)
    return _largest([value - e for c, z in rows for value, e in zip(z, c.e, strict=True)])


def _largest(values: Sequence[Scalar]) -> Scalar:
    largest: Scalar = 0.0
    for value in values:
        largest = maximum(largest, absolute(value))
    return largest


def _smooth_gradient(problem: ConstrainedProblem, a: Sequence[Scalar], change: Sequence[Motion]) -> list[Scalar]:
    """M (a - a_smooth): RNEA's sweep inward."""
    tree, sweep = problem.tree, problem.sweep
    wrench = [
        f if i == 0 else f + tree.lumped[i].articulated() @ change[i] for i, f in enumerate(problem.wrenches)
    ]
    g: list[Scalar] = [0.0] * tree.nv
    for i in tree.inward():
        iv = tree.iv[i]
        own = sweep.S[i].project(wrench[i])
        g[iv] = [s + r * x - t for s, r, x, t in zip(own, tree.armature[i], a[iv], problem.tau[iv], strict=True)]
        if tree.parent[i]:
            p = tree.parent[i]
            wrench[p] = wrench[p] + sweep.X[i].T @ wrench[i]
    return g
