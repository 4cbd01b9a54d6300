"""What legged tasks have in common: servos on the motors, falling, following a velocity."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..model import Model
from ..model.actuators import position_servo
from .sensors import down, gravity_direction, joint_positions, joint_velocities, root_velocity
from .task import Snapshot, Task

UPRIGHT = 0.6  # cosine of how far the base may lean


def with_servos(robot: Model, gains: Mapping[str, tuple[float, float]], most: Mapping[str, float]) -> Model:
    """Position servos on joints by name, with (kp, kv) and forces of at most so many N m."""
    servos = [
        position_servo(joint, kp, kv, force_range=(-most[joint], most[joint]), name=joint.removesuffix("_joint"))
        for joint, (kp, kv) in gains.items()
    ]
    return robot.with_actuators(*servos)


class LeggedTask(Task):
    """A robot on a floating base whose servos are told where to be, `reach` rad around its standing pose.

    Goals are velocities: along x and y of the base (m/s), about z (rad/s).
    """

    goals = 3
    outputs: tuple[str, ...] = ()

    def __init__(self, robot: Model, standing: np.ndarray, joints: tuple[str, ...], reach: float, height: float):
        self.robot, self.standing, self.height = robot, standing, height
        at = [robot.iq[robot.joint_index(name)].start for name in joints]
        self.rest, self.reach = standing[at], np.full(len(at), reach)
        self.sensors = [
            root_velocity(robot), gravity_direction(robot), joint_positions(robot, joints, less=standing),
            joint_velocities(robot, joints, scale=0.1),
        ]  # fmt: skip

    def keep_time(self, robot: Model) -> None:
        """A file's own time step, if it names one; actions last as long as they did."""
        if robot.simulation.dt is not None:
            self.interval, self.dt = max(1, round(self.interval * self.dt / robot.simulation.dt)), robot.simulation.dt

    def start(self, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        return np.tile(self.standing, (count, 1)), np.zeros((count, self.robot.nv))

    def is_over(self, now: Snapshot) -> np.ndarray:
        low = now.q[:, 2] < 0.6 * self.height + (self.standing[2] - self.height)
        return (-down(now.q)[:, 2] < UPRIGHT) | low

    def following(self, now: Snapshot) -> np.ndarray:
        """1 where the base moves as wanted, less the worse it does."""
        off = np.square(now.v[:, :2] - now.goal[:, :2]).sum(axis=1)
        turning = np.square(now.v[:, 5] - now.goal[:, 2])
        return np.exp(-off / 0.1) + 0.5 * np.exp(-turning / 0.25)

    def effort(self, now: Snapshot) -> np.ndarray:
        """What smooth and level motion leaves small."""
        jerk = np.square(now.action - now.before).sum(axis=1)
        shaking = np.square(now.v[:, 2]) + 0.05 * np.square(now.v[:, 3:5]).sum(axis=1)
        return 0.01 * jerk + shaking
