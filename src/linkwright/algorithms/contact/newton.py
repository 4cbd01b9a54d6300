"""Newton's method for the accelerations under soft rows: each step is one solution of LCABA.

minimise over a   1/2 |a - a_smooth|^2_M + the sum of all rows' costs of x = J a.

`M (a - a_smooth) = J' phi + w g` is kept along the way (g: what the left side is at the start), so that neither line
search nor stopping test needs a product with M. Hard constraints are rows with a penalty and a multiplier, -phi: the
method of multipliers, one update per pass.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass

from ...scalar import Scalar, absolute, maximum, until, where
from ...spatial import Motion, sum_of
from ..constrained.coupled_links import PenaltyBlock
from ..constrained.lcaba import EliminatedGraph
from ..rows.constrained_problem import ConstrainedProblem
from .cones import ContactRows, Line, Values
from .joint_rows import JointRows
from .line_search import line_search
from .rows import rolled

EXPECTED_PASSES = 4.0


@dataclass(frozen=True)
class SoftProblem:
    """A mechanism with contacts and joint rows; its constraints have penalties mu, and multipliers if they are hard."""

    problem: ConstrainedProblem
    contacts: Sequence[ContactRows]
    joints: Sequence[JointRows]
    hard: bool

    @property
    def soft(self) -> list[ContactRows | JointRows]:
        return [*self.contacts, *self.joints]

    @property
    def sizes(self) -> list[int]:
        return [*(site.size for site in self.soft), *(c.size for c in self.problem.constraints)]

    def values(self, a: Sequence[Scalar], change: Sequence[Motion]) -> list[Values]:
        soft = [site.values(a, change) for site in self.soft]
        return soft + [c.moved(change) for c in self.problem.constraints]

    def split(self, x: Sequence[Scalar]) -> list[Values]:
        result, start = [], 0
        for size in self.sizes:
            result.append(list(x[start : start + size]))
            start += size
        return result

    def multipliers(self, phi: Sequence[Values]) -> list[Values]:
        """Of the constraints, at the start of a pass."""
        own = phi[len(phi) - len(self.problem.constraints) :]
        return [[-f for f in fs] if self.hard else [0.0] * len(fs) for fs in own]


@dataclass(frozen=True)
class SoftSolution:
    a: list[Scalar]
    x: list[Values]
    phi: list[Values]
    iterations: Scalar
    converged: Scalar


def newton(
    soft: SoftProblem, start: Sequence[Scalar], tolerance: float, limit: int, rounding: float
) -> SoftSolution:  # fmt: skip
    """From accelerations `start`, until the rows' forces are what their accelerations say.

    `rounding`: relative size of what sums of slopes leave of zero.
    """
    n = len(start)
    change = rolled(soft.problem, start)
    x0 = soft.values(start, change)
    g = _smooth_gradient(soft.problem, start, change)
    rows = sum(soft.sizes)

    def one_pass(values, running):
        a, w, steps, done = values[:n], values[n], values[n + 1], values[n + 2]
        x, phi = soft.split(values[n + 3 : n + 3 + rows]), soft.split(values[n + 3 + rows :])
        new_a, new_x, new_phi = _step(soft, x, phi)
        rest = w * sum_of((p - q) * r for p, q, r in zip(new_a, a, g, strict=True))
        t = _length(soft, x, new_x, phi, new_phi, rest, rounding)
        t = where(running, t, 0.0)
        mix = lambda old, new: [p + t * (q - p) for p, q in zip(old, new, strict=True)]  # noqa: E731
        a, w = mix(a, new_a), w * (1.0 - t)
        x = [mix(p, q) for p, q in zip(x, new_x, strict=True)]
        phi = [mix(p, q) for p, q in zip(phi, new_phi, strict=True)]
        settled = _error(soft, x, phi) + absolute(w) <= tolerance * (1.0 + _largest(a))
        done = where(running, where(settled, 1.0, 0.0), done)
        flat = [value for site in (*x, *phi) for value in site]
        return [*a, w, steps + where(running, 1.0, 0.0), done, *flat], settled

    zeros = [0.0] * rows
    first = [*start, 1.0, 0.0, 0.0, *(value for site in x0 for value in site), *zeros]
    values = until(one_pass, first, limit=limit, expected=min(EXPECTED_PASSES, limit), keeps=True)
    x, phi = soft.split(values[n + 3 : n + 3 + rows]), soft.split(values[n + 3 + rows :])
    return SoftSolution(values[:n], x, phi, values[n + 1], values[n + 2] > 0.5)


def _step(soft: SoftProblem, x: list[Values], phi: list[Values]) -> tuple[list[Scalar], list[Values], list[Values]]:
    """(a, x, phi) of the minimum of the cost's quadratic model at x."""
    nc, nj = len(soft.contacts), len(soft.joints)
    hessians = [site.hessian(own) for site, own in zip(soft.contacts, x[:nc], strict=True)]
    penalties = [site.penalty(own) for site, own in zip(soft.joints, x[nc : nc + nj], strict=True)]
    lam = soft.multipliers(phi)
    blocks = [
        PenaltyBlock(site.terms, H.matrix, [-y for y in H.times(site.e)], _inertia_of(site, H))
        for site, H in zip(soft.contacts, hessians, strict=True)
    ]
    graph = EliminatedGraph(_stiffened(soft, penalties), [m for own in lam for m in own], blocks)
    a, change = graph.accelerate(graph.y, None)
    new_x = soft.values(a, change)
    forces: list[Values] = [
        [-f for f in H.times(site.away(own))]
        for site, H, own in zip(soft.contacts, hessians, new_x[:nc], strict=True)
    ]
    forces += [[load - H * own[0]] for (H, load), own in zip(penalties, new_x[nc : nc + nj], strict=True)]
    forces += _pulls(soft, new_x[nc + nj :], lam)
    return a, new_x, forces


