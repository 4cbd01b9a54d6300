"""Forces of actuators: what a command makes of lengths and rates, through gears onto joints.

Each is a force and how much less it is per rate, so that integrators that can take the slope implicitly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...model import Model, Tree
from ...model.actuators import Actuator
from ...scalar import Scalar, exp, maximum, where
from ...spatial import Vector
from ...spatial.quaternion import logarithm, normalised, rotation_matrix
from .joint_resistance import Resistance

SHORTEST_TIME_CONSTANT = 1e-15  # MuJoCo's: a filter of none follows at once, and nothing is divided by zero


@dataclass(frozen=True)
class ActuatorForce:
    """force    along the length
    slope    how much less it is per rate; not where it is cut off
    moment   (velocity, its share of the rate): joint torques are those times the force
    rate     of the activation, if there is one
    """

    force: Scalar
    slope: Scalar
    moment: list[tuple[int, Scalar]]
    rate: Scalar | None


def actuator_forces(
    tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], ctrl: Sequence[Scalar], act: Sequence[Scalar], dt: Scalar
) -> list[ActuatorForce]:
    """Of every actuator. `dt` is the step, at whose end early activations are taken."""
    states, model = iter(act), tree.model
    return [
        _force(one, gains, model, q, v, command, next(states) if one.activation else None, dt)
        for one, gains, command in zip(model.actuators, tree.actuator_gains, ctrl, strict=True)
    ]


def joint_torques(model: Model, forces: Sequence[ActuatorForce], *, growing: bool = False) -> Resistance:
    """Torques, and their slopes as far as each depends on the velocity of its own joint alone: through an actuator on
    several joints (a tendon) the torque of one also depends on the others, which a diagonal does not say. A force that
    grows with its rate has a slope only on request: taken implicitly it would make an inertia negative."""
    torque: list[Scalar] = [0.0] * model.nv
    slope: list[Scalar] = [0.0] * model.nv
    for one in forces:
        for k, ratio in one.moment:
            torque[k] = torque[k] + ratio * one.force
        if len(one.moment) == 1:
            k, ratio = one.moment[0]
            slope[k] = slope[k] + ratio * ratio * (one.slope if growing else maximum(one.slope, 0.0))
    return Resistance(torque, slope)


def next_activations(
    model: Model, act: Sequence[Scalar], rates: Sequence[Scalar], h: Scalar
) -> list[Scalar]:
    """Activations after h seconds at these rates."""
    moving = [one for one in model.actuators if one.activation]
    return [_advanced(one, x, rate, h) for one, x, rate in zip(moving, act, rates, strict=True)]


def activation_rates(forces: Sequence[ActuatorForce]) -> list[Scalar]:
    """Of those that have one, in the order of `act`."""
    return [one.rate for one in forces if one.rate is not None]


def commands_cut(model: Model, ctrl: Sequence[Scalar]) -> list[Scalar]:
    """1 for each command that is beyond its range, else 0."""
    return [
        0.0 if one.ctrl_range is None else where((u < one.ctrl_range[0]) | (u > one.ctrl_range[1]), 1.0, 0.0)
        for one, u in zip(model.actuators, ctrl, strict=True)
    ]


def _force(
    one: Actuator, gains: Sequence[Scalar], model: Model, q: Sequence[Scalar], v: Sequence[Scalar], command: Scalar,
    act: Scalar | None, dt: Scalar,
) -> ActuatorForce:  # fmt: skip
    length, moment = transmission(one, model, q)
    speed: Scalar = 0.0
    for k, ratio in moment:
        speed = speed + ratio * v[k]
    u = command if one.ctrl_range is None else _cut(command, one.ctrl_range)
    rate: Scalar | None = None
    if act is not None:
        rate = u if one.activation == "integrator" else (u - act) / _time_constant(one)
        u = _advanced(one, act, rate, dt) if one.early else act
    gain, bias = gains[:3], gains[3:]
    force = (gain[0] + gain[1] * length + gain[2] * speed) * u + (bias[0] + bias[1] * length + bias[2] * speed)
    slope: Scalar = -(gain[2] * u) - bias[2]
    if one.force_range is not None:
        low, high = one.force_range
        slope = where((force > low) & (force < high), slope, 0.0)
        force = _cut(force, one.force_range)
    return ActuatorForce(force, slope, moment, rate)


def transmission(one: Actuator, model: Model, q: Sequence[Scalar]) -> tuple[Scalar, list[tuple[int, Scalar]]]:
    """(length, share of each velocity in its rate)."""
    name, gear = one.drives[0]
    i = model.joint_index(name)
    if model.joints[i - 1].moves.has_quaternion:
        return _turning(one, model, i, q, gear)
    length: Scalar = one.offset
    moment: list[tuple[int, Scalar]] = []
    for name, gears in one.drives:
        i = model.joint_index(name)
        for n, ratio in enumerate(gears):
            length = length + ratio * q[model.iq[i].start + n]
            moment.append((model.iv[i].start + n, ratio))
    return length, moment


def _turning(one: Actuator, model: Model, i: int, q: Sequence[Scalar], gear: Sequence[float]):
    """Of a ball, whose length is the rotation vector along the gear, or of a free-flyer, which has none."""
    own = q[model.iq[i]]
    back = rotation_matrix(own[-4:]).T
    torque = Vector(*gear[-3:])
    torque = back @ torque if one.in_parent else torque
    length: Scalar = one.offset
    shares = list(torque)
    if not model.joints[i - 1].moves.is_free:
        length = length + logarithm(normalised(own)) @ torque
    else:  # forces along the parent's axes; velocities are along the child's
        shares = [*(back @ Vector(*gear[:3])), *shares]
    moment = [(model.iv[i].start + n, x) for n, x in enumerate(shares) if not (isinstance(x, float) and x == 0.0)]
    return length, moment


def _advanced(one: Actuator, act: Scalar, rate: Scalar, h: Scalar) -> Scalar:
    if one.activation == "filterexact":
        tau = _time_constant(one)
        act = act + rate * tau * (1.0 - exp(h * (-1.0 / tau)))
    else:
        act = act + rate * h
    return act if one.act_range is None else _cut(act, one.act_range)


def _time_constant(one: Actuator) -> float:
    return max(one.time_constant, SHORTEST_TIME_CONSTANT)


def _cut(x: Scalar, bounds: Sequence[float]) -> Scalar:
    """What is not a number stays none: it must show."""
    low, high = bounds
    return where(x < low, low, where(x > high, high, x))
