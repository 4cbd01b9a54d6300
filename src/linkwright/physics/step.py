"""One step of a simulation as one program.

Outputs have the names of inputs, so that the program can be repeated (codegen/repeating_drivers.py): q and v,
multipliers to start the next solution from, and what a simulation keeps book of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..algorithms.contact.watching import may_meet
from ..algorithms.parts.actuator_forces import commands_cut
from ..algorithms.tree.kinematics import placements
from ..model import Tree
from ..programs import Recipe
from ..programs.solvable import check_solvable
from ..programs.status import STATUS_NOT_MODELLED, graver
from ..scalar import leaves, maximum
from .embedded_mechanism import EmbeddedMechanism, check_embedding
from .options import Embedded, StepOptions, check_options, defaults, needs_double, settled_options
from .quantities import quantities, seen
from .simulated_mechanism import SimulatedMechanism
from .soft_dynamics import told_of
from .state import ALWAYS, SWITCHED, ContactReport, State, StepInputs, StepReport, Work, Worst, switched
from .stepping_memory import SteppingMemory


def _evaluate(tree: Tree, values: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """The step: what it starts from, how it is advanced, what is written down."""
    chosen = StepOptions.of(options)
    mechanism = EmbeddedMechanism if isinstance(chosen.dynamics, Embedded) else SimulatedMechanism
    physics = mechanism(tree, values, chosen)
    start = started(physics, values)
    state, _, report = chosen.controller.advanced(physics, start)
    if chosen.watch:
        report = watched(physics, start, report)
    written = with_books(physics, start, state, report, kept="work" in values)
    return _outputs(written, report)


def watched(physics: SimulatedMechanism, start: State, report: StepReport) -> StepReport:
    """`report` of a step that computes no contacts, with status 6 where one may have occurred at its start."""
    met = may_meet(physics.tree, placements(physics.tree, start.q))
    if met is None:
        return report
    code = met * STATUS_NOT_MODELLED
    return replace(report, status=graver(report.status, code), verdict=graver(report.verdict, code))


def started(physics: SimulatedMechanism, values: Mapping[str, Any]) -> State:
    """The state in the arrays of a program; what it does not take is that of a first step."""
    model = physics.model
    given = {own.name: seen(own, values, model) for own in quantities(State) if own.name in values}
    nothing = [0.0] * model.nv
    first = {
        "lam": [0.0] * model.nc, "lead": nothing * 3, "act": [], "work": Work(), "worst": Worst(),
        "clamped": [0.0] * (0 if physics.inputs.ctrl is None else model.nu), "memory": SteppingMemory.empty(model),
    }  # fmt: skip
    if "lag" not in given:
        first["lag"] = physics.options.integrator.first_lag(physics.dt)
    if physics.law is not None:
        first["warm"] = nothing
    return State(**{**first, **given})


def with_books(
    physics: SimulatedMechanism, start: State, state: State, report: StepReport, kept: bool
) -> State:  # fmt: skip
    """`state` with the work done, the largest errors and the commands cut since the books of `start` were opened; of
    this step alone where none are kept."""
    model, ctrl = physics.model, physics.inputs.ctrl
    relative = report.unmet / (physics.pace(report.a) + 1.0)
    now = Worst(report.drift, report.unmet, relative, report.verdict, *report.penetration, *report.passed)
    work, worst = state.work, now
    if kept:
        work = Work(*(x + y for x, y in zip(leaves(start.work), leaves(work), strict=True)))
        worst = _worse(start.worst, now)
    clamped = [] if ctrl is None else commands_cut(model, ctrl)
    if kept and clamped:
        clamped = [x + y for x, y in zip(start.clamped, clamped, strict=True)]
    memory = start.memory if state.memory is None else state.memory
    return replace(state, work=work, worst=worst, clamped=clamped, memory=memory)


def _worse(before: Worst, now: Worst) -> Worst:
    """Of both: the larger, the graver, or the sum of seconds."""
    code = graver(before.status, now.status)
    names = ("drift", "residual", "relative", "status", "depth", "share")
    largest = {name: maximum(getattr(before, name), getattr(now, name)) for name in names}
    seconds = {name: getattr(before, name) + getattr(now, name) for name in ("singular", "doubt")}
    return Worst(**{**largest, "status": code, **seconds})


def _outputs(state: State, report: StepReport) -> dict[str, Any]:
    """By name; records as lists of their scalars."""
    told: dict[str, Any] = {own.name: getattr(report, own.name) for own in quantities(StepReport)}
    told |= told_of(report.touching)
    for own in quantities(State):
        value = getattr(state, own.name)
        told[own.name] = value if own.metadata["record"] is None else leaves(value)
    return told


def _inputs(options: Mapping[str, Any]) -> tuple[str, ...]:
    """Those that options switch on, in their order."""
    groups = StepOptions.of(options).groups
    return tuple(name for group in SWITCHED if group in groups for name in switched(group))


_TOLD = [own.name for cls in (StepReport, ContactReport, State) for own in quantities(cls)]
STEP = (
    Recipe(
        "step", "one step of a simulation: q and v after dt",
        tuple(own.name for cls in (State, StepInputs) for own in quantities(cls) if own.metadata["group"] == ALWAYS),
        ("q", "v", *(name for name in _TOLD if name not in ("q", "v"))), _evaluate,
        ("f_ext",), default_outputs=("q", "v"), options=defaults(), check=check_solvable, check_options=check_options,
        settled_options=settled_options, switched_inputs=_inputs, constraints="any",
        contacts=lambda options: options["contact"] or "none", needs_double=needs_double,
        check_plan=check_embedding, freezes_constraints=lambda options: options["coordinates"] == "independent",
        takes_actuators=lambda options: bool(options["actuators"]),
    ),
)  # fmt: skip
