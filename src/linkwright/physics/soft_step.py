"""A step of a mechanism that touches something: semi-implicit Euler on the accelerations of MuJoCo's soft law.

`euler` and `implicitfast` are MuJoCo's: the law's forces are found first, then dampers (implicitfast: derivative gains,
too) are taken at the new velocity while those forces stay. Origins of free bodies are advanced, not centres of mass.
`damped_euler`, and every integrator where constraints are hard, knows of dampers when it finds the forces, so that the
new velocities are those that the law and the constraints ask for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..algorithms.contact.halving import largest
from ..algorithms.contact.implicit_damping import actuator_slopes, damped, tendon_slopes
from ..algorithms.contact.rows import drift
from ..algorithms.contact.tumbling import lone_bodies, tumbled
from ..algorithms.parts.integration import scaled_sum
from ..algorithms.parts.passive_torques import tendon_damping_torques
from ..algorithms.rows.constraint_rows import largest_residual
from ..algorithms.rows.constraint_state import constraint_state
from ..errors import InputError
from ..scalar import Scalar, where
from ..spatial import sum_of
from .simulated_mechanism import SimulatedMechanism
from .soft_dynamics import SoftDynamics, shapes_of

# Accelerations go on changing as they did, a little less from step to step: the law takes overlap and speed out by a
# fifth a step or so. Passes on Go1 with 0, 0.5, 0.8, 1: 3.20, 2.95, 2.61, 2.71; on ANYmal C 4.01, 3.65, 3.15, 3.40.
_AHEAD = 0.8


def soft_step(step: SimulatedMechanism, state, lam) -> dict[str, Any]:
    """As the steps of step.py; `state` also has `warm`, the last accelerations; `lead` is what they changed by then."""
    q, v, lag, h, options = state["q"], state["v"], state["lag"][0], step.h, step.options
    time = lag + 0.5 * h  # from where v belongs to the middle of this part
    actuators = step.actuator_forces(q, v, state["act"])
    control = step.control(q, v, actuators)
    slope = list(step.damping)
    if options["integrator"] != "euler":
        slope = [d + s for d, s in zip(slope, control.slope, strict=True)]
    hard = step.constrained and options["equality"] == "hard"
    at_once = hard or options["integrator"] == "damped_euler"
    errors = constraint_state(step.tree, q, step.velocities_in_axes_of(lag, q, v))
    found = SoftDynamics(
        step.stiffened(slope, time) if at_once else step.tree, q, v, control.torque, step.dt, options,
        start=scaled_sum(state["warm"], _AHEAD, state["lead"][: len(v)]), f_ext=step.external_forces,
        desired=step.desired(errors, lag) if hard else None,
    )  # fmt: skip
    a = found.a
    late: tuple[list, list] = [], []  # what actuators, and dampers, on several joints do less when taken late
    if not at_once:
        lacking = drift(step.tree, v)
        still = [x + y for x, y in zip(a, lacking, strict=True)]
        if options["integrator"] == "implicitfast":
            late = actuator_slopes(step.tree, actuators), tendon_slopes(step.tree)
        a = damped(found.problem, step.tree, a, still, slope, time, [*late[0], *late[1]])
        for i in lone_bodies(step.tree) if options["integrator"] == "implicitfast" else ():
            iv = step.tree.iv[i]
            turned = tumbled(step.tree, i, v[iv], still[iv], slope[iv], time)
            a[iv] = [x - y for x, y in zip(turned, lacking[iv], strict=True)]
    u = scaled_sum(step.straight.of(q, v), time, step.straight.rate(q, v, a))
    q_next = step.straight.moved(q, [h * x for x in u])
    v_next = step.straight.velocities(q_next, u)
    return {
        "q": q_next, "v": v_next, "a": a, "torque": control.torque, "lam": [-f for f in found.constraint_rows_forces()],
        "forces": found.constraint_forces(), "residual": found.residual, "unmet": found.unmet,
        "status": found.status,
        "drift": largest_residual([e for e in errors.error if e is not None]), "lag": [0.5 * h],
        "lead": [*_changes(found.a, state["warm"]), *[0.0] * (2 * len(v))], "warm": found.a,
        "work": _work(step, found, q, v, u, control, a, time, late), "penetration": found.penetration,
        "iterations": found.solution.iterations, "effort": found.effort, **found.contact_outputs(),
        **step.after_actuators(state["act"], actuators),
    }  # fmt: skip


def _changes(a: Sequence[Scalar], before: Sequence[Scalar]) -> list[Scalar]:
    """None in the first step, which starts from zeros."""
    known = largest(before) > 0.0
    return [where(known, x - y, 0.0) for x, y in zip(a, before, strict=True)]


def _work(step: SimulatedMechanism, found: SoftDynamics, q, v, u, control, a, time, late) -> list[Scalar]:
    """By controls, dampers and dry friction, limits, forces from outside, contacts (and soft constraints)."""
    then = step.straight.velocities(q, u)  # the new velocities along the axes of v
    way = [0.5 * time * (x + y) for x, y in zip(v, then, strict=True)]  # forces work along the mean of both velocities
    implicit = step.options["integrator"] != "euler"
    applied = [t - s * (time * x) if implicit else t for t, s, x in zip(control.torque, control.slope, a, strict=True)]
    limits, friction = found.joint_torques()
    tendons = tendon_damping_torques(step.tree, v)
    lost = [f + t - d * x for f, t, d, x in zip(friction, tendons, step.damping, then, strict=True)]
    for torques, slopes in zip((applied, lost), late, strict=True):
        for k, torque in (pair for one in slopes for pair in one.torques(a, time)):
            torques[k] = torques[k] + torque
    by = [sum_of(t * x for t, x in zip(torques, way, strict=True)) for torques in (applied, lost, limits)]
    return [*by, step.outside_power(q, way), found.power(way)]


def no_contacts(a) -> dict[str, Any]:
    """What a step without contacts says of them."""
    empty = {name: np.zeros(shape) for name, shape in shapes_of(0).items()}
    return {**empty, "warm": a, "effort": 0.0, "penetration": [0.0, 0.0]}


def check_fits_contact(options) -> None:
    """Refuses what the soft law has no place for."""
    if options["integrator"] == "rk4":
        raise InputError(
            "integrator is 'rk4', and contact 'soft'; contacts take 'euler', 'implicitfast' or 'damped_euler', "
            "or contact=None leaves them out"
        )
    for name, usual in (("solver", None), ("mu", None), ("projection", False)):
        if options[name] != usual:
            raise InputError(
                f"{name} is {options[name]!r}, which is for simulations without contacts; leave it out, or contact=None"
            )
