"""A cart on a crank, with a pole on it: a slider-crank whose slider carries a pendulum that is to stand."""

from __future__ import annotations

import math

import numpy as np

from ..assembly import project_configuration
from ..model import Inertia, Model
from ..model.actuators import motor
from ..robots.plane import PlaneDrawing, at_angle
from .sensors import joint_positions, joint_velocities
from .task import Snapshot, Task

CRANK, ROD, POLE = 0.4, 1.2, 0.8  # m
CART_MASS, TORQUE = 2.0, 15.0  # kg, N m
LEANING, TURNED = 0.35, 1.2  # rad
STARTS = 64


def looped_cart_pole() -> Model:
    """Joints "crank_joint", "rod_joint", "cart_joint", "pole_joint"; one loop, mobility 2, one motor."""
    end = at_angle((0, 0), CRANK, math.pi / 2)
    wrist = (math.sqrt(ROD**2 - CRANK**2), 0.0)
    drawing = PlaneDrawing("looped_cart_pole")
    drawing.turning("crank", (0, 0), [end])
    drawing.turning("rod", end, [wrist], "crank")
    drawing.sliding("cart", wrist, "x", Inertia.box(CART_MASS, (0.2, 0.1, 0.1)))
    drawing.turning("pole", wrist, [(wrist[0], POLE)], "cart")
    drawing.pin("wrist", "rod", "cart", wrist)
    return drawing.build().with_actuators(motor("crank_joint", ctrl_range=(-TORQUE, TORQUE)))


class CartPole(Task):
    """Keep the pole up by turning the crank; a point per action that it stands."""

    dt, interval, seconds = 2e-3, 10, 10.0

    def __init__(self) -> None:
        self.robot = robot = looped_cart_pole()
        self.rest, self.reach = np.zeros(1), np.array([TORQUE])
        joints = ("crank_joint", "cart_joint", "pole_joint")
        self.sensors = [joint_positions(robot, joints, less=robot.drawn), joint_velocities(robot, joints)]
        self._pole, self._crank = (robot.iq[robot.joint_index(f"{name}_joint")].start for name in ("pole", "crank"))
        rng = np.random.default_rng(0)
        self._closed = np.stack([self._near(rng) for _ in range(STARTS)])

    def _near(self, rng: np.random.Generator) -> np.ndarray:
        q = self.robot.drawn.copy()
        q[self._crank] += rng.uniform(-0.2, 0.2)
        return project_configuration(self.robot, q)

    def start(self, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        q = self._closed[rng.integers(STARTS, size=count)].copy()
        q[:, self._pole] += rng.uniform(-0.05, 0.05, size=count)
        return q, np.zeros((count, self.robot.nv))

    def reward(self, now: Snapshot) -> np.ndarray:
        return np.cos(now.q[:, self._pole]) - 0.01 * np.square(now.action).sum(axis=1)

    def is_over(self, now: Snapshot) -> np.ndarray:
        return (np.abs(now.q[:, self._pole]) > LEANING) | (np.abs(now.q[:, self._crank]) > TURNED)
