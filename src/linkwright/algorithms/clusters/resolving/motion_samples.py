"""Paths through the independent coordinates of a cluster, to see how far things turn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....model import Model

_POSES = 400
_DIRECTIONS = 8  # besides one coordinate at a time
_FARTHEST_TURN, _FARTHEST_SLIDE = 2 * np.pi, 1.0


def sampled_paths(model: Model, start: np.ndarray, independent: Sequence[int]) -> tuple[list[np.ndarray], np.ndarray]:
    """(per coordinate of q an array (paths, poses), which of them are reached: all): straight ways from the start.

    Only coordinates that are rates of velocities are moved.
    """
    moving = {}
    for i in range(1, model.nbodies):
        joint = model.joints[i - 1]
        for v in range(model.iv[i].start, model.iv[i].stop):
            if v in independent and joint.motion().velocity_is_rate:
                far = _FARTHEST_SLIDE if joint.motion().slides else _FARTHEST_TURN
                moving[model.iq[i].start + v - model.iv[i].start] = far
    single = np.eye(len(moving))
    several = np.random.default_rng(0).uniform(-1, 1, (_DIRECTIONS if len(moving) > 1 else 0, len(moving)))
    directions = np.concatenate([single, -single, several])
    share = np.linspace(0.0, 1.0, _POSES)
    paths = [np.full((len(directions), _POSES), float(x)) for x in start]
    for column, (n, far) in enumerate(moving.items()):
        paths[n] = paths[n] + far * directions[:, column : column + 1] * share
    return paths, np.ones((len(directions), _POSES), dtype=bool)
