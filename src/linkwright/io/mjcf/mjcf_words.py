"""Numbers and poses as MJCF writes them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ...model import Pose


def placed(pose: Pose) -> dict[str, str]:
    """Attributes `pos` and `quat`; MuJoCo's quaternions have w first."""
    return {"pos": numbers(pose.translation), "quat": numbers(np.roll(pose.quaternion, 1))}


def numbers(values: Iterable[float]) -> str:
    """Written so that reading gives the same number."""
    return " ".join(repr(float(value)) for value in values)
