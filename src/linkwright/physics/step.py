"""One step of a simulation as one program: control, friction, limits, dynamics, stabilization, integration.

Outputs have the names of inputs, so that the program can be repeated (codegen/repeating_drivers.py): q and v,
multipliers to start the next solution from, and what a simulation keeps book of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms.parts.actuator_forces import commands_cut
from ..errors import InputError
from ..model import Model, Tree
from ..model.simulation_defaults import DEFAULT_INTEGRATOR, INTEGRATORS
from ..programs import RECIPES, Recipe
from ..programs.choice import check_solver
from ..programs.recipe import CONTACT_OUTPUTS
from ..programs.solvable import check_solvable
from ..programs.status import STATUS_NOT_CONVERGED, graver
from ..scalar import Scalar, guard, maximum, where
from ..spatial import RowVector
from .carried import Carried
from .embedded_mechanism import EmbeddedMechanism, check_coordinates, check_embedding
from .passing import counted
from .runge_kutta import runge_kutta_step
from .runge_kutta_parts import bears_at_once, in_runge_kutta_parts
from .semi_implicit import euler_step
from .simulated_mechanism import SimulatedMechanism
from .soft_dynamics import SOFT_OPTIONS, check_soft_options, contact_shapes
from .soft_step import check_fits_contact, no_contacts, soft_step
from .substeps import (
    AFTER_PARTS,
    PARTS_TOUCHING,
    SUDDEN,
    SUDDEN_SOON,
    TURNED,
    at_once,
    bearable_change,
    in_parts,
    too_sudden,
    turns_too_far,
)

# Where rows contradict each other a little (a file's rounded axes), multipliers started from the last step's would grow
# and grow; forgetting one part in a hundred bounds them, and costs no accuracy that two iterations do not make good.
_KEPT_OF_MULTIPLIERS = 0.99
_IN_PARTS = 0.1  # of all steps, for operation counts
_LARGEST = ("residual", "status", "unmet", "verdict", "drift")  # over the parts of a step
_OUTPUTS = (
    "q", "v", "a", "torque", "lam", "forces", "residual", "drift", "status", "lead", "lag", "work", "worst", "warm",
    "iterations", "effort", *CONTACT_OUTPUTS, "act", "actuator_force", "clamped",
)  # fmt: skip
_OPTIONS: dict[str, Any] = {
    "integrator": None, "solver": None, "iterations": None, "mu": None, "baumgarte": "auto",
    "projection": False, "friction": True, "limits": True, "effort_limits": True, "velocity_limits": True,
    "warm_start": None, "feedback": (), "books": None, "contact": "auto", "coordinates": "spanning",
    "actuators": None, **SOFT_OPTIONS,
}  # fmt: skip


def _evaluate(tree: Tree, x, options) -> dict[str, Any]:
    step = (EmbeddedMechanism if options["coordinates"] == "independent" else SimulatedMechanism)(tree, x, options)
    touching = options["contact"] == "soft"
    by_runge_kutta = options["integrator"] == "rk4"
    advance = soft_step if touching else runge_kutta_step if by_runge_kutta else euler_step
    nv, model = tree.nv, tree.model

    def take(state, h) -> dict[str, Any]:
        lam = [_KEPT_OF_MULTIPLIERS * value for value in state["lam"]] if "lam" in x else None
        result = advance(step.taking(h), state, lam)
        result.setdefault("unmet", result["residual"])
        passes = result["iterations"] if touching else 4.0 if by_runge_kutta else 1.0
        result["iterations"] = state["iterations"][0] + passes
        result["work"] = [total + part for total, part in zip(state["work"], result["work"], strict=True)]
        result |= counted(result, state, step.pace, h)
        for name in _LARGEST:
            result[name] = maximum(result[name], state[name][0])
        if "penetration" in state:
            both = zip(result["penetration"], state["penetration"], strict=True)
            result["penetration"] = [maximum(now, before) for now, before in both]
        return result

    nothing = [0.0] * nv
    start = {
        "q": list(x["q"]), "v": list(x["v"]), "lam": list(x["lam"]) if "lam" in x else [0.0] * model.nc, "a": nothing,
        "torque": nothing, "forces": [[0.0] * 6 for _ in model.constraints], "residual": [0.0], "drift": [0.0],
        "status": [0.0], "unmet": [0.0], "verdict": [0.0], "passed": [0.0, 0.0], "work": [0.0] * 5, "iterations": [0.0],
        "lead": list(x["lead"]) if "lead" in x else nothing * 3,
        "lag": [x["lag"][()] if "lag" in x else 0.5 * step.dt], "act": list(x["act"]) if "act" in x else [],
        "actuator_force": [0.0] * (model.nu if "ctrl" in x else 0),
    }  # fmt: skip
    if touching:
        result = _touching(step, take, {**start, "warm": list(x["warm"]) if "warm" in x else nothing})
    elif step.constrained and options.get("differentiated"):
        result, enough = at_once(take, start, step.dt, step.pace)
        if not isinstance(step, EmbeddedMechanism):
            enough = (bears_at_once if by_runge_kutta else _is_bearable)(step, start, result)
        result["status"] = where(enough, result["status"], STATUS_NOT_CONVERGED)
    elif step.constrained and not isinstance(step, EmbeddedMechanism):
        result = _in_parts(step, take, start)
    elif step.constrained:
        result = _unflattened(in_parts(take, start, step.dt, too_sudden(step.pace, step.dt)))
    else:
        result = take(start, step.dt)
    if not touching:
        result |= no_contacts(result["a"])
    result["lag"] = result["lag"][0]
    relative = result["unmet"] / (step.pace(result["a"]) + 1.0)
    worst = [result["drift"], result["unmet"], relative, result["verdict"], *result["penetration"]]
    passed = result["passed"]
    work = result["work"]
    if "work" in x:
        work = [total + part for total, part in zip(x["work"], work, strict=True)]
        code = graver(x["worst"][3], worst[3])
        worst = [maximum(before, now) for before, now in zip(x["worst"], worst, strict=False)]
        worst[3] = code
        passed = [before + now for before, now in zip(x["worst"][-len(passed) :], passed, strict=True)]
    result["clamped"] = commands_cut(model, x["ctrl"]) if "ctrl" in x else []
    if "clamped" in x:
        result["clamped"] = [total + part for total, part in zip(x["clamped"], result["clamped"], strict=True)]
    return {**{name: result[name] for name in _OUTPUTS if name != "worst"}, "work": work, "worst": [*worst, *passed]}


def _in_parts(step: SimulatedMechanism, take, start) -> dict[str, Any]:
    """One step, or where that is too long for the mechanism, parts by Runge-Kutta."""
    if step.options["integrator"] == "rk4":
        return _unflattened(in_runge_kutta_parts(step, start))
    whole = take(start, step.dt)
    enough = _is_bearable(step, start, whole)
    found, carried = whole["of_now"], Carried(start)

    def parts():
        now = {**start, "v": found["v"], "work": found["work"]}
        return carried.flat(in_runge_kutta_parts(step, now, found, idle=enough))

    return _unflattened(carried.split(guard(~enough, parts, carried.flat(whole), expected=_IN_PARTS)))


def _is_bearable(step: SimulatedMechanism, start, whole) -> Scalar:
    """Whether a step of Euler's is what it takes."""
    margin = where(start["lag"][0] > 0.0, 1.0, AFTER_PARTS)
    fastest, turned = step.pace(start["v"]), step.turning(start["v"]) * step.dt * (1.0 / TURNED)
    usually, soon = (bearable_change(fastest, step.dt, share) for share in (SUDDEN, SUDDEN_SOON))
    bearable = where(_doubles(step, start, whole), soon, margin * usually)
    return (turned <= margin) & (step.pace(whole["a"]) * step.dt <= bearable)


