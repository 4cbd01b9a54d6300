"""Runge-Kutta of order four: a step of a mechanism that touches nothing, and a stage of one by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..algorithms.parts.actuator_forces import activation_rates, next_activations
from ..algorithms.parts.integration import runge_kutta, scaled_sum
from ..algorithms.parts.passive_torques import tendon_damping_torques
from ..scalar import Scalar, leaves, maximum
from .acting import acting, judged_without_pull, open_by, power, total
from .embedded_mechanism import EmbeddedMechanism
from .progress import Progress
from .quantities import Scalars
from .simulated_mechanism import SimulatedMechanism
from .state import Work

_SHARES = (0.0, 0.5, 0.5, 1.0)  # of the step: where the stages are


@dataclass(frozen=True)
class StepStage:
    """Accelerations at one state (q, v), and what goes with them.

    unmet           what counts of the solver's residual, m/s^2, rad/s^2
    rates           of the actuators' activations; power: W of what acts, as in `Work`
    desired         accelerations of the rows that stabilize them; drift: m, rad by which constraints are open
    within_reason   accelerations that a part of so many seconds, the shortest there is, may be taken with
    """

    q: Scalars
    v: Scalars
    a: Scalars
    lam: Scalars
    torque: Scalars
    forces: Any
    actuator_force: Scalars
    residual: Scalar
    status: Scalar
    unmet: Scalar
    rates: Scalars
    power: Work
    desired: Scalars
    drift: Scalar
    within_reason: Callable[[Scalar], list[Scalar]]


def stage(
    physics: SimulatedMechanism, q: Scalars, v: Scalars, act: Scalars, desired: Scalars, lam: Scalars | None,
    ahead: Scalar | None, drift: Scalar = 0.0,
) -> StepStage:  # fmt: skip
    """At one state. What the integrator takes implicitly is taken `ahead` seconds later; None where nothing is."""
    actuators = physics.actuator_forces(q, v, act)
    torques = acting(physics, q, v, actuators, 0.0 if ahead is None else ahead)
    torque = total(*(part.torque for part in torques))
    slope = total(physics.damping, *(part.slope for part in torques))
    tree = physics.tree if ahead is None else physics.stiffened(slope, ahead)
    solution = physics.solve(tree, q, v, torque, desired, lam, physics.f_ext)
    solution = judged_without_pull(physics, solution, desired)
    a, later = solution.a, 0.0 if ahead is None else ahead
    applied, rubbed, held = (
        [t - s * (later * x) for t, s, x in zip(part.torque, part.slope, a, strict=True)] for part in torques
    )
    lost = [t - d * (x + later * y) for t, d, x, y in zip(rubbed, physics.damping, v, a, strict=True)]
    lost = total(lost, tendon_damping_torques(physics.tree, v))
    rates = activation_rates(actuators)
    powers = Work(power(applied, v), power(lost, v), power(held, v), physics.outside_power(q, v), 0.0)
    return StepStage(
        q, v, a, solution.lam, applied, solution.forces, [one.force for one in actuators], solution.residual,
        solution.status, solution.unmet, rates, powers, desired, drift,
        lambda h: physics.taking(h).within_reason(tree, q, v, torque, a),
    )  # fmt: skip


def runge_kutta_step(
    physics: SimulatedMechanism, start: Progress, lam: Sequence[Scalar] | None
) -> tuple[Progress, list[StepStage]]:
    """Explicit: after physics.h seconds, and the four stages. Stabilization is the same in all of them, as the step's
    start asks for: the stages' own errors are of second order, and answering those would cost the scheme its order."""
    stages: list[StepStage] = []
    q, v = start.q, start.v
    errors = physics.rows_at(q, v)
    desired = physics.desired(errors, None)

    def acceleration(q: Scalars, v: Scalars) -> Scalars:
        if isinstance(physics, EmbeddedMechanism) and stages:
            q, v, _ = physics.closed(start.q, start.v, q, v, 0.0)
        share = _SHARES[len(stages)] * physics.h  # activations are in step with the other stages
        act = scaled_sum(start.act, share, stages[-1].rates) if stages else start.act
        stages.append(stage(physics, q, v, act, desired, stages[-1].lam if stages else lam, None))
        return stages[-1].a

    q_next: Scalars
    v_next: Scalars
    q_next, v_next = runge_kutta(physics.straight, q, v, physics.h, acceleration)
    status = stages[0].status
    if physics.options.projection and physics.constrained:
        q_next, v_next = projected(physics, q_next, v_next)
    elif isinstance(physics, EmbeddedMechanism):
        q_next, v_next, found = physics.closed(q, v, q_next, v_next, 0.0)
        status = maximum(status, found)
    first, second, third, fourth = stages

    def mean(four: Sequence[Scalars]) -> list[Scalar]:
        return [(a + (b + c) * 2.0 + d) * (1.0 / 6.0) for a, b, c, d in zip(*four, strict=True)]

    def worst(a: Scalar, b: Scalar, c: Scalar, d: Scalar) -> Scalar:
        return maximum(maximum(a, b), maximum(c, d))

    residual = worst(*(one.residual for one in stages))
    unmet = worst(*(one.unmet for one in stages))
    status = worst(status, second.status, third.status, fourth.status)
    act = start.act
    if first.rates:
        act = next_activations(physics.model, start.act, mean([one.rates for one in stages]), physics.h)
    drift = open_by(errors)
    work = Work(*(physics.h * x for x in mean([leaves(one.power) for one in stages])))
    # velocities belong to positions here; what takes over from this scheme may know
    ended = Progress(
        q_next, v_next, fourth.lam, first.a, first.torque, first.forces, residual, drift, status, unmet, 0.0,
        [0.0, 0.0], work, 4.0, [0.0] * (3 * len(v)), 0.0, act, first.actuator_force,
    )  # fmt: skip
    return ended, stages


def projected(physics: SimulatedMechanism, q: Scalars, v: Scalars) -> tuple[Scalars, Scalars]:
    """q and v on the constraints."""
    on_them, _ = physics.project(q)
    return on_them, physics.project_velocity(q, on_them, v)
