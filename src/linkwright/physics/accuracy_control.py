"""Steps as long as an accuracy allows: Dormand and Prince's pair from the start, dt being how often inputs change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..scalar import where
from .controller import StepController
from .integrator import INTEGRATORS, Integrator, Stepped
from .state import State

if TYPE_CHECKING:
    from .simulated_mechanism import SimulatedMechanism


@dataclass(frozen=True)
class ErrorControl(StepController):
    """`value` is the error that a part of a step may make, relative to the speed of the motion (inertia_norm.py)."""

    value: float = 1e-4

    def advanced(self, physics: SimulatedMechanism, state: State) -> Stepped:
        """In parts; the first one is as long as the last step's parts were in the end."""
        from .dormand_prince_parts import in_dormand_prince_parts  # these need options, which need this file
        from .leapfrog import kicked
        from .leapfrog_mechanics import LeapfrogMechanics
        from .progress import Progress

        own, start, dt = LeapfrogMechanics(physics), Progress.at(physics, state), physics.dt
        corners = kicked(own, start, state.memory, None).corners  # without friction and limits nobody asks for the rest
        length = where(state.memory.length > 0.0, state.memory.length, dt)
        ended, memory = in_dormand_prince_parts(own, start, state.memory, length, float(self.value), corners)
        stepped = ended.stepped(memory.error * float(self.value))
        return stepped._replace(state=replace(stepped.state, memory=memory))


def check_accuracy(value: Any, integrator: Integrator, contact: str | None) -> None:
    """Refuse what is none, and schemes that cannot tell how accurate they are."""
    number = isinstance(value, Real) and not isinstance(value, bool | np.bool_) and np.isfinite(float(value))
    if not (number and value > 0.0):
        raise InputError(
            f"accuracy is {value!r}; expected a positive number such as 1e-6, the share of its speed that a mechanism "
            f"may be off by after a part of a step, or None for steps of dt"
        )
    if contact is not None:
        raise InputError(
            f"accuracy is {value!r}, and there are contacts, whose law depends on dt: give a smaller dt instead, or "
            f"contact=None to leave them out"
        )
    if integrator.error_order is None:
        able = " or ".join(repr(one.name) for one in INTEGRATORS.values() if one.error_order is not None)
        raise InputError(
            f"accuracy is {value!r}, and integrator {integrator.name!r}, which has no estimate of its error; take "
            f"{able}, or leave integrator= out"
        )
