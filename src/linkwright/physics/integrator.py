"""What an integrator is, and which there are by name.

An integrator is a frozen dataclass whose fields are its parameters; its verb is `step`. One more is a file and one
line, `register_integrator(Mine())` (docs/adding/integrator.md).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from ..errors import InputError
from ..scalar import Scalar
from .state import State, StepReport

if TYPE_CHECKING:
    from .simulated_mechanism import SimulatedMechanism


class Stepped(NamedTuple):
    """The state after a step, an estimate of its error (relative to what moves, without dimension; None of schemes that
    have none), and what is told of it."""

    state: State
    error: Scalar | None
    report: StepReport


@dataclass(frozen=True)
class Integrator(ABC):
    """Advances a mechanism."""

    name: ClassVar[str] = ""
    """By which calls and files ask for it."""
    title: ClassVar[str] = ""
    """What people call it."""
    order: ClassVar[int] = 0
    """By which power of the step its error falls, over a time, on smooth motion."""
    error_order: ClassVar[int | None] = None
    """By which power of the step its estimate falls; None where it has none."""
    explicit: ClassVar[frozenset[str]] = frozenset()
    """Which of "control", "friction" and "limits" it takes as they are at the start, without their slopes."""
    growing: ClassVar[bool] = False
    """Whether forces of actuators that grow with their rate are taken implicitly, too."""
    limit_frequency: ClassVar[float] = 1.0
    """Frequency of joint limits times dt: implicit treatment bears any, explicit schemes must resolve it."""
    answered: ClassVar[tuple[float, float]] = (1.0, 1.0)
    """Shares of what constraints are off by in velocity and in position that stabilization answers in one step."""
    is_answered_in_parts: ClassVar[bool] = False
    """Whether parts of its steps are taken by Runge-Kutta, and answer as those do."""
    remembers_rates: ClassVar[bool] = False
    """Whether its steps hand on how velocities changed in the last ones (stepping_memory.py)."""
    switches_constraints: ClassVar[bool] = False
    """Whether constraints may be switched off and on from step to step: it asks for rows by `physics.rows_at`."""
    takes_contacts: ClassVar[bool] = True
    """Whether it knows the soft law of contacts."""

    def first_lag(self, dt: float) -> float:
        """Seconds by which velocities of a state to start from count as older than positions."""
        return 0.0

    @abstractmethod
    def step(self, physics: SimulatedMechanism, state: State, h: Scalar) -> Stepped:
        """What `state` is h seconds later. In the state and in what is told, work, worst and clamped are of this step
        alone, or None."""


INTEGRATORS: dict[str, Integrator] = {}
"""By name, with the parameters they have unasked."""


def register_integrator(integrator: Integrator) -> None:
    """Make an integrator known to simulate, Simulator, rollouts, environments and `compile(robot, "step")`."""
    lacking = [word for word in ("name", "title", "order") if not getattr(integrator, word)]
    if lacking:
        raise InputError(f"integrator {type(integrator).__name__} lacks {', '.join(lacking)}; give them in its class")
    if integrator.name in INTEGRATORS:
        raise InputError(
            f"there is an integrator named {integrator.name!r} already: {INTEGRATORS[integrator.name].title}"
        )
    INTEGRATORS[integrator.name] = integrator


def integrator_of(given: Any) -> Integrator:
    """An integrator by name, or as it is given."""
    if isinstance(given, Integrator):
        return given
    if not isinstance(given, str) or given not in INTEGRATORS:
        known = ", ".join(sorted(INTEGRATORS))
        raise InputError(f"integrator is {given!r}; expected one of {known}, or an Integrator")
    return INTEGRATORS[given]
