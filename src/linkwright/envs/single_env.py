"""One robot as an environment of gymnasium, and tasks under names that `gymnasium.make` and `make_vec` know."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from .task import Task
from .tasks_by_name import TASKS, make

NAMESPACE = "linkwright"


class RobotEnv(gymnasium.Env):
    """A task by name, or one of your own, with one robot; options as of `make`. Who steps resets it."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, task: str | Task, **options: Any):
        self.vector = make(task, 1, **options)
        self.observation_space = self.vector.single_observation_space
        self.action_space = self.vector.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        observed, infos = self.vector.reset(seed=seed, options=options)
        self._np_random = self.vector.np_random  # starts and goals are drawn there
        return observed[0], infos

    def step(self, action: Any):
        observed, reward, over, cut, infos = self.vector.step(np.asarray(action)[None])
        last = infos["final_obs"] if over[0] or cut[0] else observed  # of the old episode, not of the new one
        told = {name: bool(infos[name][0]) for name in ("bad_action", "diverged") if name in infos}
        return last[0], float(reward[0]), bool(over[0]), bool(cut[0]), told


def vector_env(task: str, num_envs: int = 1, **options: Any):
    """As `gymnasium.make_vec` calls it."""
    return make(task, num_envs, **options)


def register_tasks() -> None:
    """`gymnasium.make_vec("linkwright/quadruped-v0", 4096)`, `gymnasium.make(...)` for one robot."""
    for name in TASKS:
        known = f"{NAMESPACE}/{name}-v0"
        if known not in gymnasium.registry:
            gymnasium.register(
                known, entry_point=f"{__name__}:RobotEnv", vector_entry_point=f"{__name__}:vector_env",
                kwargs={"task": name},
            )  # fmt: skip
