"""Semi-implicit Euler: a step, or a part of one, of a mechanism that touches nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..algorithms.parts.actuator_forces import activation_rates
from ..algorithms.parts.integration import scaled_sum
from ..algorithms.parts.passive_torques import tendon_damping_torques
from ..algorithms.rows.constraint_state import constraint_state
from ..scalar import Scalar, maximum, where
from ..spatial import RowVector
from .acting import acting, judged_without_pull, open_by, power, total
from .embedded_mechanism import EmbeddedMechanism
from .simulated_mechanism import SimulatedMechanism

_STEADY = 0.2  # of all accelerations is what extrapolating may add to them: more, and they jump


def euler_step(step: SimulatedMechanism, state, lam) -> dict[str, Any]:
    """`damped_euler` takes whatever torques lose with velocity (dampers, friction, derivative gains, limits)
    implicitly; `euler`, as MuJoCo's, the dampers alone, `implicitfast` derivative gains too.

    v is that of `lag` seconds ago, half of the part before; `damped_euler` knows about how much it has changed since
    (`_ahead`), and takes Coriolis terms and the constraints' own accelerations at the velocity of now. `of_now` is
    what Runge-Kutta needs to go on from here instead: the velocities of now, and what this step has found already."""
    q, v, lag, h = state["q"], state["v"], state["lag"][0], step.h
    time = lag + 0.5 * h  # from where v belongs to the middle of this part
    damped, u = step.options["integrator"] == "damped_euler", step.straight.of(q, v)
    last, before, first = (state["lead"][k * len(v) : (k + 1) * len(v)] for k in range(3))
    now = step.straight.velocities(q, _caught_up(u, last, before, first)) if damped and "lead" in step.x else v
    actuators = step.actuator_forces(q, v, state["act"])
    torques = acting(step, q, v, actuators, time)
    late = [d * (y - x) for d, x, y in zip(step.damping, v, now, strict=True)]  # dampers feel v
    torque = total(*(part.torque for part in torques), late)
    tree = step.stiffened(total(step.damping, *(part.slope for part in torques)), time)
    # J-dot v at the velocity of now, which the solver needs too; by just that J v of `lag` seconds ago is off zero
    errors = constraint_state(step.tree, q, step.velocities_in_axes_of(lag, q, v))
    errors = errors._replace(bias=constraint_state(step.tree, q, now).bias)
    desired = step.desired(errors, lag)
    solution = step.solve(tree, q, now, torque, desired, lam, step.f_ext)
    solution |= judged_without_pull(step, solution, desired)
    a = solution["a"]
    rate = step.straight.rate(q, now, a)
    u_next = scaled_sum(u, time, rate)
    q_next = step.straight.moved(q, [h * x for x in u_next])
    v_next = step.straight.velocities(q_next, u_next)
    if step.options["projection"] and step.constrained:
        q_next, moved = step.project(q_next)
        v_next = [x + y / h for x, y in zip(v_next, moved, strict=True)]  # what moved it on is part of its velocity
    if isinstance(step, EmbeddedMechanism):
        q_next, v_next, found = step.closed(q, v, q_next, v_next, 0.5 * h)
        solution["status"] = maximum(solution["status"], found)
    applied, rubbed, held = (
        [t - s * (time * x) for t, s, x in zip(part.torque, part.slope, a, strict=True)] for part in torques
    )
    lost = [t - d * x for t, d, x in zip(rubbed, step.damping, v_next, strict=True)]
    lost = total(lost, tendon_damping_torques(step.tree, now))  # not implicit: as the solver took them

    def work(time, then) -> list[Scalar]:
        # along the mean of both velocities: what forces do to the kinetic energy, however stiff they are
        way = [0.5 * time * (x + y) for x, y in zip(v, then, strict=True)]
        return _powers(step, q, way, applied, lost, held)

    # by this acceleration, not by the mean of it and the last: what that is off by, the step after parts takes back
    caught_up = step.straight.velocities(q, scaled_sum(u, lag, rate))
    after = step.after_actuators(state["act"], actuators)
    return {
        **solution, "q": q_next, "v": v_next, "lag": [0.5 * h], "torque": applied,
        "lead": [*(0.5 * h * x for x in rate), *last, *before] if damped else [0.0] * (3 * len(v)),
        "drift": open_by(errors), "work": work(time, v_next), **after,
        "of_now": {
            **solution, "v": caught_up, "solved_with": now, "work": work(lag, caught_up), "torque": applied,
            "drift": open_by(errors), "desired": desired, "power": _powers(step, q, caught_up, applied, lost, held),
            "rates": activation_rates(actuators), "actuator_force": after["actuator_force"],
            "within_reason": lambda h: step.taking(h).within_reason(tree, q, now, torque, a),
        },
    }  # fmt: skip


def _caught_up(
    u: Sequence[Scalar], last: Sequence[Scalar], before: Sequence[Scalar], first: Sequence[Scalar]
) -> list[Scalar]:
    """Velocities u of half a step ago as they are now, from what the last three accelerations change in half a
    step: by the mean over that time of the parabola through them; by the last one, where they jump, or where there were
    none before (zeros). A straight line would do for accuracy, but what it leaves always does work of one sign."""
    trend = RowVector(last) * (17 / 12) - RowVector(before) * (25 / 12) + RowVector(first) * (2 / 3)
    share = where(trend.square <= RowVector(last).square * _STEADY**2, 1.0, 0.0)
    return scaled_sum(total(u, last), share, trend)


def _powers(step: SimulatedMechanism, q, v, applied, lost, held) -> list[Scalar]:
    return [power(applied, v), power(lost, v), power(held, v), step.outside_power(q, v), 0.0]
