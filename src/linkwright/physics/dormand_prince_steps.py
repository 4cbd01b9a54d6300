"""Dormand and Prince's pair by itself: one step of order five, whatever its error."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ..call_errors import names_arguments
from ..scalar import Scalar
from .dormand_prince import ERROR_ORDER, ORDER
from .dormand_prince_parts import in_dormand_prince_parts
from .integrator import Integrator, Stepped, register_integrator
from .leapfrog import kicked
from .leapfrog_mechanics import LeapfrogMechanics
from .progress import Progress
from .simulated_mechanism import SimulatedMechanism
from .state import State


@names_arguments
@dataclass(frozen=True)
class DormandPrince(Integrator):
    """Explicit but for limits and dry friction, whose torques are those that a leapfrog finds for the step."""

    name: ClassVar[str] = "dormand_prince"
    title: ClassVar[str] = "Dormand-Prince"
    order: ClassVar[int] = ORDER
    error_order: ClassVar[int | None] = ERROR_ORDER
    takes_contacts: ClassVar[bool] = False
    remembers_rates: ClassVar[bool] = True
    switches_constraints: ClassVar[bool] = True

    def step(self, physics: SimulatedMechanism, state: State, h: Scalar) -> Stepped:
        physics = physics.over(h)
        own, start = LeapfrogMechanics(physics), Progress.at(physics, state)
        corners = kicked(own, start, state.memory, None).corners
        ended, memory = in_dormand_prince_parts(own, start, state.memory, h, None, corners)
        stepped = ended.stepped()
        return stepped._replace(state=replace(stepped.state, memory=memory))


register_integrator(DormandPrince())
