"""Legged tasks: a quadruped that follows a velocity, a biped with loops in its legs that stands or walks."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np

from ..model import Model
from ..model.contact import box, sphere
from ..model.editing import lock_joints
from ..robots import digit_like, quadruped
from .legged import LeggedTask, with_servos
from .robot_files import robot_of_file
from .task import Snapshot

LEGS = ("FL", "FR", "RL", "RR")
CROUCHED = {"hip": 0.0, "thigh": 0.8, "shank": -1.6}
SIDES = ("left", "right")
LEG_MOTORS = ("hip_roll", "hip_yaw", "thigh", "tarsus", "toe_a", "toe_b")
BEARINGS = 0.2  # N m s/rad in every joint of the biped: without, light rods whip where loops fold, and fly away
ARMS = ("shoulder_roll", "shoulder_pitch", "shoulder_yaw", "elbow")


class Quadruped(LeggedTask):
    """Follow a velocity of up to `fastest` m/s on four legs, twelve servos; the built-in quadruped, or that of a file
    (robot_files.py)."""

    dt, interval, seconds = 4e-3, 5, 10.0

    def __init__(self, fastest: float = 1.0, file: str | os.PathLike[str] | None = None):
        self.fastest = fastest
        robot, standing, joints = _built_quadruped() if file is None else robot_of_file(file, sag=0.6)
        self.keep_time(robot)
        super().__init__(robot, standing, joints, 0.6, standing[2])

    def goal(self, rng: np.random.Generator, count: int) -> np.ndarray:
        wanted = rng.uniform(-1, 1, size=(count, 3)) * (0.3, 0.2, 0.5)
        wanted[:, 0] = rng.uniform(0.2, 1.0, size=count) * self.fastest
        return wanted

    def reward(self, now: Snapshot) -> np.ndarray:
        return np.maximum(self.following(now) - self.effort(now), 0.0)


class LoopedBiped(LeggedTask):
    """Stand still, or follow a velocity of up to `fastest` m/s, on two legs with three closed loops each; twelve
    servos, arms fixed.

    file     of a robot instead of the built-in one (robot_files.py)
    pushed   m/s to each side with which an episode begins, at most: with 0.5 three of four fall if nothing is done
    """

    dt, interval, seconds = 2e-3, 10, 10.0

    def __init__(
        self, fastest: float = 0.0, pushed: float = 0.5, file: str | os.PathLike[str] | None = None
    ):  # fmt: skip
        self.fastest, self.pushed = fastest, pushed
        robot, standing, joints = _built_biped() if file is None else robot_of_file(file, sag=0.4)
        self.keep_time(robot)
        super().__init__(robot, standing, joints, 0.3, 1.0 if file is None else standing[2])

    def goal(self, rng: np.random.Generator, count: int) -> np.ndarray:
        wanted = np.zeros((count, 3))
        wanted[:, 0] = rng.uniform(0.0, 1.0, size=count) * self.fastest
        return wanted

    def start(self, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        q, v = super().start(rng, count)
        v[:, :2] = rng.uniform(-self.pushed, self.pushed, size=(count, 2))
        return q, v

    def reward(self, now: Snapshot) -> np.ndarray:
        return np.maximum(self.following(now) - self.effort(now), 0.0)


def _built_quadruped() -> tuple[Model, np.ndarray, tuple[str, ...]]:
    feet = [sphere(f"{leg}_foot", 0.02, name=f"{leg}_ball") for leg in LEGS]
    robot = quadruped().with_shapes(*feet).on_ground(friction=0.8)
    joints = tuple(f"{leg}_{part}_joint" for leg in LEGS for part in CROUCHED)
    efforts = {name: float(robot.joints[robot.joint_index(name) - 1].effort_limit[0]) for name in joints}
    robot = with_servos(robot, dict.fromkeys(joints, (40.0, 1.0)), efforts)
    standing = robot.drawn.copy()
    standing[2] = 0.312
    for name in joints:
        standing[robot.iq[robot.joint_index(name)]] = CROUCHED[name.split("_")[1]]
    return robot, standing, joints


def _built_biped() -> tuple[Model, np.ndarray, tuple[str, ...]]:
    floating = digit_like(standing=False)
    robot = lock_joints(floating, {f"{side}_{part}_joint": None for side in SIDES for part in ARMS})
    robot = _with_bearings(robot, BEARINGS)
    soles = [box(f"{side}_foot", (0.24, 0.10, 0.02), at=(0, 0, 0.01), name=f"{side}_sole") for side in SIDES]
    robot = robot.with_shapes(*soles).on_ground(friction=0.9, at=(0, 0, -1.0))
    joints = tuple(f"{side}_{part}_joint" for side in SIDES for part in LEG_MOTORS)
    robot = with_servos(robot, dict.fromkeys(joints, (600.0, 20.0)), dict.fromkeys(joints, 250.0))
    return robot, robot.drawn.copy(), joints


def _with_bearings(robot: Model, damping: float) -> Model:
    """All joints of one velocity resist it."""
    bodies = (
        replace(body, joint=replace(body.joint, damping=np.full(1, damping))) if body.joint.nv == 1 else body
        for body in robot.bodies[1:]
    )
    return replace(robot, bodies=(robot.bodies[0], *bodies))
