"""What a step starts from and leaves behind, what it is given besides, and what it tells.

Each quantity is declared here once. Names of fields are those of the inputs and outputs of the program `step`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..model import Model
from ..scalar import Scalar
from .quantities import quantities, quantity, seen, shape_of
from .stepping_memory import SteppingMemory

# When a program takes a quantity; the order of these groups is that of the inputs of a step.
ALWAYS = "always"
COMMANDS = "commands of actuators"
MEMORY = "memory of the scheme"
MEMORY_OF_RATES = "memory of rates"
MEMORY_OF_CONTACTS = "memory of contacts"
FEEDBACK = "feedback"
BOOKS = "books"
ACTIVATIONS = "activations of actuators"
BOOKS_OF_COMMANDS = "books of commands"
SWITCHES = "switches of constraints"
SWITCHED = (COMMANDS, MEMORY, MEMORY_OF_RATES, MEMORY_OF_CONTACTS, FEEDBACK, BOOKS, ACTIVATIONS, BOOKS_OF_COMMANDS,
            SWITCHES)  # fmt: skip


@dataclass(frozen=True)
class Work:
    """Joules done since the start."""

    controls: Scalar = 0.0
    dampers: Scalar = 0.0
    """By dampers and friction; negative."""
    limits: Scalar = 0.0
    outside: Scalar = 0.0
    """By external forces."""
    contacts: Scalar = 0.0
    """And by soft constraints."""


@dataclass(frozen=True)
class Worst:
    """The largest of any step so far; the last two are seconds."""

    drift: Scalar = 0.0
    """m, rad: how far constraints were open."""
    residual: Scalar = 0.0
    """m/s^2, rad/s^2: what the solver left of the constraints' accelerations."""
    relative: Scalar = 0.0
    """The same beside the step's accelerations."""
    status: Scalar = 0.0
    depth: Scalar = 0.0
    """m: of a contact."""
    share: Scalar = 0.0
    """The same beside the thinner of its shapes."""
    singular: Scalar = 0.0
    """Seconds spent passing singular poses."""
    doubt: Scalar = 0.0
    """Seconds with digits perhaps lost."""


@dataclass(frozen=True)
class State:
    """What the next step needs of the last one. In a program every field is a list of scalars, a scalar or a record; in
    memory it is an array, for a batch with one row per sample."""

    q: Any = quantity(
        "(nq,)", "configuration: metres, radians, unit quaternions x y z w", group=ALWAYS, after="configuration"
    )
    v: Any = quantity(
        "(nv,)", "joint velocities, per second; of free joints [linear; angular] in the child's frame", group=ALWAYS,
        after="joint velocities",
    )  # fmt: skip
    lam: Any = quantity("(nc,)", "multipliers of the constraint rows, raw: N, N m", group=MEMORY)
    lead: Any = quantity(
        "(3 * nv,)",
        "changes of velocities in half a step by the last three accelerations; with contacts, of `warm`", group=MEMORY,
    )  # fmt: skip
    lag: Any = quantity("()", "seconds by which velocities are older than positions", group=MEMORY)
    memory: Any = quantity(
        "(4 * nv + nu + 7,)", "what leapfrogs remember of their last steps (SteppingMemory); zeros know nothing",
        group=MEMORY_OF_RATES, record=SteppingMemory.empty,
    )  # fmt: skip
    warm: Any = quantity(
        "(nv,)", "accelerations to start from", group=MEMORY_OF_CONTACTS,
        after="accelerations, for the next call to start from",
    )  # fmt: skip
    work: Any = quantity(
        "(5,)", "joules so far: by controls, by dampers and friction, by limits, by external forces, by contacts",
        group=BOOKS, record=lambda model: Work(),
        after="joules: by controls, by dampers and friction, by limits, by external forces, by contacts",
    )  # fmt: skip
    worst: Any = quantity(
        "(8,)", "largest: drift, residual (also relative), status, depth (also relative); seconds singular, in doubt",
        group=BOOKS, record=lambda model: Worst(),
    )  # fmt: skip
    act: Any = quantity(
        "(na,)", "states of the actuators that have one", group=ACTIVATIONS,
        after="states of the actuators after the step",
    )  # fmt: skip
    clamped: Any = quantity(
        "(nu,)", "in how many steps each command was cut at its limit", group=BOOKS_OF_COMMANDS,
        after="1 where a control or a force was cut at its limit",
    )  # fmt: skip


