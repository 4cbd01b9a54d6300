"""The leapfrog where something touches: half a drift, the soft law's accelerations in the middle, the other half.

From middle to middle that is semi-implicit Euler, which the law is made for: overlap is looked at where velocities have
not been yet, and stiff contacts bear it. But velocities that are given and found belong to the positions beside them,
and what nothing touches flies as it should.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import ClassVar

from ..scalar import Scalar
from .divided_steps import DividedIntegrator, StepPart
from .momentum import MomentumMotion
from .options import SoftLaw
from .progress import Progress
from .simulated_mechanism import SimulatedMechanism
from .soft_step import soft_step


@dataclass(frozen=True)
class SoftLeapfrog(DividedIntegrator):
    """What `Leapfrog` is where there is a law of contacts."""

    order: ClassVar[int] = 1

    def advance(self, physics: SimulatedMechanism, start: Progress, lam: Sequence[Scalar] | None) -> StepPart:
        law, half = physics.law, 0.5 * physics.h
        assert isinstance(law, SoftLaw)  # else `Leapfrog` takes the step
        physics = copy(physics)
        physics.straight = motion = MomentumMotion(physics.tree, physics.given.get("inertias"))
        u = motion.of(start.q, start.v)
        middle = motion.moved(start.q, [half * x for x in u])
        felt = motion.velocities(middle, u)
        found = soft_step(physics, replace(start, q=middle, v=felt, lag=half), law)  # v is half a step older there
        # which has gone a whole step on, along the new velocities
        u_next = motion.of(found.ended.q, found.ended.v)
        q_next = motion.moved(middle, [half * x for x in u_next])
        return found._replace(ended=replace(found.ended, q=q_next, v=motion.velocities(q_next, u_next), lag=0.0))

    def is_bearable(self, physics: SimulatedMechanism, start: Progress, whole: StepPart) -> Scalar:
        """What touches changes velocities as suddenly as it likes."""
        return True

    def in_parts(self, physics: SimulatedMechanism, start: Progress) -> Progress:
        """All at once."""
        return self.part(physics, start, physics.dt).ended
