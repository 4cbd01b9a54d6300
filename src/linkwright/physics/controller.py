"""How long the steps are that an integrator takes within the step that was asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .integrator import Stepped
from .state import State

if TYPE_CHECKING:
    from .simulated_mechanism import SimulatedMechanism


@dataclass(frozen=True)
class StepController(ABC):
    """Fills dt with steps of an integrator."""

    @abstractmethod
    def advanced(self, physics: SimulatedMechanism, state: State) -> Stepped:
        """What `state` is after the step of physics.dt seconds."""


@dataclass(frozen=True)
class Fixed(StepController):
    """One step of the integrator, whatever its error."""

    def advanced(self, physics: SimulatedMechanism, state: State) -> Stepped:
        return physics.options.integrator.step(physics, state, physics.dt)
