"""A beast of Jansen legs that is steered as a tank is: the legs of its left and right sides have a crank each."""

from __future__ import annotations

import numpy as np

from ..model.actuators import velocity_servo
from ..robots import walking_beast
from .legged import LeggedTask
from .sensors import gravity_direction, joint_angles, joint_velocities, root_velocity
from .task import Snapshot

CRANKS = ("left_crank", "right_crank")
CRANK_SPEED = 6.0  # rad/s of a command of 1; forward walking turns the cranks backward
STIFFNESS, TORQUE = 200.0, 200.0  # N m s/rad, N m


class SteeredBeast(LeggedTask):
    """Follow a velocity: up to `fastest` m/s forward, `turning` rad/s to either side; two motors, 36 loops."""

    dt, interval, seconds = 4e-3, 5, 10.0

    def __init__(self, fastest: float = 0.8, turning: float = 0.4, legs: int = 12):
        beast = walking_beast(legs, cranks=2)
        servos = (
            velocity_servo(f"{name}_joint", STIFFNESS, force_range=(-TORQUE, TORQUE), name=name) for name in CRANKS
        )
        robot = beast.with_actuators(*servos)
        floor = next(shape for shape in robot.shapes if shape.kind == "plane")
        self.robot, self.standing = robot, robot.drawn
        self.height = float(self.standing[2] - floor.placement.translation[2])
        self.rest, self.reach = np.zeros(2), np.full(2, -CRANK_SPEED)
        joints = tuple(f"{name}_joint" for name in CRANKS)
        self.sensors = [
            root_velocity(robot), gravity_direction(robot), joint_angles(robot, joints),
            joint_velocities(robot, joints, scale=1 / CRANK_SPEED),
        ]  # fmt: skip
        self.fastest, self.turning = fastest, turning

    def goal(self, rng: np.random.Generator, count: int) -> np.ndarray:
        wanted = np.zeros((count, 3))
        wanted[:, 0] = rng.uniform(0.25, 1.0, size=count) * self.fastest
        wanted[:, 2] = rng.uniform(-1.0, 1.0, size=count) * self.turning
        return wanted

    def reward(self, now: Snapshot) -> np.ndarray:
        return np.maximum(self.following(now) - self.effort(now), 0.0)