def _stiffened(soft: SoftProblem, penalties) -> ConstrainedProblem:
    """The problem with joint rows as rotors that are pushed, and links coupled that touch each other."""
    problem, tree = copy.copy(soft.problem), copy.copy(soft.problem.tree)
    armature, tau = [list(own) for own in tree.armature], list(problem.tau)
    places = {k: (i, n) for i in tree.outward() for n, k in enumerate(range(tree.nv)[tree.iv[i]])}
    for site, (H, load) in zip(soft.joints, penalties, strict=True):
        i, n = places[site.k]
        armature[i][n], tau[site.k] = armature[i][n] + H, tau[site.k] + load
    tree.armature, problem.tau, problem.tree = tuple(armature), tau, tree
    coupled = [tuple(body for body, _ in site.terms) for site in soft.contacts if len(site.terms) > 1]
    tree.constraint_bodies = (*tree.constraint_bodies, *dict.fromkeys(coupled))
    return problem


def _inertia_of(site: ContactRows, H):
    return lambda body, K: H.inertia(K, site.friction_squares(body))


def _pulls(soft: SoftProblem, x: Sequence[Values], lam: Sequence[Values]) -> list[Values]:
    """Forces of constraints: -(lam + mu (x - e))."""
    return [
        [-(m + stiff * (value - e)) for m, stiff, value, e in zip(own, c.mu, values, c.e, strict=True)]
        for c, own, values in zip(soft.problem.constraints, lam, x, strict=True)
    ]


def _length(soft: SoftProblem, x, new_x, phi, new_phi, rest: Scalar, rounding: float) -> Scalar:
    """How far to go along the step; `rest` is what w g does along it."""
    dx = [[q - p for p, q in zip(old, new, strict=True)] for old, new in zip(x, new_x, strict=True)]
    slope, curvature = rest, -rest
    for d, f, new in zip(dx, phi, new_phi, strict=True):
        for step, force, then in zip(d, f, new, strict=True):
            slope = slope + step * force
            curvature = curvature + step * (then - force)
    sites = soft.soft
    lines: list[Line] = [site.line(own, d) for site, own, d in zip(sites, x, dx, strict=False)]
    for c, own, d, lam in zip(
        soft.problem.constraints, x[len(sites) :], dx[len(sites) :], soft.multipliers(phi), strict=True
    ):
        for m, stiff, value, e, step in zip(lam, c.mu, own, c.e, d, strict=True):
            slope = slope + step * (m + stiff * (value - e))
            curvature = curvature + stiff * step * step
    return line_search(slope, curvature, lines, rounding) if lines else 1.0


def _error(soft: SoftProblem, x, phi) -> Scalar:
    """About how far accelerations are off: what rows' forces differ from those their accelerations say, times how
    easily they move; of hard constraints what is left of them.
    """
    sites = soft.soft
    worst: Scalar = 0.0
    for site, own, f in zip(sites, x, phi, strict=False):
        for now, then, weight in zip(site.force(own), f, site.weights, strict=True):
            worst = maximum(worst, absolute(now - then) * weight)
    for c, own, fs in zip(soft.problem.constraints, x[len(sites) :], phi[len(sites) :], strict=True):
        for value, e, stiff, f in zip(own, c.e, c.mu, fs, strict=True):
            worst = maximum(worst, absolute(value - e if soft.hard else (value - e) + f * (1.0 / stiff)))
    return worst


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
