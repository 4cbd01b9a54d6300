"""Tasks by name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..errors import InputError, unknown_name
from .beast import SteeredBeast
from .cart_pole import CartPole
from .task import Task
from .vector_env import RobotVectorEnv
from .walkers import LoopedBiped, Quadruped

TASKS: Mapping[str, Callable[..., Task]] = {
    "looped_cart_pole": CartPole,
    "quadruped": Quadruped,
    "standing_biped": LoopedBiped,
    "walking_biped": partial(LoopedBiped, fastest=0.5, pushed=0.2),
    "steered_beast": SteeredBeast,
}
_TAKE_FILES = ("quadruped", "standing_biped", "walking_biped")


def make(
    task: str | Task, num_envs: int = 1, *, file: str | os.PathLike[str] | None = None, **options: Any
) -> RobotVectorEnv:  # fmt: skip
    """A vector environment of a task by name, or of one of your own; options as of `RobotVectorEnv`.

    file   of another robot for the quadruped or the bipeds: an MJCF file with a floor, actuators and, for the standing
           pose, a keyframe "home"; or a scene of the MuJoCo Menagerie by its short name ("go2", "cassie")
    """
    if isinstance(task, str):
        if task not in TASKS:
            raise unknown_name("task", task, TASKS)
        if file is not None and task not in _TAKE_FILES:
            raise InputError(f"task {task!r} has a robot of its own; file= is for {', '.join(_TAKE_FILES)}")
        task = TASKS[task]() if file is None else TASKS[task](file=file)
    elif file is not None:
        raise InputError("file= is for tasks by name; a task of your own brings its robot")
    return RobotVectorEnv(task, num_envs, **options)