def _doubles(step: SimulatedMechanism, start, whole) -> Scalar:
    """Whether accelerations are more than twice those of the step before, and will be again: a dead point is near."""
    if "lead" not in step.x:
        return False
    before, now = (RowVector(state["lead"][: step.model.nv]).square for state in (start, whole))
    return (start["lag"][0] > 0.0) & (now > before * 4.0)


def _touching(step: SimulatedMechanism, take, start) -> dict[str, Any]:
    """One step, or where hinges of hard loops turn fast, parts of it; its derivative is that of the one."""
    if step.options["equality"] != "hard" or not step.turning_in_loops:
        return take(start, step.dt)
    too_far = turns_too_far(step.turning)
    if step.options.get("differentiated"):
        whole = take(start, step.dt)
        doubted = too_far(start, whole, step.dt) > 1.0
        return {**whole, "status": where(doubted, maximum(whole["status"], STATUS_NOT_CONVERGED), whole["status"])}
    shapes = {name: shape for name, shape in contact_shapes(step.tree, start["q"]).items() if shape[0]}
    start = {**start, "penetration": [0.0, 0.0], "effort": [0.0]}
    start |= {name: np.zeros(shape).tolist() for name, shape in shapes.items()}
    found = in_parts(take, start, step.dt, too_far, PARTS_TOUCHING)
    result = no_contacts(found["a"]) | _unflattened(found)
    result |= {"penetration": found["penetration"], "effort": found["effort"][0]}
    return result | {name: np.array(found[name], dtype=object).reshape(shape) for name, shape in shapes.items()}


def _unflattened(result: dict[str, Any]) -> dict[str, Any]:
    forces = result["forces"]
    single = {name: result[name][0] for name in (*_LARGEST, "iterations")}
    return {**result, **single, "forces": [forces[k : k + 6] for k in range(0, len(forces), 6)]}


