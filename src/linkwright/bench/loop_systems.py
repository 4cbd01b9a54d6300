"""Mechanisms with loops to measure on, and how Pinocchio would write their constraints.

The seven systems of [Sathya2025] Table II, the linkages and parallel robots of `linkwright.robots`, and the scaling
families of its Figures 6 to 9. Planar pins are written as points, of which Pinocchio knows the like.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..io import load
from ..model import Model
from ..model.constraints import GROUND_FRAME
from ..robots import (
    all_coupled,
    chain_of_loops,
    common_tip,
    delta_robot,
    five_bar,
    four_bar,
    jansen_beast,
    jansen_leg,
    pantograph_leg,
    ring,
    slider_crank,
    star,
    stephenson_six_bar,
    stewart_platform,
    watt_six_bar,
)

TABLE = {  # name here -> name for `load`
    "hand + cube": "hand_with_cube",
    "two hands + cube": "two_hands_with_cube",
    "humanoid + cube": "humanoid_with_cube",
    "humanoid + cube + feet": "humanoid_with_cube_standing",
    "biped": "digit_like",
    "biped + box": "biped_with_box",
    "two bipeds + box": "two_bipeds_with_box",
}
_PLANAR = (
    slider_crank, four_bar, five_bar, watt_six_bar, stephenson_six_bar, pantograph_leg, jansen_leg, jansen_beast,
)  # fmt: skip

SYSTEMS: dict[str, Callable[[], Model]] = {
    **{name: partial(load, known) for name, known in TABLE.items()},
    **{build.__name__: partial(build, closure="point") for build in _PLANAR},
    "delta_robot": delta_robot,
    "stewart_platform": stewart_platform,
}

# Number of links, about -> mechanism.
FAMILIES: dict[str, Callable[[int], Model]] = {
    "ring": ring,
    "chain of loops": lambda n: chain_of_loops(max(1, (n - 1) // 7)),
    "all coupled": lambda n: all_coupled(max(14, n)),
    "star": lambda n: star(max(1, (n - 1) // 8)),
    "common tip": lambda n: common_tip(max(2, (n - 1) // 7)),
}
LINEAR = ("ring", "chain of loops", "star", "common tip")  # those whose loops are not all coupled


def pinocchio_constraints(model: Model, other) -> list[tuple] | str:
    """The constraints as `PinocchioCppModel.constrained` takes them, or the name of one that it cannot express."""
    result = []
    c: Any  # of a kind that has frames, or else there is no kind for it there
    for c in model.constraints:
        kind = _pinocchio_kind(c)
        if kind is None:
            return c.name
        joints, placements = zip(*(_on_joint(other, name) for name in (c.frame, c.other)), strict=True)
        if c.target is not None:
            target = type(placements[1])(np.array(c.target.rotation), np.array(c.target.translation))
            placements = (placements[0], placements[1] * target)
        result.append((joints[0], placements[0], kind, joints[1], placements[1]))
    return result


def _on_joint(other, frame: str):
    """Pinocchio's joint that a frame is on, and where; the ground is joint 0."""
    if frame == GROUND_FRAME:
        return 0, other.jointPlacements[0].Identity()
    found = other.frames[other.getFrameId(frame)]
    return found.parentJoint, found.placement


def _pinocchio_kind(c) -> str | None:
    return {"connect": "3d", "weld": "6d"}.get(c.equality)
