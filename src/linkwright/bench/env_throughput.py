"""`linkwright bench envs`: steps of vector environments per second, beside MuJoCo's `rollout` on as many threads.

Ours are whole steps of environments under random actions: physics, observations, rewards, new episodes. MuJoCo advances
the same robots, on the same ground, from the same states with the same commands for as many steps, and does nothing
else. Its loops are soft and may come apart; ours are held exactly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..compilation import compile
from ..errors import unknown_name
from .peers.mujoco_walkers import MujocoWalkers

TASKS = ("quadruped", "standing_biped")
ENVIRONMENTS, INTERVAL, THREADS = 4096, 4, 2
_WARM_UP = 60  # actions, after which episodes are out of step with each other
_TURNS = 5  # at least


@dataclass(frozen=True)
class EnvThroughput:
    """Of the best of all turns, by the clock on the wall; `cost` by processor time, which other work on the machine
    changes little.

    actions     steps of environments a second, each of `interval` steps of physics
    steps       of physics a second, observations and all else included; `mujoco_steps` without any
    cost        microseconds of all processors per step of physics; `mujoco_cost`
    reset       share of environments that began a new episode in a step, on average
    apart       how far loops are open after an interval, half of the environments more: ours, and MuJoCo's
    """

    task: str
    dof: int
    rows: int
    points: int
    environments: int
    interval: int
    threads: int
    actions: float
    steps: float
    mujoco_steps: float
    cost: float
    mujoco_cost: float
    reset: float
    apart: float
    mujoco_apart: float

    @property
    def ratios(self) -> tuple[float, float]:
        """To MuJoCo, by the clock on the wall and by processor time."""
        return self.steps / self.mujoco_steps, self.mujoco_cost / self.cost

    def as_dictionary(self) -> dict[str, Any]:
        return {**asdict(self), "ratio": self.ratios[0], "ratio_of_processor_time": self.ratios[1]}


def measure(
    tasks: Sequence[str] = TASKS, *, environments: int = ENVIRONMENTS, interval: int = INTERVAL,
    threads: int = THREADS, seconds: float = 20.0, progress: Callable[[str], None] = lambda step: None,
) -> Iterator[EnvThroughput]:  # fmt: skip
    from ..envs import TASKS as known  # needs gymnasium: only when asked for

    for name in tasks:
        if name not in known:
            raise unknown_name("task", name, known)
        progress(f"{name}: compiling")
        yield _measure(name, known[name](), environments, interval, threads, seconds, progress)


def _measure(
    name: str, task: Any, environments: int, interval: int, threads: int, seconds: float,
    progress: Callable[[str], None],
) -> EnvThroughput:  # fmt: skip
    from ..envs import RobotVectorEnv

    task.interval = interval
    env, robot = RobotVectorEnv(task, environments, threads=threads), task.robot
    env.reset(seed=0)
    env.action_space.seed(0)
    for _ in range(_WARM_UP):
        env.step(env.action_space.sample())
    peer = MujocoWalkers(robot, task.dt, threads)
    error = compile(robot, "constraint_error") if robot.nc else None
    ours, theirs, began, turns = np.full(2, np.inf), np.full(2, np.inf), 0, 0
    apart = [0.0, 0.0]
    progress(f"{name}: measuring")
    deadline = time.perf_counter() + seconds
    while turns < _TURNS or time.perf_counter() < deadline:  # contenders take turns
        action = env.action_space.sample()
        q, v = env.simulator.q, env.simulator.v
        state, ctrl = peer.states(q, v), task.rest + task.reach * action.astype(float)
        warm = peer.warm(q, v, env.simulator.save()["warm"])
        took, path = _clocked(lambda: peer.rollout(state, warm, ctrl, interval))  # noqa: B023  called at once
        theirs = np.minimum(theirs, took)
        took, (_, _, over, cut, _) = _clocked(lambda: env.step(action))  # noqa: B023
        ours = np.minimum(ours, took)
        began, turns = began + int((over | cut).sum()), turns + 1
        if error is not None:
            on = ~(over | cut)
            found = (env.simulator.q[on], peer.ours(path[:, -1])[0][on])
            apart = [float(np.median(np.abs(error(q)).max(axis=1))) for q in found]
    peer.close()
    steps = environments * interval
    return EnvThroughput(
        name, robot.nv, robot.nc, len(robot.contacts), environments, interval, threads, environments / ours[0],
        steps / ours[0], steps / theirs[0], 1e6 * ours[1] / steps, 1e6 * theirs[1] / steps,
        began / (turns * environments), *apart,
    )  # fmt: skip


def _clocked(run: Callable[[], Any]) -> tuple[np.ndarray, Any]:
    """(Seconds by the clock on the wall and of all processors, what was found)."""
    begin = np.array([time.perf_counter(), time.process_time()])
    found = run()
    return np.array([time.perf_counter(), time.process_time()]) - begin, found