@dataclass(frozen=True)
class StepInputs:
    """What a step is given besides its state."""

    tau: Any = quantity("(nv,)", "joint forces: N, N m", group=ALWAYS)
    dt: Any = quantity("()", "time step in seconds", group=ALWAYS)
    f_ext: Any = quantity(
        "(nbodies, 6)", "external wrenches on the bodies, [linear; angular] in body frames, at their origins: N, N m",
    )  # fmt: skip
    ctrl: Any = quantity("(nu,)", "controls of the actuators", group=COMMANDS)
    q_ref: Any = quantity("(nq,)", "configuration that the compiled controller steers to", group=FEEDBACK)
    v_ref: Any = quantity("(nv,)", "velocities that it steers to", group=FEEDBACK)
    kp: Any = quantity("(nv,)", "its proportional gains", group=FEEDBACK)
    kd: Any = quantity("(nv,)", "its derivative gains", group=FEEDBACK)
    holding: Any = quantity("(constraints,)", "1 for constraints that hold, 0 for those that do not", group=SWITCHES)

    @classmethod
    def of(cls, values: Mapping[str, Any], model: Model) -> StepInputs:
        """From the arrays of a program; None where it does not take one."""
        given = {own.name: seen(own, values, model) for own in quantities(cls) if own.name in values}
        return cls(**{own.name: given.get(own.name) for own in fields(cls)})


@dataclass(frozen=True)
class ContactReport:
    """What is told of every contact."""

    contact_force: Any = quantity(
        "(contacts, 6)", "wrench on the first body, [linear; angular] in the contact's frame: N, N m"
    )
    contact_point: Any = quantity("(contacts, 3)", "where it acts, in the world")
    contact_frame: Any = quantity(
        "(contacts, 3, 3)",
        "rows: the normal from the second body to the first, and two tangents, in the world",
    )  # fmt: skip
    gap: Any = quantity(
        "(contacts,)", "distance in metres, negative where shapes overlap, infinite where there is no such point"
    )
    active: Any = quantity("(contacts,)", "1 where forces may act")


@dataclass(frozen=True)
class StepReport:
    """What a step tells."""

    a: Any = quantity("(nv,)", "joint accelerations, per second squared")
    torque: Any = quantity("(nv,)", "joint forces that the controller asked for and limits allowed")
    forces: Any = quantity(
        "(constraints, 6)", "wrench of each constraint on its first frame, [linear; angular] in that frame: N, N m"
    )
    residual: Scalar = quantity("()", "largest acceleration error of a constraint row", default=0.0)
    drift: Scalar = quantity("()", "largest constraint error at the step's start: metres, radians", default=0.0)
    status: Scalar = quantity(
        "()", "0 ok, 1 not converged, 2 singular, 3 not finite, 4 infeasible, 5 on another branch", default=0.0
    )
    iterations: Scalar = quantity(
        "()", "how often the dynamics were solved in the step; with contacts, passes of Newton's method", default=0.0
    )
    effort: Scalar = quantity(
        "()", "passes in steps (and which bodies touch) as one number: samples alike are best computed together",
        default=0.0,
    )  # fmt: skip
    actuator_force: Any = quantity("(nu,)", "force of each actuator, along its own transmission")
    unmet: Scalar = 0.0
    """What of the residual counts against the step."""
    verdict: Scalar = 0.0
    """The status, less what is no reason to doubt (passing.py)."""
    passed: Any = (0.0, 0.0)
    """Seconds spent passing singular poses, and with digits perhaps lost."""
    penetration: Any = (0.0, 0.0)
    """m, and as a share of the thinner shape: of the deepest contact."""
    touching: ContactReport | None = None


def switched(group: str) -> list[str]:
    """Names of the quantities of state and inputs that a program takes with this group."""
    return [own.name for cls in (StepInputs, State) for own in quantities(cls) if own.metadata["group"] == group]


def state_names(groups: frozenset[str]) -> tuple[str, ...]:
    """Names of the quantities of a state that a program takes and gives, which has these groups."""
    return tuple(own.name for own in quantities(State) if own.metadata["group"] in {ALWAYS, *groups})


def at_rest(model: Model) -> dict[str, np.ndarray]:
    """Arrays of a state of one sample, by name: all zeros. Drivers put into it what they know."""
    return {own.name: np.zeros(shape_of(own, model)) for own in quantities(State)}
