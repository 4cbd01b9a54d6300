"""One step of a simulation as one program: control, friction, limits, dynamics, stabilization, integration.

Outputs have the names of inputs, so that the program can be repeated (codegen/repeat.py): q and v, multipliers to start
the next solution from, and what a simulation keeps book of.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..algorithms.constraint_state import constraint_state
from ..algorithms.integration import runge_kutta, semi_implicit_euler
from ..algorithms.joint_resistance import Resistance
from ..errors import InputError
from ..model import Model, Tree
from ..scalar import Scalar, absolute, maximum
from .recipe import Recipe
from .simulated_mechanism import SimulatedMechanism
from .solvable import check_solvable
from .solver_choice import check_solver

INTEGRATORS = ("damped_euler", "euler", "rk4")
DEFAULT_INTEGRATOR = "damped_euler"
_PLANNED = {"implicitfast": "comes with contacts"}

# Where rows contradict each other a little (a file's rounded axes), multipliers started from the last step's would grow
# and grow; forgetting one part in a hundred bounds them, and costs no accuracy that two iterations do not make good.
_KEPT_OF_MULTIPLIERS = 0.99
_OUTPUTS = ("q", "v", "a", "torque", "lam", "forces", "residual", "drift", "work", "worst")
_OPTIONS: dict[str, Any] = {
    "integrator": DEFAULT_INTEGRATOR, "solver": None, "iterations": 2, "mu": None, "baumgarte": "auto",
    "projection": False, "friction": True, "limits": True, "warm_start": None, "feedback": (), "books": None,
}  # fmt: skip


def _euler(step: SimulatedMechanism, q, v, lam) -> dict[str, Any]:
    """Semi-implicit. `damped_euler` takes whatever torques lose with velocity (dampers, friction, derivative gains,
    limits) implicitly; `euler`, as MuJoCo's, the dampers alone."""
    dt, implicit = step.dt, step.options["integrator"] == "damped_euler"
    acting = [step.control(q, v), step.friction(v, implicit=implicit), step.limits(q, v, implicit=implicit)]
    if not implicit:
        acting = [Resistance(part.torque, [0.0] * len(v)) for part in acting]
    torque = _sum(*(part.torque for part in acting))
    tree = step.stiffened(_sum(step.damping, *(part.slope for part in acting)))
    state = constraint_state(step.tree, q, step.velocities_half_a_step_back(q, v))
    solution = step.solve(tree, q, v, torque, step.desired(state, staggered=True), lam)
    a = solution["a"]
    q_next, v_next = semi_implicit_euler(step.straight, q, v, a, dt)
    if step.options["projection"] and step.constrained:
        q_next, moved = step.project(q_next)
        v_next = [x + y / dt for x, y in zip(v_next, moved, strict=True)]  # what moved it on is part of its velocity
    applied, rubbed, held = (
        [t - s * (dt * x) for t, s, x in zip(part.torque, part.slope, a, strict=True)] for part in acting
    )
    damped = [t - d * x for t, d, x in zip(rubbed, step.damping, v_next, strict=True)]
    # the mean of both velocities: what forces do to the kinetic energy, however stiff they are
    half = [0.5 * dt * (x + y) for x, y in zip(v, v_next, strict=True)]
    work = [_dot(applied, half), _dot(damped, half), _dot(held, half)]
    return {**solution, "q": q_next, "v": v_next, "torque": applied, "state": state, "work": work}


