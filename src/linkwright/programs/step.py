"""One step of a simulation as one program: control, friction, limits, dynamics, stabilization, integration.

Outputs have the names of inputs, so that the program can be repeated (codegen/repeating_drivers.py): q and v,
multipliers to start the next solution from, and what a simulation keeps book of.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms.parts.actuator_forces import activation_rates, commands_cut, next_activations
from ..algorithms.parts.integration import runge_kutta, scaled_sum
from ..algorithms.parts.joint_resistance import Resistance
from ..algorithms.parts.passive_torques import tendon_damping_torques
from ..algorithms.rows.constraint_rows import largest_residual
from ..algorithms.rows.constraint_state import ConstraintState, constraint_state
from ..errors import InputError
from ..model import Model, Tree
from ..model.passive import Tendon
from ..model.simulation_defaults import DEFAULT_INTEGRATOR, INTEGRATORS
from ..scalar import Scalar, maximum, sqrt, where
from ..spatial import RowVector
from .choice import check_solver
from .embedded_mechanism import EmbeddedMechanism, check_coordinates, check_embedding
from .passing import counted
from .recipe import Recipe
from .registry import RECIPES
from .simulated_mechanism import SimulatedMechanism
from .soft_dynamics import CONTACT_OUTPUTS, SOFT_OPTIONS, check_soft_options
from .soft_step import check_fits_contact, no_contacts, soft_step
from .solvable import check_solvable
from .status import STATUS_INFEASIBLE, STATUS_NOT_CONVERGED, STATUS_OK, graver
from .substeps import at_once, in_parts

# Where rows contradict each other a little (a file's rounded axes), multipliers started from the last step's would grow
# and grow; forgetting one part in a hundred bounds them, and costs no accuracy that two iterations do not make good.
_KEPT_OF_MULTIPLIERS = 0.99
_RK4_SHARES = (0.0, 0.5, 0.5, 1.0)  # of the step: where the stages are
_JUDGED = ("residual", "unmet", "status")  # of a stage
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


def _euler(step: SimulatedMechanism, state, lam) -> dict[str, Any]:
    """Semi-implicit. `damped_euler` takes whatever torques lose with velocity (dampers, friction, derivative gains,
    limits) implicitly; `euler`, as MuJoCo's, the dampers alone, `implicitfast` derivative gains too.

    v is that of `lag` seconds ago, half of the part before; `damped_euler` knows by how much it has changed since, and
    takes Coriolis terms and the constraints' own accelerations at the velocity of now."""
    q, v, lag, h = state["q"], state["v"], state["lag"][0], step.h
    time = lag + 0.5 * h  # from where v belongs to the middle of this part
    damped = step.options["integrator"] == "damped_euler"
    now = [x + y for x, y in zip(v, state["lead"], strict=True)] if damped and "lead" in step.x else v
    actuators = step.actuator_forces(q, v, state["act"])
    acting = [
        step.control(q, v, actuators), step.friction(v, implicit=damped), step.limits(q, v, time if damped else None)
    ]  # fmt: skip
    explicit = {"euler": (0, 1, 2), "implicitfast": (1, 2)}.get(step.options["integrator"], ())
    for k in explicit:
        acting[k] = Resistance(acting[k].torque, [0.0] * len(v))
    late = [d * (y - x) for d, x, y in zip(step.damping, v, now, strict=True)]  # dampers feel v
    torque = _sum(*(part.torque for part in acting), late)
    tree = step.stiffened(_sum(step.damping, *(part.slope for part in acting)), time)
    # J-dot v at the velocity of now, which the solver needs too; by just that J v of `lag` seconds ago is off zero
    errors = constraint_state(step.tree, q, step.velocities_in_axes_of(lag, q, v))
    errors = errors._replace(bias=constraint_state(step.tree, q, now).bias)
    solution = step.solve(tree, q, now, torque, step.desired(errors, lag), lam, step.f_ext)
    solution |= judged_without_pull(solution, step.desired(errors, lag))
    if step.constrained:
        solution["a"] = step.within_reason(tree, q, now, torque, solution["a"])
    a = solution["a"]
    rate = step.straight.rate(q, now, a)
    u = scaled_sum(step.straight.of(q, v), time, rate)
    q_next = step.straight.moved(q, [h * x for x in u])
    v_next = step.straight.velocities(q_next, u)
    ahead = step.straight.velocities(q_next, scaled_sum(u, 0.5 * h, rate))
    if step.options["projection"] and step.constrained:
        q_next, moved = step.project(q_next)
        v_next = [x + y / h for x, y in zip(v_next, moved, strict=True)]  # what moved it on is part of its velocity
    lead = [x - y for x, y in zip(ahead, v_next, strict=True)]
    if isinstance(step, EmbeddedMechanism):
        q_next, v_next, found = step.closed(q, v, q_next, v_next, 0.5 * h)
        solution["status"] = maximum(solution["status"], found)
    applied, rubbed, held = (
        [t - s * (time * x) for t, s, x in zip(part.torque, part.slope, a, strict=True)] for part in acting
    )
    lost = [t - d * x for t, d, x in zip(rubbed, step.damping, v_next, strict=True)]
    lost = _sum(lost, tendon_damping_torques(step.tree, now))  # not implicit: as the solver took them
    # the mean of both velocities: what forces do to the kinetic energy, however stiff they are
    way = [0.5 * time * (x + y) for x, y in zip(v, v_next, strict=True)]
    return {
        **solution, "q": q_next, "v": v_next, "torque": applied, "drift": _drift(errors), "lag": [0.5 * h],
        "lead": lead, "work": [_dot(applied, way), _dot(lost, way), _dot(held, way), step.outside_power(q, way), 0.0],
        **step.after_actuators(state["act"], actuators),
    }  # fmt: skip


