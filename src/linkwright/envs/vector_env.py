"""`RobotVectorEnv`: a task as a vector environment of gymnasium, all robots in one call of compiled code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from ..call_errors import names_arguments
from ..errors import InputError, unknown_name
from ..sim import Simulator
from .randomization import Randomization
from .task import Snapshot, Task

_MODES = {"same_step": AutoresetMode.SAME_STEP, "next_step": AutoresetMode.NEXT_STEP}
_OBSERVED = 1e6  # larger numbers are cut off: what diverges must not be seen as infinite


@names_arguments
class RobotVectorEnv(VectorEnv):
    """`num_envs` robots that do the same task, each by itself.

    autoreset  "same_step": environments whose episode has ended begin again within the same step; observations are
               those of the new episode, and `infos["final_obs"]`, where `infos["_final_obs"]`, the last ones of the
               old. "next_step": they begin again in the next step, whose action they ignore (reward 0)
    randomize  parameters of the model by name, as ranges of factors drawn for every environment and episode:
               {"masses": (0.8, 1.2)}. What belongs together (an actuator's gain and bias, a body's inertia) has one
               factor; of placements distances are scaled, and axes turned by as many radians as a factor is off one
    threads    of the compiled step
    """

    def __init__(
        self, task: Task, num_envs: int, *, randomize: Mapping[str, tuple[float, float]] | None = None,
        threads: int | str = "all", autoreset: str = "same_step",
    ):  # fmt: skip
        if not isinstance(num_envs, int) or isinstance(num_envs, bool) or num_envs < 1:
            raise InputError(f"num_envs is {num_envs!r}; expected a positive whole number")
        if autoreset not in _MODES:
            raise unknown_name("way to reset", autoreset, _MODES)
        self.metadata = {"autoreset_mode": _MODES[autoreset], "render_modes": []}
        self.task, self.num_envs = task, num_envs
        robot = task.robot
        self._randomization = Randomization(robot, randomize or {})
        self.randomize = self._randomization.ranges
        usual = self._randomization.usual
        parameters = {name: np.tile(x, (num_envs, *[1] * x.ndim)) for name, x in usual.items()}
        outputs = {name for sensor in task.sensors for name in sensor.outputs} | set(task.outputs)
        self.simulator = Simulator(
            robot, dt=task.dt, batch=num_envs, parameters=parameters or None, outputs=sorted(outputs), actuators=True,
            threads=threads, **task.options,
        )  # fmt: skip
        size = sum(sensor.size for sensor in task.sensors) + task.goals + robot.nu
        self.single_observation_space = gymnasium.spaces.Box(-_OBSERVED, _OBSERVED, (size,), np.float32)
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (robot.nu,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.longest = max(1, round(task.seconds / (task.dt * task.interval)))
        self.bad_actions = np.zeros(num_envs, dtype=np.int64)
        self.diverged = np.zeros(num_envs, dtype=np.int64)
        self._action, self._before = np.zeros((2, num_envs, robot.nu))
        self._goal, self._age = np.zeros((num_envs, task.goals)), np.zeros(num_envs, dtype=np.int64)
        self._waits = np.zeros(num_envs, dtype=bool)  # for the next step, to begin again

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        self.bad_actions[:], self.diverged[:], self._waits[:] = 0, 0, False
        self._begin(np.arange(self.num_envs))
        return self._observed(self._snapshot()), {}

    def _begin(self, which: np.ndarray) -> None:
        """New episodes of some environments."""
        rng, count = self.np_random, len(which)
        for name, values in self._randomization.drawn(rng, count).items():
            self.simulator.parameters[name][which] = values
        self.simulator.reset_samples(which, *self.task.start(rng, count), ctrl=self.task.rest)
        self._goal[which] = self.task.goal(rng, count)
        self._action[which], self._before[which], self._age[which] = 0.0, 0.0, 0

    def step(self, actions: Any):
        actions, task = self._checked(actions), self.task
        waits = self._waits
        bad = ~np.isfinite(actions).all(axis=1) & ~waits
        self._before, self._action = self._action, np.clip(np.where((bad | waits)[:, None], 0.0, actions), -1.0, 1.0)
        with np.errstate(all="ignore"):  # of states that are not finite
            self.simulator.step(ctrl=task.rest + task.reach * self._action, n=task.interval)
            if waits.any():
                self._begin(np.flatnonzero(waits))
            now = self._snapshot()
            lost = ~(np.isfinite(now.q.sum(axis=1)) & np.isfinite(now.v.sum(axis=1)))
            terminated = (task.is_over(now) & ~waits) | lost | bad
            reward = np.where(lost | bad | waits, 0.0, task.reward(now))
            observed = self._observed(now)
        self._age = np.where(waits, 0, self._age + 1)
        self.bad_actions += bad
        self.diverged += lost & ~bad
        truncated = (self._age >= self.longest) & ~terminated
        infos: dict[str, Any] = {}
        if bad.any() or lost.any():
            infos |= {"bad_action": bad, "diverged": lost & ~bad}
        over = terminated | truncated
        if self.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP:
            self._waits = over
        elif over.any():
            which = np.flatnonzero(over)
            infos |= {"final_obs": observed.copy(), "_final_obs": over, "episode_length": np.where(over, self._age, 0)}
            self._begin(which)
            observed[which] = self._observed(self._snapshot().of(which))
        return observed, reward, terminated, truncated, infos

    def _checked(self, actions: Any) -> np.ndarray:
        try:
            array = np.asarray(actions, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"actions are {actions!r}; expected numbers of shape {self._action.shape}") from None
        if array.shape != self._action.shape:
            raise InputError(f"actions have shape {array.shape}; expected {self._action.shape}")
        return array

    def _snapshot(self) -> Snapshot:
        return Snapshot(self.simulator.q, self.simulator.v, self.simulator, self._action, self._before, self._goal)

    def _observed(self, now: Snapshot) -> np.ndarray:
        """(B, n), finite whatever became of a state."""
        parts = [*(sensor.read(now) for sensor in self.task.sensors), now.goal, now.action]
        seen = np.concatenate(parts, axis=1, dtype=np.float32, casting="same_kind")
        np.clip(seen, -_OBSERVED, _OBSERVED, out=seen)
        lost = np.isnan(seen.sum(axis=1))
        if lost.any():
            seen[lost] = np.nan_to_num(seen[lost], nan=0.0)
        return seen
