"""Vector environments as Stable-Baselines3 wants them.

    PPO("MlpPolicy", StableVecEnv(envs.make("quadruped", 256)))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .vector_env import RobotVectorEnv

try:
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    raise ImportError("linkwright.envs.stable_baselines needs a package: pip install stable-baselines3") from None


class StableVecEnv(VecEnv):
    """All robots of an environment in one call; infos say what was seen last, and whether time was up."""

    def __init__(self, env: RobotVectorEnv):
        self.env = env
        self._seed: int | None = None
        super().__init__(env.num_envs, env.single_observation_space, env.single_action_space)

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Of the next reset; one seed is for all of them."""
        self._seed = seed
        return [seed] * self.num_envs

    def reset(self) -> np.ndarray:
        observed, _ = self.env.reset(seed=self._seed)
        self._seed = None
        return observed

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observed, reward, over, cut, found = self.env.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for k in np.flatnonzero(over | cut):
            infos[k] = {"terminal_observation": found["final_obs"][k], "TimeLimit.truncated": bool(cut[k])}
        return observed, reward.astype(np.float32), over | cut, infos

    def close(self) -> None:
        self.env.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.env, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        found = getattr(self.env, method_name)(*method_args, **method_kwargs)
        return [found] * len(list(self._get_indices(indices)))

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        return [False] * len(list(self._get_indices(indices)))
