"""What an environment is about: a robot, what its policy sees and does, what is rewarded, and when it is over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ..model import Model

if TYPE_CHECKING:
    from .sensors import Sensor


class Outputs(Protocol):
    """Of the last step, by name."""

    def __getitem__(self, name: str) -> np.ndarray: ...


class Snapshot:
    """A batch of states as sensors and rewards see them: q (B, nq), v (B, nv), outputs of the last step by name,
    actions and those before (B, nu), and goals (B, n)."""

    def __init__(
        self, q: np.ndarray, v: np.ndarray, outputs: Outputs, action: np.ndarray, before: np.ndarray,
        goal: np.ndarray,
    ):  # fmt: skip
        self.q, self.v, self.action, self.before, self.goal = q, v, action, before, goal
        self._outputs = outputs
        self._rows: np.ndarray | None = None

    def __getitem__(self, name: str) -> np.ndarray:
        found = self._outputs[name]
        return found if self._rows is None else found[self._rows]

    def of(self, rows: np.ndarray) -> Snapshot:
        """Some of the samples, by number."""
        arrays = (x[rows] for x in (self.action, self.before, self.goal))
        some = Snapshot(self.q[rows], self.v[rows], self._outputs, *arrays)
        some._rows = rows if self._rows is None else self._rows[rows]
        return some


class Task:
    """One task; subclasses fill it in.

    robot      with actuators; actions in [-1, 1] are commands `rest + reach * action`
    dt         seconds per step, `interval` steps per action, `seconds` an episode lasts at most
    sensors    what is observed, besides goal and last action
    outputs    of the step that rewards look at
    goals      numbers per sample that say what is wanted, redrawn with every episode
    """

    robot: Model
    dt: float
    interval: int
    seconds: float
    rest: np.ndarray
    reach: np.ndarray
    sensors: Sequence[Sensor]
    outputs: tuple[str, ...] = ()
    goals: int = 0
    options: Mapping[str, Any] = {}  # of the simulator

    def start(self, rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray]:
        """(q, v) to start episodes from, (count, nq) and (count, nv), constraints met."""
        raise NotImplementedError

    def goal(self, rng: np.random.Generator, count: int) -> np.ndarray:
        return np.zeros((count, self.goals))

    def reward(self, now: Snapshot) -> np.ndarray:
        """(B,) per action."""
        raise NotImplementedError

    def is_over(self, now: Snapshot) -> np.ndarray:
        """(B,) whether an episode has failed."""
        raise NotImplementedError
