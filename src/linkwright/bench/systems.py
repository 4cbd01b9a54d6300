"""Constrained robots of the papers' tables, as far as their models are available.

[Sathya2024b] Table I and [Sathya2024] Table II use iiwa, Solo, Go1, Talos, Atlas, and Atlas with two Shadow hands.
Panda stands in for iiwa, and our humanoid with two five-fingered hands (84 degrees of freedom) for Atlas with hands.
F, H and T are foot, hand and fingertip; 3 a point and 6 a weld.
"""

from __future__ import annotations

from collections.abc import Callable

from ..io import load
from ..model import Model
from ..model.constraints import connect, weld

FINGERS = ("first", "middle", "ring", "little", "thumb")


def _held(robot: str, *, welds=(), points=()) -> Callable[[], Model]:
    return lambda: load(robot).with_constraints(*map(weld, welds), *map(connect, points))


def _tips(*sides: str) -> list[str]:
    return [f"{side}_{finger}_tip" for side in sides for finger in FINGERS]


_SOLO_FEET = ("FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT")
_GO1_FEET = ("FL_foot", "FR_foot", "RL_foot", "RR_foot")
_TALOS_FEET, _TALOS_HANDS = ("left_sole_link", "right_sole_link"), ("arm_left_7_link", "arm_right_7_link")
_OUR_FEET = ("left_foot", "right_foot")

SYSTEMS: dict[str, Callable[[], Model]] = {
    "panda H3": _held("panda", points=["panda_hand"]),
    "panda H6": _held("panda", welds=["panda_hand"]),
    "solo12 2F3": _held("solo12", points=_SOLO_FEET[:2]),
    "solo12 4F3": _held("solo12", points=_SOLO_FEET),
    "go1 4F3": _held("go1", points=_GO1_FEET),
    "talos 2F6": _held("talos", welds=_TALOS_FEET),
    "talos 2F6 2H6": _held("talos", welds=[*_TALOS_FEET, *_TALOS_HANDS]),
    "hands 2F6": _held("humanoid_with_hands", welds=_OUR_FEET),
    "hands 2F6 5T3": _held("humanoid_with_hands", welds=_OUR_FEET, points=_tips("left")),
    "hands 2F6 10T3": _held("humanoid_with_hands", welds=_OUR_FEET, points=_tips("left", "right")),
}