def _rk4(step: SimulatedMechanism, start, lam) -> dict[str, Any]:
    """Explicit. Stabilization is the same in all four stages, as the step's start asks for: the stages' own errors are
    of second order, and answering those would cost the scheme its order."""
    stages: list[dict[str, Any]] = []
    q, v = start["q"], start["v"]
    errors = constraint_state(step.tree, q, v)
    desired = step.desired(errors, None)

    def acceleration(q, v):
        if isinstance(step, EmbeddedMechanism) and stages:
            q, v, _ = step.closed(start["q"], start["v"], q, v, 0.0)
        share = _RK4_SHARES[len(stages)] * step.h  # activations are in step with the other stages
        act = scaled_sum(start["act"], share, stages[-1]["rates"]) if stages else start["act"]
        actuators = step.actuator_forces(q, v, act)
        control = step.control(q, v, actuators)
        rubbing, bound = step.friction(v, implicit=False), step.limits(q, v, None)
        torque = _sum(control.torque, rubbing.torque, bound.torque)
        solution = step.solve(step.tree, q, v, torque, desired, stages[-1]["lam"] if stages else lam, step.f_ext)
        solution |= judged_without_pull(solution, desired)
        damped = [t - d * x for t, d, x in zip(rubbing.torque, step.damping, v, strict=True)]
        damped = _sum(damped, tendon_damping_torques(step.tree, v))
        power = [_dot(control.torque, v), _dot(damped, v), _dot(bound.torque, v), step.outside_power(q, v), 0.0]
        driven = {"rates": activation_rates(actuators), "actuator_force": [one.force for one in actuators]}
        stages.append({**solution, "torque": control.torque, "power": power, **driven})
        return solution["a"]

    q_next, v_next = runge_kutta(step.straight, q, v, step.h, acceleration)
    if step.options["projection"] and step.constrained:
        reached = q_next
        q_next, _ = step.project(reached)
        v_next = step.project_velocity(reached, q_next, v_next)
    elif isinstance(step, EmbeddedMechanism):
        q_next, v_next, found = step.closed(q, v, q_next, v_next, 0.0)
        stages[0]["status"] = maximum(stages[0]["status"], found)
    first, second, third, fourth = stages
    sixth = step.h * (1.0 / 6.0)
    work = [
        (a + (b + c) * 2.0 + d) * sixth
        for a, b, c, d in zip(first["power"], second["power"], third["power"], fourth["power"], strict=True)
    ]
    # velocities belong to positions here; what takes over from this scheme may know
    worst = {name: maximum(maximum(first[name], second[name]), maximum(third[name], fourth[name])) for name in _JUDGED}
    rates = [
        (a + (b + c) * 2.0 + d) * (1.0 / 6.0)
        for a, b, c, d in zip(first["rates"], second["rates"], third["rates"], fourth["rates"], strict=True)
    ]
    act = next_activations(step.model, start["act"], rates, step.h) if rates else start["act"]
    rest = {**worst, "act": act, "lead": [0.0] * len(v), "lag": [0.0], "drift": _drift(errors), "work": work}
    return {**first, "lam": fourth["lam"], "q": q_next, "v": v_next, **rest}


