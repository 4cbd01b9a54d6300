"""The classical scheme of order four, explicit, for mechanisms that touch nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..scalar import Scalar
from .divided_steps import DividedIntegrator, StepPart
from .integrator import register_integrator
from .progress import Progress
from .runge_kutta import runge_kutta_step
from .runge_kutta_parts import bears_at_once, in_runge_kutta_parts
from .simulated_mechanism import SimulatedMechanism


@dataclass(frozen=True)
class RungeKutta4(DividedIntegrator):
    """On the configuration manifold (Munthe-Kaas); in parts of one stage a pass where the mechanism needs them."""

    name: ClassVar[str] = "rk4"
    title: ClassVar[str] = "Runge-Kutta 4"
    order: ClassVar[int] = 4
    explicit: ClassVar[frozenset[str]] = frozenset({"control", "friction", "limits"})
    limit_frequency: ClassVar[float] = 0.5
    answered: ClassVar[tuple[float, float]] = (1.0, 0.25)
    takes_contacts: ClassVar[bool] = False
    solves: ClassVar[float] = 4.0

    def advance(self, physics: SimulatedMechanism, start: Progress, lam: Sequence[Scalar] | None) -> StepPart:
        return StepPart(*runge_kutta_step(physics, start, lam))

    def is_bearable(self, physics: SimulatedMechanism, start: Progress, whole: StepPart) -> Scalar:
        return bears_at_once(physics, start, whole.found)

    def in_parts(self, physics: SimulatedMechanism, start: Progress) -> Progress:
        return in_runge_kutta_parts(physics, start)


register_integrator(RungeKutta4())
