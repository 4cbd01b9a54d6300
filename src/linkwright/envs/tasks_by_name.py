"""Tasks by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..errors import unknown_name
from .cart_pole import CartPole
from .task import Task
from .vector_env import RobotVectorEnv
from .walkers import LoopedBiped, Quadruped

TASKS: Mapping[str, Callable[..., Task]] = {
    "looped_cart_pole": CartPole,
    "quadruped": Quadruped,
    "standing_biped": LoopedBiped,
    "walking_biped": partial(LoopedBiped, fastest=0.5),
}


def make(task: str | Task, num_envs: int = 1, **options: Any) -> RobotVectorEnv:
    """A vector environment of a task by name, or of one of your own; options as of `RobotVectorEnv`."""
    if isinstance(task, str):
        if task not in TASKS:
            raise unknown_name("task", task, TASKS)
        task = TASKS[task]()
    return RobotVectorEnv(task, num_envs, **options)
