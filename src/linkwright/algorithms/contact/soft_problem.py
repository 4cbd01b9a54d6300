"""What Newton's method minimises, a mechanism with sites, and where it is, with what is kept for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...scalar import Scalar
from ...spatial import Motion
from ..rows.constrained_problem import ConstrainedProblem
from .cones import Values
from .rows import rolled
from .sites import BodySite, ConstraintSite, JointSite, PairSite, Site, TendonSite


@dataclass(frozen=True)
class SoftProblem:
    """A mechanism with contacts and rows of tendons and joints; its constraints have penalties mu, and multipliers if
    they are hard."""

    problem: ConstrainedProblem
    bodies: Sequence[BodySite]
    pairs: Sequence[PairSite]
    tendons: Sequence[TendonSite]
    joints: Sequence[JointSite]
    hard: bool

    @cached_property
    def sites(self) -> list[Site]:
        constraints = [ConstraintSite(c) for c in self.problem.constraints] if self.hard else []
        return [*self.yielding, *constraints]

    @property
    def yielding(self) -> list[Site]:
        """All but hard constraints, which come last."""
        return [*self.bodies, *self.pairs, *self.tendons, *self.joints]

    @property
    def coupling(self) -> list[PairSite | TendonSite]:
        """Those that couple bodies."""
        return [*self.pairs, *self.tendons]

    @property
    def coupled_bodies(self) -> list[tuple[int, ...]]:
        return list(dict.fromkeys(tuple(body for body, _ in site.rows.terms) for site in self.coupling))

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
