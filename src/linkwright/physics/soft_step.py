"""A step of a mechanism that touches something: semi-implicit Euler on the accelerations of MuJoCo's soft law.

`euler` and `implicitfast` are MuJoCo's: the law's forces are found first, then dampers (implicitfast: derivative gains,
too) are taken at the new velocity while those forces stay. Origins of free bodies are advanced, not centres of mass.
`damped_euler`, and every integrator where constraints are hard, knows of dampers when it finds the forces, so that the
new velocities are those that the law and the constraints ask for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..algorithms.contact.halving import largest
from ..algorithms.contact.implicit_damping import actuator_slopes, damped, tendon_slopes
from ..algorithms.contact.rows import drift
from ..algorithms.contact.tumbling import lone_bodies, tumbled
from ..algorithms.parts.integration import scaled_sum
from ..algorithms.parts.joint_resistance import Resistance
from ..algorithms.parts.passive_torques import tendon_damping_torques
from ..algorithms.rows.constraint_rows import largest_residual
from ..scalar import Scalar, where
from ..spatial import sum_of
from .divided_steps import StepPart
from .options import SoftLaw
from .progress import Progress
from .quantities import Scalars
from .simulated_mechanism import SimulatedMechanism
from .soft_dynamics import SoftDynamics
from .state import Work

# Accelerations go on changing as they did, a little less from step to step: the law takes overlap and speed out by a
# fifth a step or so. Passes on Go1 with 0, 0.5, 0.8, 1: 3.20, 2.95, 2.61, 2.71; on ANYmal C 4.01, 3.65, 3.15, 3.40.
_AHEAD = 0.8

Late = tuple[list[Any], list[Any]]


def soft_step(step: SimulatedMechanism, start: Progress, law: SoftLaw) -> StepPart:
    """A part of step.h seconds. `start.warm` are the last accelerations, `start.lead` what they changed by then."""
    q, v, lag, h, options = start.q, start.v, start.lag, step.h, step.options
    warm = start.warm if start.warm is not None else [0.0] * len(v)
    integrator = options.integrator
    time = lag + 0.5 * h  # from where v belongs to the middle of this part
    actuators = step.actuator_forces(q, v, start.act)
    control = step.control(q, v, actuators)
    slope = list(step.damping)
    if "control" not in integrator.explicit:
        slope = [d + s for d, s in zip(slope, control.slope, strict=True)]
    hard = step.constrained and law.equality == "hard"
    at_once = hard or "limits" not in integrator.explicit
    errors = step.rows_at(q, step.velocities_in_axes_of(lag, q, v))
    found = SoftDynamics(
        step.stiffened(slope, time) if at_once else step.tree, q, v, control.torque, step.dt, law, options.joints,
        options.purpose.precision, start=scaled_sum(warm, _AHEAD, start.lead[: len(v)]), f_ext=step.external_forces,
        desired=step.desired(errors, lag) if hard else None,
        active=step.inputs.holding,
    )  # fmt: skip
    a = found.a
    late: Late = [], []  # what actuators, and dampers, on several joints do less when taken late
    if not at_once:
        lacking = drift(step.tree, v)
        still = [x + y for x, y in zip(a, lacking, strict=True)]
        if integrator.growing:
            late = actuator_slopes(step.tree, actuators), tendon_slopes(step.tree)
        a = damped(found.problem, step.tree, a, still, slope, time, [*late[0], *late[1]])
        for i in lone_bodies(step.tree) if integrator.growing else ():
            iv = step.tree.iv[i]
            turned = tumbled(step.tree, i, v[iv], still[iv], slope[iv], time)
            a[iv] = [x - y for x, y in zip(turned, lacking[iv], strict=True)]
    u = scaled_sum(step.straight.of(q, v), time, step.straight.rate(q, v, a))
    q_next = step.straight.moved(q, [h * x for x in u])
    v_next = step.straight.velocities(q_next, u)
    lam, forces = [-f for f in found.constraint_rows_forces()], found.constraint_forces()
    residual, unmet, status = found.residual, found.unmet, found.status
    drift_now = largest_residual([e for e in errors.error if e is not None])
    age, lead = 0.5 * h, [*_changes(found.a, warm), *[0.0] * (2 * len(v))]
    work = _work(step, found, q, v, u, control, a, time, late)
    penetration, effort, touching = found.penetration, found.effort, found.touching()
    act, actuator_force = step.after_actuators(start.act, actuators)
    return StepPart(Progress(
        q_next, v_next, lam, a, control.torque, forces, residual, drift_now, status, unmet, 0.0, [0.0, 0.0], work,
        found.solution.iterations, lead, age, act, actuator_force, found.a, penetration, effort, touching,
    ))  # fmt: skip


def _changes(a: Sequence[Scalar], before: Sequence[Scalar]) -> list[Scalar]:
    """None in the first step, which starts from zeros."""
    known = largest(before) > 0.0
    return [where(known, x - y, 0.0) for x, y in zip(a, before, strict=True)]


def _work(
    step: SimulatedMechanism, found: SoftDynamics, q: Scalars, v: Scalars, u: Scalars, control: Resistance,
    a: Scalars, time: Scalar, late: Late,
) -> Work:  # fmt: skip
    """By controls, dampers and dry friction, limits, forces from outside, contacts (and soft constraints)."""
    then = step.straight.velocities(q, u)  # the new velocities along the axes of v
    way = [0.5 * time * (x + y) for x, y in zip(v, then, strict=True)]  # forces work along the mean of both velocities
    implicit = "control" not in step.options.integrator.explicit
    applied = [t - s * (time * x) if implicit else t for t, s, x in zip(control.torque, control.slope, a, strict=True)]
    limits, friction = found.joint_torques()
    tendons = tendon_damping_torques(step.tree, v)
    lost = [f + t - d * x for f, t, d, x in zip(friction, tendons, step.damping, then, strict=True)]
    for torques, slopes in zip((applied, lost), late, strict=True):
        for k, torque in (pair for one in slopes for pair in one.torques(a, time)):
            torques[k] = torques[k] + torque
    controls, dampers, held = (
        sum_of(t * x for t, x in zip(torques, way, strict=True)) for torques in (applied, lost, limits)
    )
    return Work(controls, dampers, held, step.outside_power(q, way), found.power(way))