def _switched_inputs(options) -> tuple[str, ...]:
    return (
        *(("ctrl",) if options["actuators"] else ()),
        *(("lam", "lead", "lag") if options["warm_start"] == "input" else ()),
        *(("warm",) if options["warm_start"] == "input" and options["contact"] == "soft" else ()),
        *(("q_ref", "v_ref", "kp", "kd") if options["feedback"] else ()),
        *(("work", "worst") if options["books"] == "input" else ()),
        *(("act",) if options["actuators"] else ()),
        *(("clamped",) if options["actuators"] and options["books"] == "input" else ()),
    )


def settled_options(model: Model, options: dict[str, Any], parameters: Sequence[str] = ()) -> dict[str, Any]:
    """With what the model's file names: integrator, passes and tolerance of contacts; and the soft law for "auto" where
    the model has pairs, or tendons that only this law knows to bound."""
    contact, integrator = options["contact"], model.simulation.chosen_integrator(options["integrator"])
    if contact == "auto":
        contact = "soft" if model.pairs or _bound_tendons(model) else None
    if options["integrator"] is None and integrator == "rk4" and contact == "soft":
        integrator = DEFAULT_INTEGRATOR  # contacts make no smooth motion
    settled = {**options, "contact": contact, "integrator": integrator}
    if contact == "soft":
        if options.get("iterations") is None:
            settled["iterations"] = model.simulation.iterations
        if options.get("improvement") is None:  # what files call tolerance
            wanted = model.simulation.tolerance or 0.0
            settled["improvement"] = wanted if options.get("tolerance") is None else 0.0
    return settled


def _bound_tendons(model: Model, limits: bool = True, friction: bool = True) -> list[str]:
    """Names of tendons that have limits or dry friction."""
    return [one.name for one in model.tendons if (limits and one.limited) or (friction and one.friction)]


def _check_options(model: Model, options) -> None:
    if options["integrator"] not in INTEGRATORS:
        raise InputError(f"integrator is {options['integrator']!r}; expected one of {', '.join(INTEGRATORS)}")
    if options["contact"] not in ("soft", None):
        given = options["contact"]
        raise InputError(f"contact is {given!r}; expected 'soft', None, or 'auto': soft if there are pairs")
    if options["contact"] == "soft":
        check_soft_options(model, options)
        check_fits_contact(options)
    for name in ("cone", "tolerance", "improvement"):
        if options["contact"] is None and options[name] not in ((None, 0.0) if name == "improvement" else (None,)):
            raise InputError(
                f"{name} is {options[name]!r}, which is the soft law's, and there is no contact here; leave it out"
            )
    bound = _bound_tendons(model, options["limits"] is True, options["friction"] is True)
    if options["contact"] is None and bound:
        raise InputError(
            f"contact is None, and tendon {bound[0]!r} has limits or dry friction, which are the soft law's: give "
            f"contact='soft', or leave them out with limits=False, friction=False"
        )
    check_coordinates(model, options)
    if options["solver"] is not None:
        check_solver(model, options["solver"])
    iterations, T = options["iterations"], options["baumgarte"]
    counted = isinstance(iterations, int) and not isinstance(iterations, bool) and 1 <= iterations <= 100
    if iterations is not None and not counted and options["contact"] is None:
        raise InputError(
            f"iterations is {iterations!r}; expected a whole number from 1 to 100, or None for as many as it takes"
        )
    number = isinstance(T, int | float) and not isinstance(T, bool)
    if T is not None and T != "auto" and not (number and np.isfinite(T) and T > 0):
        raise InputError(f"baumgarte is {T!r}; expected a positive time constant in seconds, 'auto' or None")
    for name in ("projection", "friction", "limits", "effort_limits", "velocity_limits"):
        if not isinstance(options[name], bool):
            raise InputError(f"{name} is {options[name]!r}; expected True or False")
    for name in ("warm_start", "books", "actuators"):
        if options[name] not in (None, "input"):
            raise InputError(f"{name} is {options[name]!r}; expected 'input', to give it with each call, or None")
    for k in options["feedback"]:
        if not isinstance(k, int) or not 0 <= k < model.nv:
            raise InputError(f"feedback names velocity {k!r}; expected whole numbers from 0 to {model.nv - 1}")


def _needs_double(options) -> bool:
    """Where its solver does."""
    if options["contact"] == "soft":
        return True
    if options["solver"] is None:
        return options["iterations"] is None
    solver = RECIPES[options["solver"]]
    return solver.needs_double({**solver.options, "iterations": options["iterations"]})


STEP = (
    Recipe(
        "step", "one step of a simulation: q and v after dt", ("q", "v", "tau", "dt"), _OUTPUTS, _evaluate,
        ("f_ext",), default_outputs=("q", "v"), options=_OPTIONS, check=check_solvable, check_options=_check_options,
        settled_options=settled_options, switched_inputs=_switched_inputs, constraints="any",
        contacts=lambda options: options["contact"] or "none", needs_double=_needs_double,
        check_plan=check_embedding, freezes_constraints=lambda options: options["coordinates"] == "independent",
        takes_actuators=lambda options: bool(options["actuators"]),
    ),
)  # fmt: skip