def _evaluate(tree: Tree, x, options) -> dict[str, Any]:
    step = (EmbeddedMechanism if options["coordinates"] == "independent" else SimulatedMechanism)(tree, x, options)
    touching = options["contact"] == "soft"
    advance = soft_step if touching else _rk4 if options["integrator"] == "rk4" else _euler
    nv, model = tree.nv, tree.model

    def take(state, h) -> dict[str, Any]:
        lam = [_KEPT_OF_MULTIPLIERS * value for value in state["lam"]] if "lam" in x else None
        result = advance(step.taking(h), state, lam)
        result.setdefault("unmet", result["residual"])
        result["work"] = [total + part for total, part in zip(state["work"], result["work"], strict=True)]
        result |= counted(result, state, step.pace, h)
        for name in _LARGEST:
            result[name] = maximum(result[name], state[name][0])
        return result

    nothing = [0.0] * nv
    start = {
        "q": list(x["q"]), "v": list(x["v"]), "lam": list(x["lam"]) if "lam" in x else [0.0] * model.nc, "a": nothing,
        "torque": nothing, "forces": [[0.0] * 6 for _ in model.constraints], "residual": [0.0], "drift": [0.0],
        "status": [0.0], "unmet": [0.0], "verdict": [0.0], "passed": [0.0], "work": [0.0] * 5,
        "lead": list(x["lead"]) if "lead" in x else nothing,
        "lag": [x["lag"][()] if "lag" in x else 0.5 * step.dt], "act": list(x["act"]) if "act" in x else [],
        "actuator_force": [0.0] * (model.nu if "ctrl" in x else 0),
    }  # fmt: skip
    if touching:
        result = take({**start, "warm": list(x["warm"]) if "warm" in x else nothing}, step.dt)
    elif step.constrained and options.get("differentiated"):
        result, enough = at_once(take, start, step.dt, step.pace)
        result["status"] = where(enough, result["status"], STATUS_NOT_CONVERGED)
    elif step.constrained:
        result = in_parts(take, start, step.dt, step.pace)
        result["forces"] = [result["forces"][6 * k : 6 * k + 6] for k in range(len(model.constraints))]
        for name in _LARGEST:
            result[name] = result[name][0]
    else:
        result = take(start, step.dt)
    if not touching:
        result |= no_contacts(result["a"])
    result["lag"] = result["lag"][0]
    relative = result["unmet"] / (step.pace(result["a"]) + 1.0)
    worst = [result["drift"], result["unmet"], relative, result["verdict"], result["penetration"]]
    passed = result["passed"][0]
    work = result["work"]
    if "work" in x:
        work = [total + part for total, part in zip(x["work"], work, strict=True)]
        code = graver(x["worst"][3], worst[3])
        worst = [maximum(before, now) for before, now in zip(x["worst"], worst, strict=False)]
        worst[3] = code
        passed = x["worst"][5] + passed
    result["clamped"] = commands_cut(model, x["ctrl"]) if "ctrl" in x else []
    if "clamped" in x:
        result["clamped"] = [total + part for total, part in zip(x["clamped"], result["clamped"], strict=True)]
    return {**{name: result[name] for name in _OUTPUTS if name != "worst"}, "work": work, "worst": [*worst, passed]}


def judged_without_pull(solution, desired) -> dict[str, Scalar]:
    """The solver's status, and what of its residual is unmet. Constraints that a file cannot close to the last digit
    contradict one another, or make the solver look for what is not there, by what stabilization asks for and only by
    that: no reason not to believe the step."""
    pull = sqrt(RowVector(desired).square) if len(desired) else 0.0
    code, residual = solution["status"], solution["residual"]
    infeasible = (code > STATUS_INFEASIBLE - 0.5) & (code < STATUS_INFEASIBLE + 0.5)
    by_pull = (infeasible | (code < STATUS_NOT_CONVERGED + 0.5)) & (residual <= pull)
    return {"status": where(by_pull, STATUS_OK, code), "unmet": where(by_pull, 0.0, residual)}


def _drift(state: ConstraintState) -> Scalar:
    return largest_residual([error for error in state.error if error is not None])


def _sum(*vectors) -> list[Scalar]:
    total = list(vectors[0])
    for vector in vectors[1:]:
        total = [x + y for x, y in zip(total, vector, strict=True)]
    return total


def _dot(x, y) -> Scalar:
    total: Scalar = 0.0
    for a, b in zip(x, y, strict=True):
        total = total + a * b
    return total


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
    tendons = (one for one in model.passive if isinstance(one, Tendon))
    return [one.name for one in tendons if (limits and one.limited) or (friction and one.friction)]


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