def _rk4(step: SimulatedMechanism, q, v, lam) -> dict[str, Any]:
    """Explicit. Stabilization is the same in all four stages, as the step's start asks for: the stages' own errors are
    of second order, and answering those would cost the scheme its order."""
    stages: list[dict[str, Any]] = []
    state = constraint_state(step.tree, q, v)
    desired = step.desired(state, staggered=False)

    def acceleration(q, v):
        control = step.control(q, v)
        rubbing, bound = step.friction(v, implicit=False), step.limits(q, v, implicit=False)
        torque = _sum(control.torque, rubbing.torque, bound.torque)
        solution = step.solve(step.tree, q, v, torque, desired, stages[-1]["lam"] if stages else lam)
        damped = [t - d * x for t, d, x in zip(rubbing.torque, step.damping, v, strict=True)]
        power = [_dot(control.torque, v), _dot(damped, v), _dot(bound.torque, v)]
        stages.append({**solution, "torque": control.torque, "power": power})
        return solution["a"]

    q_next, v_next = runge_kutta(step.straight, q, v, step.dt, acceleration)
    if step.options["projection"] and step.constrained:
        start = q_next
        q_next, _ = step.project(start)
        v_next = step.project_velocity(start, q_next, v_next)
    first, second, third, fourth = stages
    sixth = step.dt * (1.0 / 6.0)
    work = [
        (a + (b + c) * 2.0 + d) * sixth
        for a, b, c, d in zip(first["power"], second["power"], third["power"], fourth["power"], strict=True)
    ]
    return {**first, "lam": fourth["lam"], "q": q_next, "v": v_next, "state": state, "work": work}


def _evaluate(tree: Tree, x, options) -> dict[str, Any]:
    step = SimulatedMechanism(tree, x, options)
    lam = [_KEPT_OF_MULTIPLIERS * value for value in x["lam"]] if "lam" in x else None
    result = (_rk4 if options["integrator"] == "rk4" else _euler)(step, x["q"], x["v"], lam)
    drift: Scalar = 0.0
    for error in result["state"].error:
        if error is not None:
            drift = maximum(absolute(error), drift)
    work, worst = result["work"], [drift, result["residual"]]
    if "work" in x:
        work = [total + part for total, part in zip(x["work"], work, strict=True)]
        worst = [maximum(before, now) for before, now in zip(x["worst"], worst, strict=True)]
    return {**{name: result[name] for name in _OUTPUTS[:7]}, "drift": drift, "work": work, "worst": worst}


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
        *(("lam",) if options["warm_start"] == "input" else ()),
        *(("q_ref", "v_ref", "kp", "kd") if options["feedback"] else ()),
        *(("work", "worst") if options["books"] == "input" else ()),
    )


def _check_options(model: Model, options) -> None:
    if options["integrator"] not in INTEGRATORS:
        why = _PLANNED.get(options["integrator"]) if isinstance(options["integrator"], str) else None
        raise InputError(
            f"integrator is {options['integrator']!r}{f', which {why}' if why else ''}; expected one of "
            f"{', '.join(INTEGRATORS)}"
        )
    check_solver(model, options["solver"])
    iterations, T = options["iterations"], options["baumgarte"]
    counted = isinstance(iterations, int) and not isinstance(iterations, bool) and 1 <= iterations <= 100
    if iterations is not None and not counted:
        raise InputError(
            f"iterations is {iterations!r}; expected a whole number from 1 to 100, or None for as many as it takes"
        )
    number = isinstance(T, int | float) and not isinstance(T, bool)
    if T is not None and T != "auto" and not (number and np.isfinite(T) and T > 0):
        raise InputError(f"baumgarte is {T!r}; expected a positive time constant in seconds, 'auto' or None")
    for name in ("projection", "friction", "limits"):
        if not isinstance(options[name], bool):
            raise InputError(f"{name} is {options[name]!r}; expected True or False")
    for name in ("warm_start", "books"):
        if options[name] not in (None, "input"):
            raise InputError(f"{name} is {options[name]!r}; expected 'input', to give it with each call, or None")
    for k in options["feedback"]:
        if not isinstance(k, int) or not 0 <= k < model.nv:
            raise InputError(f"feedback names velocity {k!r}; expected whole numbers from 0 to {model.nv - 1}")


STEP = (
    Recipe(
        "step", "one step of a simulation: q and v after dt", ("q", "v", "tau", "dt"), _OUTPUTS, _evaluate,
        default_outputs=("q", "v"), options=_OPTIONS, check=check_solvable, check_options=_check_options,
        switched_inputs=_switched_inputs,
    ),
)  # fmt: skip
