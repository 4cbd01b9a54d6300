"""Runge-Kutta: a step of a mechanism that touches nothing, and a stage of one by itself."""

from __future__ import annotations

from typing import Any

from ..algorithms.parts.actuator_forces import activation_rates, next_activations
from ..algorithms.parts.integration import runge_kutta, scaled_sum
from ..algorithms.parts.passive_torques import tendon_damping_torques
from ..algorithms.rows.constraint_state import constraint_state
from ..scalar import Scalar, maximum
from .acting import acting, judged_without_pull, open_by, power, total
from .embedded_mechanism import EmbeddedMechanism
from .simulated_mechanism import SimulatedMechanism

_SHARES = (0.0, 0.5, 0.5, 1.0)  # of the step: where the stages are
_JUDGED = ("residual", "unmet", "status")  # of a stage


def stage(step: SimulatedMechanism, q, v, act, desired, lam, ahead: Scalar | None) -> dict[str, Any]:
    """Accelerations at one state, the power of what acts there, and `within_reason(h)`: accelerations that a part of h
    seconds, the shortest there is, may be taken with. What the integrator takes implicitly is taken `ahead` seconds
    later; None where nothing is."""
    actuators = step.actuator_forces(q, v, act)
    torques = acting(step, q, v, actuators, 0.0 if ahead is None else ahead)
    torque = total(*(part.torque for part in torques))
    slope = total(step.damping, *(part.slope for part in torques))
    tree = step.tree if ahead is None else step.stiffened(slope, ahead)
    solution = step.solve(tree, q, v, torque, desired, lam, step.f_ext)
    solution |= judged_without_pull(step, solution, desired)
    a, later = solution["a"], 0.0 if ahead is None else ahead
    applied, rubbed, held = (
        [t - s * (later * x) for t, s, x in zip(part.torque, part.slope, a, strict=True)] for part in torques
    )
    lost = [t - d * (x + later * y) for t, d, x, y in zip(rubbed, step.damping, v, a, strict=True)]
    lost = total(lost, tendon_damping_torques(step.tree, v))
    return {
        **solution, "torque": applied, "rates": activation_rates(actuators),
        "power": [power(applied, v), power(lost, v), power(held, v), step.outside_power(q, v), 0.0],
        "actuator_force": [one.force for one in actuators],
        "within_reason": lambda h: step.taking(h).within_reason(tree, q, v, torque, a),
    }  # fmt: skip


def runge_kutta_step(step: SimulatedMechanism, start, lam) -> dict[str, Any]:
    """Explicit. Stabilization is the same in all four stages, as the step's start asks for: the stages' own errors are
    of second order, and answering those would cost the scheme its order."""
    stages: list[dict[str, Any]] = []
    q, v = start["q"], start["v"]
    errors = constraint_state(step.tree, q, v)
    desired = step.desired(errors, None)

    def acceleration(q, v):
        if isinstance(step, EmbeddedMechanism) and stages:
            q, v, _ = step.closed(start["q"], start["v"], q, v, 0.0)
        share = _SHARES[len(stages)] * step.h  # activations are in step with the other stages
        act = scaled_sum(start["act"], share, stages[-1]["rates"]) if stages else start["act"]
        found = stage(step, q, v, act, desired, stages[-1]["lam"] if stages else lam, None)
        stages.append({**found, "q": q, "v": v})
        return found["a"]

    q_next, v_next = runge_kutta(step.straight, q, v, step.h, acceleration)
    if step.options["projection"] and step.constrained:
        q_next, v_next = projected(step, q_next, v_next)
    elif isinstance(step, EmbeddedMechanism):
        q_next, v_next, found = step.closed(q, v, q_next, v_next, 0.0)
        stages[0]["status"] = maximum(stages[0]["status"], found)
    first, second, third, fourth = stages

    def mean(name: str) -> list[Scalar]:
        four = zip(first[name], second[name], third[name], fourth[name], strict=True)
        return [(a + (b + c) * 2.0 + d) * (1.0 / 6.0) for a, b, c, d in four]

    worst = {name: maximum(maximum(first[name], second[name]), maximum(third[name], fourth[name])) for name in _JUDGED}
    act = next_activations(step.model, start["act"], mean("rates"), step.h) if first["rates"] else start["act"]
    # velocities belong to positions here; what takes over from this scheme may know
    rest = {**worst, "act": act, "lead": [0.0] * (3 * len(v)), "lag": [0.0], "drift": open_by(errors)}
    work = [step.h * x for x in mean("power")]
    return {**first, "lam": fourth["lam"], "q": q_next, "v": v_next, "work": work, **rest, "stages": stages}


def projected(step: SimulatedMechanism, q, v) -> tuple[list[Scalar], list[Scalar]]:
    """q and v on the constraints."""
    on_them, _ = step.project(q)
    return on_them, step.project_velocity(q, on_them, v)
