"""A motion that shows any mechanism: a crank turns, what can stand stands, everything else swings.

A robot that floats and touches nothing is held by its base, feet in the air.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..compilation import reference
from ..errors import InputError
from ..model import Model
from ..model.editing import lock_joints
from .control import PD
from .start import check_start

CRANK = "crank_joint"
CRANK_SPEED = np.pi  # rad/s: a turn in two seconds
_RUN_UP = 1.0  # seconds until the crank has that speed
_SERVO_TIME = 0.01  # seconds in which the servo takes out an error in speed, as far as crank and rods go
_SWING_TIME = 1.0  # seconds in which dampers take out the speed of a joint and what it carries
_KICK = 0.5  # rad/s, m/s: random velocities at the start of a swing, since a pose may hang at rest
_SAG = 0.5  # rad, m: how far a joint gives way if it has to bear all of the robot at the robot's own length
_HOLD_TIME = 0.05  # seconds: derivative over proportional gains of joints that hold
_STANCES = ("home", "stand", "standing")  # keyframes in which robots stand


@dataclass(frozen=True, eq=False)
class Exercise:
    """What `simulate` needs for the motion, and what it is, in words."""

    model: Model
    start: tuple[np.ndarray, np.ndarray]
    closing: str
    """How `simulate` should treat the start: its option `start`."""
    gains: np.ndarray
    speed: np.ndarray
    """(nv,) what the velocities should become."""
    description: str
    stiffness: np.ndarray | float = 0.0
    """(nv,) of joints that hold the pose they start in."""

    def control(self, steps: int, dt: float) -> PD:
        """From rest to full speed."""
        s = np.minimum(np.arange(steps) * dt / _RUN_UP, 1.0)[:, None]
        return PD(kp=self.stiffness, kd=self.gains, q=self.start[0], v=self.speed * s * s * (3 - 2 * s))

    @property
    def steady_control(self) -> PD:
        return PD(kp=self.stiffness, kd=self.gains, q=self.start[0], v=self.speed)


def exercise(model: Model) -> Exercise:
    """A servo turns the joint "crank_joint", if there is one; a robot on the ground holds its pose; otherwise all
    joints swing under weight and dampers.
    """
    bases = [
        i for i, body in enumerate(model.bodies)
        if i and body.parent == 0 and body.joint.moves.is_free and any(b.parent == i for b in model.bodies[1:])
    ]  # fmt: skip
    stands = bool(bases and model.pairs)
    held = {} if stands else {model.bodies[i].joint.name: model.drawn[model.iq[i]] for i in bases}
    model = lock_joints(model, held) if held else model
    if not model.nv:
        raise InputError(f"{model.name!r} has no joint that moves; there is nothing to simulate")
    q = first_pose(model) if stands else model.drawn
    inertia = np.diag(np.asarray(reference(model, "crba")(q)))
    velocity, speed, stiffness = np.zeros(model.nv), np.zeros(model.nv), np.zeros(model.nv)
    if any(joint.name == CRANK for joint in model.joints):
        k = model.iv[model.joint_index(CRANK)]
        gains = np.zeros(model.nv)
        gains[k], speed[k] = inertia[k] / _SERVO_TIME, -CRANK_SPEED if stands else CRANK_SPEED
        description = f"a servo turns the crank, from rest to {60 * CRANK_SPEED / (2 * np.pi):.0f} turns a minute"
        description += "; it walks on its feet" if stands else ""
    elif stands:
        stiffness = _holding(model, bases)
        gains, description = _HOLD_TIME * stiffness, "it stands on the ground, its joints held where they start"
    else:
        gains, velocity = inertia / _SWING_TIME, np.random.default_rng(0).normal(size=model.nv) * _KICK
        description = "released as drawn with small random velocities; joints are damped"
    if held:
        description += f"; held by its base ({', '.join(held)})"
    closing = "check" if _closed(model, q, velocity) else "project"
    return Exercise(model, (q, velocity), closing, gains, speed, description, stiffness)


def first_pose(model: Model) -> np.ndarray:
    """(nq,) in which a robot is first seen: as drawn; one that can stand, on its feet, which just touch the ground."""
    bases = floating_bases(model)
    return _on_the_floor(model, _stance(model), bases[0]) if bases and model.pairs else model.drawn.copy()


def floating_bases(model: Model) -> list[int]:
    """Bodies that float and carry others."""
    return [
        i for i, body in enumerate(model.bodies)
        if i and body.parent == 0 and body.joint.moves.is_free and any(b.parent == i for b in model.bodies[1:])
    ]  # fmt: skip


def _stance(model: Model) -> np.ndarray:
    """A keyframe in which it stands, else the pose as drawn."""
    return next((model.configurations[name] for name in _STANCES if name in model.configurations), model.drawn)


def _on_the_floor(model: Model, q: np.ndarray, base: int) -> np.ndarray:
    """Raised or lowered until the lowest shape just touches."""
    zeros = np.zeros(model.nv)
    gaps = np.asarray(reference(model, "contact_dynamics", outputs="gap")(q, zeros, zeros, 1e-3))
    lowest = np.min(gaps, initial=np.inf)
    q = np.array(q)
    if np.isfinite(lowest):
        q[model.iq[base]][2] -= lowest
    return q


def _holding(model: Model, bases: list[int]) -> np.ndarray:
    """Proportional gains of all joints but the bases: stiff enough for the whole robot's weight."""
    weight = sum(body.inertia.mass for body in model.bodies[1:]) * float(np.linalg.norm(model.gravity))
    _, positions = reference(model, "forward_kinematics")(model.drawn)
    size = float(np.linalg.norm(np.ptp(positions[1:], axis=0)))
    stiffness = np.full(model.nv, max(weight, 1.0) * size / _SAG)
    for i in bases:
        stiffness[model.iv[i]] = 0.0
    return stiffness


def _closed(model: Model, q: np.ndarray, v: np.ndarray) -> bool:
    try:
        check_start(model, q, v)
    except InputError:
        return False
    return True
