"""A step taken in parts where it is too long for the mechanism.

Near a dead point the directions in which a closed loop can move turn within a fraction of a radian, and joints reverse
at accelerations that one step of fixed length cannot follow: it would pump energy into the mechanism until nothing is
finite. So a step that changes velocities too suddenly is tried again, shorter; all that inside the compiled step, for
every sample by itself. Almost every step is taken at once.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..programs.status import STATUS_NOT_CONVERGED
from ..scalar import Scalar, maximum, minimum, until, where
from .embedded_mechanism import EmbeddedMechanism
from .integrator import Integrator, Stepped
from .progress import Progress
from .simulated_mechanism import SimulatedMechanism
from .soft_dynamics import contact_shapes
from .state import ContactReport, State
from .suddenness import PARTS, bearable_change

TURNED_TOUCHING = 0.1  # rad: hinges of loops may turn by so much in a part where things touch
PARTS_TOUCHING = 256
_REJECTED = 0.2  # of its length, at least, is what is tried instead of a part that was too long
_SAFETY = 0.8
_TINY = 1e-300
_WHOLE = 1.0 - 1e-9
# Where rows contradict each other a little (a file's rounded axes), multipliers started from the last step's would grow
# and grow; forgetting one part in a hundred bounds them, and costs no accuracy that two iterations do not make good.
_KEPT_OF_MULTIPLIERS = 0.99

Pace = Callable[[Sequence[Scalar]], Scalar]
Excess = Callable[[Progress, Progress, Scalar], Scalar]
"""(before, after, h) -> how many times as long a part was as it may be."""


class StepPart(NamedTuple):
    """How a part ended, and what was found on its way that others may go on from."""

    ended: Progress
    found: Any = None


@dataclass(frozen=True)
class _Divided:
    """What a loop over parts carries."""

    progress: Progress
    elapsed: Scalar
    length: Scalar


@dataclass(frozen=True)
class DividedIntegrator(Integrator):
    """A scheme whose steps are taken in parts where they are too long for the mechanism."""

    switches_constraints: ClassVar[bool] = True
    solves: ClassVar[float] = 1.0
    """How often a part solves the dynamics; with contacts that is told."""

    @abstractmethod
    def advance(self, physics: SimulatedMechanism, start: Progress, lam: Sequence[Scalar] | None) -> StepPart:
        """A part of physics.h seconds, by itself: `lam` are multipliers to start from."""

    @abstractmethod
    def is_bearable(self, physics: SimulatedMechanism, start: Progress, whole: StepPart) -> Scalar:
        """Whether a step in one part is what the mechanism takes."""

    @abstractmethod
    def in_parts(self, physics: SimulatedMechanism, start: Progress) -> Progress:
        """The step, in parts if need be, of a mechanism whose constraints are held by forces."""

    def step(self, physics: SimulatedMechanism, state: State, h: Scalar) -> Stepped:
        physics = physics.over(h)
        start, embedded = Progress.at(physics, state), isinstance(physics, EmbeddedMechanism)
        if physics.law is not None:
            ended = self._touching(physics, start)
        elif not physics.constrained:
            ended = self.part(physics, start, physics.dt).ended
        elif physics.differentiated:
            ended = self._at_once(physics, start)
        elif embedded:
            ended = filled(self, physics, start, too_sudden(physics.pace, physics.dt))
        else:
            ended = self.in_parts(physics, start)
        return ended.stepped()

    def part(self, physics: SimulatedMechanism, start: Progress, h: Scalar) -> StepPart:
        """A part of h seconds, with what was before it."""
        lam = [_KEPT_OF_MULTIPLIERS * value for value in start.lam] if physics.remembers else None
        found = self.advance(physics.taking(h), start, lam)
        solves = self.solves if physics.law is None else found.ended.iterations
        return found._replace(ended=found.ended.since(start, physics, h, solves))

    def _at_once(self, physics: SimulatedMechanism, start: Progress) -> Progress:
        """The step in one part, for its derivatives: the status says where that is not what is simulated."""
        whole = self.part(physics, start, physics.dt)
        enough = physics.pace(whole.ended.a) * physics.dt <= bearable_change(physics.pace(start.v), physics.dt)
        if not isinstance(physics, EmbeddedMechanism):
            enough = self.is_bearable(physics, start, whole)
        return replace(whole.ended, status=where(enough, whole.ended.status, STATUS_NOT_CONVERGED))

    def _touching(self, physics: SimulatedMechanism, start: Progress) -> Progress:
        """One step, or where hinges of hard loops turn fast, parts of it; its derivative is that of the one. Velocities
        may change as suddenly as they like where things hit each other: what they change by is no measure."""
        law = physics.law
        if law is None or law.equality != "hard" or not physics.turning_in_loops:
            return self.part(physics, start, physics.dt).ended
        too_far = turns_too_far(physics.turning)
        if physics.differentiated:
            whole = self.part(physics, start, physics.dt).ended
            doubted = too_far(start, whole, physics.dt) > 1.0
            worse = maximum(whole.status, STATUS_NOT_CONVERGED)
            return replace(whole, status=where(doubted, worse, whole.status))
        shapes = contact_shapes(physics.tree, start.q)
        touching = ContactReport(**{name: np.zeros(shape).tolist() for name, shape in shapes.items()})
        start = replace(start, penetration=[0.0, 0.0], effort=0.0, touching=touching)
        return filled(self, physics, start, too_far, PARTS_TOUCHING)


def filled(
    integrator: DividedIntegrator, physics: SimulatedMechanism, start: Progress, excess: Excess, finest: int = PARTS
) -> Progress:
    """What parts of an integrator make of `start`, as long as they may be, adding up to the step; there are at most
    about `finest` of them."""
    dt = physics.dt

    def one_part(now: _Divided, running: Scalar) -> tuple[_Divided, Scalar]:
        h = minimum(now.length, dt - now.elapsed)
        new = integrator.part(physics, now.progress, h).ended
        over = excess(now.progress, new, h)
        taken = ~(over > 1.0) | (h <= dt * (1.0001 / finest)) | ~(over < float("inf"))  # nor what is not finite again
        fitting = h * _SAFETY * minimum(maximum(1.0 / maximum(over, _TINY), _REJECTED), 2.0 / _SAFETY)
        moves_on = running & taken
        kept = where(moves_on, replace(now, progress=new, elapsed=now.elapsed + h), now)
        length = where(running, maximum(fitting, dt * (1.0 / finest)), now.length)
        return replace(kept, length=length), taken & (kept.elapsed >= dt * _WHOLE)

    passes = 2 * finest + 16  # more cannot be needed: after a rejection, the part that is taken has a share at least
    return until(one_part, _Divided(start, 0.0, dt), limit=passes, expected=1.0, keeps=True).progress


def too_sudden(pace: Pace, dt: Scalar) -> Excess:
    """Parts in which velocities change more than they may."""
    return lambda before, after, h: pace(after.a) * h / bearable_change(pace(before.v), dt)


def turns_too_far(turning: Pace) -> Excess:
    """Parts in which a hinge of a loop turns too far, before or after whatever happened in it."""
    return lambda before, after, h: maximum(turning(before.v), turning(after.v)) * h * (1.0 / TURNED_TOUCHING)
