"""Mechanisms of any size and a regular shape, for studying how algorithms scale."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import InputError
from ..model import GROUND, Inertia, Joint, Model, ModelBuilder, Pose
from ..model.joint import free_flyer
from .checks import count

LINK_LENGTH = 0.3  # metres
LINK_MASS = 1.0
LINK_WIDTH = 0.05


def chain(
    n: int = 6, *, kind: str = "revolute", skew: float = math.pi / 2, length: float = LINK_LENGTH,
    mass: float = LINK_MASS, floating_base: bool = False,
) -> Model:  # fmt: skip
    """A serial chain of n rods. Bodies "link_1" ... "link_n", and a frame "tip" at the end of the last.

    Each joint's axis is the one before it turned by `skew` about the rod between them: 0 makes a planar chain, a right
    angle gives many zeros, anything else skew axes. With a floating base, link_1 is the base and n - 1 joints follow.
    """
    count("n", n)
    builder = ModelBuilder(f"chain_{n}")
    last = _run(builder, "link", n, GROUND, kind=kind, skew=skew, length=length, mass=mass, floating=floating_base)
    builder.add_frame("tip", last, (length, 0, 0))
    return builder.build()


def tree(
    n: int = 14, branching: float = 2, *, kind: str = "revolute", skew: float = math.pi / 2,
    length: float = LINK_LENGTH, mass: float = LINK_MASS, floating_base: bool = False,
) -> Model:  # fmt: skip
    """n rods in a tree where every body carries `branching` others: Featherstone's autoTree.

    A fractional branching factor is an average: 1.5 alternates between one and two children.
    """
    count("n", n)
    if not (math.isfinite(branching) and branching >= 1):
        raise InputError(f"branching is {branching}; expected a number of at least 1")
    builder = ModelBuilder(f"tree_{n}_{branching:g}")
    for i in range(1, n + 1):
        # [Featherstone2008] sec. 10.3.1; body i hangs on body floor((i - 2 + ceil(b)) / b), the ground being 0
        parent = int((i - 2 + math.ceil(branching)) // branching)
        _add_rod(
            builder, f"link_{i}", f"link_{parent}" if parent else GROUND, index=i, kind=kind,
            skew=skew, length=length, mass=mass, floating=floating_base and i == 1,
        )  # fmt: skip
    return builder.build()


def stem_with_branches(
    stem: int = 8, branches: int = 2, length: int = 7, *, skew: float = math.pi / 2, floating_base: bool = True
) -> Model:
    """A stem of `stem` links with `branches` chains of `length` links at each of its two ends.

    The mechanism of [Sathya2023] Fig. 3 and [Sathya2024] Fig. 2e, there with 7 links a branch and each branch's tip
    welded; it has stem + 2 branches length links. The first stem link is the floating base. Bodies are "stem_1" ...,
    "front_1_1" ... (branch, link) at the first stem link and "rear_1_1" ... at the last; frames "front_1_tip" ... are
    where the welds go. One branch makes it a chain that is held at both ends.
    """
    for name, value in (("stem", stem), ("branches", branches), ("length", length)):
        count(name, value)
    count("number of links", stem + 2 * branches * length)
    builder = ModelBuilder(f"stem_{stem}_{branches}_{length}")
    options: dict[str, Any] = {"kind": "revolute", "skew": skew, "length": LINK_LENGTH, "mass": LINK_MASS}
    last = _run(builder, "stem", stem, GROUND, floating=floating_base, **options)
    for end, carrier, at in (("front", "stem_1", 0.0), ("rear", last, LINK_LENGTH)):
        for k in range(1, branches + 1):
            spread = Pose.from_rpy((at, 0, 0), (0, 0, math.pi * (k - (branches + 1) / 2) / (branches + 1)))
            if end == "front":  # branches of the first link point backwards, away from the stem
                spread = spread @ Pose.from_rpy((0, 0, 0), (0, 0, math.pi))
            tip = _run(builder, f"{end}_{k}", length, carrier, first=spread, **options)
            builder.add_frame(f"{end}_{k}_tip", tip, (LINK_LENGTH, 0, 0))
    return builder.build()


def _run(builder: ModelBuilder, name: str, n: int, parent: str, *, first: Pose | None = None, **options) -> str:
    """Add n rods one after the other; the name of the last."""
    floating = options.pop("floating", False)
    for i in range(1, n + 1):
        parent = _add_rod(
            builder, f"{name}_{i}", parent, index=i, placement=first if i == 1 else None,
            floating=floating and i == 1, **options,
        )  # fmt: skip
    return parent


def _add_rod(
    builder: ModelBuilder, name: str, parent: str, *, index: int, kind: str, skew: float, length: float, mass: float,
    floating: bool = False, placement: Pose | None = None,
) -> str:  # fmt: skip
    """A rod along x from its joint, whose axis is z. The joint sits at the end of the parent's rod."""
    w2 = LINK_WIDTH**2
    tensor = np.diag([2 * w2, length**2 + w2, length**2 + w2]) * (mass / 12)
    inertia = Inertia(mass, np.array([length / 2, 0, 0]), tensor)
    if floating:
        return builder.add_body(name, free_flyer("root_joint"), parent=parent, inertia=inertia)
    if placement is None:
        start = 0.0 if parent == GROUND else length
        placement = Pose.from_rpy((start, 0, 0), (skew if index > 1 else 0.0, 0, 0))
    joint = Joint(name=f"{name}_joint", kind=kind, axis="z", second_axis="y")
    return builder.add_body(name, joint, parent=parent, placement=placement, inertia=inertia)
