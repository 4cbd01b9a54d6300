"""A motion that shows any mechanism: a crank turns, everything else swings.

There is no contact in a simulation, so a robot that floats is held by its base, feet in the air.
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

    def control(self, steps: int, dt: float) -> PD:
        """From rest to full speed."""
        s = np.minimum(np.arange(steps) * dt / _RUN_UP, 1.0)[:, None]
        return PD(kp=0.0, kd=self.gains, v=self.speed * s * s * (3 - 2 * s))

    @property
    def steady_control(self) -> PD:
        return PD(kp=0.0, kd=self.gains, v=self.speed)


def exercise(model: Model) -> Exercise:
    """A servo turns the joint "crank_joint", if there is one; otherwise all joints swing under weight and dampers."""
    held = {
        body.joint.name: model.reference[model.iq[i]]
        for i, body in enumerate(model.bodies)
        if i and body.parent == 0 and body.joint.kind == "free_flyer" and any(b.parent == i for b in model.bodies[1:])
    }
    model = lock_joints(model, held) if held else model
    if not model.nv:
        raise InputError(f"{model.name!r} has no joint that moves; there is nothing to simulate")
    inertia = np.diag(np.asarray(reference(model, "crba")(model.reference)))
    gains, velocity = inertia / _SWING_TIME, np.random.default_rng(0).normal(size=model.nv) * _KICK
    speed, description = np.zeros(model.nv), "released as drawn with small random velocities; joints are damped"
    if any(joint.name == CRANK for joint in model.joints):
        k = model.iv[model.joint_index(CRANK)]
        gains, velocity = np.zeros(model.nv), np.zeros(model.nv)
        gains[k], speed[k] = inertia[k] / _SERVO_TIME, CRANK_SPEED
        description = f"a servo turns the crank, from rest to {60 * CRANK_SPEED / (2 * np.pi):.0f} turns a minute"
    if held:
        description += f"; held by its base ({', '.join(held)})"
    closing = "check" if _closed(model, velocity) else "project"
    return Exercise(model, (model.reference, velocity), closing, gains, speed, description)


def _closed(model: Model, v: np.ndarray) -> bool:
    try:
        check_start(model, model.reference, v)
    except InputError:
        return False
    return True
