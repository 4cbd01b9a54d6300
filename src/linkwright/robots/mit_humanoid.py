"""MIT Humanoid with its rotors: geared hips and arms, knee and ankle driven by parallel belts ([Chignoli2023] Fig. 1a).

Leg masses, thigh and shank lengths, rotors, gears and belts are the paper's; inertias (boxes), the arms and the
places of hips and shoulders are plausible choices of ours, as is which rotors are large (hip pitch and knee).
"""

from __future__ import annotations

import numpy as np

from ..model import GROUND, Inertia, Model, ModelBuilder
from ..model.constraints import Constraint
from ..model.joint import fixed, free_flyer, revolute
from ..model.transmissions import gear, parallel_belts
from .geared import add_rotor, spinning
from .mini_cheetah import UNIT

GEAR = 6.0
KNEE_BELTS, ANKLE_BELTS = (2.0,), (2.0, 1.0)
LARGE = {"mass": 0.1, "across": 3.443e-4, "along": 5.548e-4}
SMALL = {"mass": 0.05, "across": 1.084e-4, "along": 1.684e-4}
TORSO = Inertia.box(8.52, (0.20, 0.30, 0.40), (0.0, 0.0, 0.15))
STANDING_HEIGHT = 0.66
THIGH_LENGTH, SHANK_LENGTH = 0.267, 0.2785
#       name         axis  at                      mass   com                    size                  rotor
HIP = (
    ("hip_yaw", "z", (-0.0056, 0.082, -0.05), 0.846, (0.0, 0.0, -0.03), (0.08, 0.08, 0.08), SMALL),
    ("hip_roll", "x", (0.0, 0.0, -0.06), 1.209, (-0.02, 0.0, 0.0), (0.10, 0.08, 0.08), SMALL),
    ("thigh", "y", (0.0, 0.0, 0.0), 2.641, (0.0, 0.01, -0.08), (0.10, 0.10, 0.26), LARGE),
)
SHANK = Inertia.box(0.354, (0.04, 0.04, SHANK_LENGTH), (0.0, 0.0, -0.12))
FOOT = Inertia.box(0.281, (0.14, 0.05, 0.03), (0.01, 0.0, -0.02))
ARM = (
    ("shoulder_pitch", "y", (0.0, 0.17, 0.33), 0.788, (0.0, 0.02, 0.0), (0.08, 0.08, 0.08), SMALL),
    ("shoulder_roll", "x", (0.0, 0.06, 0.0), 0.801, (0.0, 0.0, -0.02), (0.08, 0.08, 0.08), SMALL),
    ("upper_arm", "z", (0.0, 0.0, -0.05), 0.905, (0.0, 0.0, -0.10), (0.06, 0.06, 0.22), SMALL),
    ("forearm", "y", (0.0, 0.0, -0.21), 0.348, (0.0, 0.0, -0.10), (0.05, 0.05, 0.24), SMALL),
)
FOREARM_LENGTH = 0.24


def mit_humanoid(*, floating_base: bool = True) -> Model:
    """24 degrees of freedom: a free-flyer, two legs of five joints, two arms of four, and a rotor for each joint.

    Bodies "left_thigh", "left_thigh_rotor", ...; frames "left_foot" ... (soles) and "left_hand" ....
    """
    builder = ModelBuilder("mit_humanoid")
    if floating_base:
        builder.add_body("torso", free_flyer("root_joint"), inertia=TORSO)
    else:
        builder.add_body("torso", fixed("root_joint"), placement=(0, 0, STANDING_HEIGHT), inertia=TORSO)
    drives: list[Constraint] = []
    for side, mirror in (("left", 1), ("right", -1)):
        drives += add_leg(builder, f"{side}_", "torso", mirror)
        hand = add_geared_limb(builder, f"{side}_", ARM, "torso", mirror, drives)
        builder.add_frame(f"{side}_hand", hand, (0.0, 0.0, -FOREARM_LENGTH))
    return builder.build().with_constraints(*drives)


def mit_humanoid_leg() -> Model:
    """One leg of it, its hip held: the mechanism of [Chignoli2023] Fig. 14."""
    builder = ModelBuilder("mit_humanoid_leg")
    drives = add_leg(builder, "", GROUND, 1)
    return builder.build().with_constraints(*drives)


def add_leg(builder: ModelBuilder, prefix: str, parent: str, mirror: int) -> list[Constraint]:
    drives: list[Constraint] = []
    thigh = add_geared_limb(builder, prefix, HIP, parent, mirror, drives)
    knee, ankle = (0.0, 0.0, -THIGH_LENGTH), (0.0, 0.0, -SHANK_LENGTH)
    shank, foot = f"{prefix}shank", f"{prefix}foot_link"
    builder.add_body(shank, revolute(f"{shank}_joint", "y"), parent=thigh, placement=knee, inertia=SHANK)
    rotors = [
        add_rotor(
            builder, f"{prefix}{name}_rotor", parent=thigh, placement=(0.0, 0.0, -0.05), axis="y",
            inertia=spinning(**size, axis=UNIT["y"]),
        )
        for name, size in (("shank", LARGE), ("foot", SMALL))
    ]  # fmt: skip
    builder.add_body(foot, revolute(f"{foot}_joint", "y"), parent=shank, placement=ankle, inertia=FOOT)
    builder.add_frame(f"{prefix}foot", foot, (0.0, 0.0, -0.04))
    links = (f"{shank}_joint", f"{foot}_joint")
    return [*drives, *parallel_belts(links, rotors, (GEAR, GEAR), (KNEE_BELTS, ANKLE_BELTS))]


def add_geared_limb(builder: ModelBuilder, prefix: str, segments, parent: str, mirror: int, drives: list) -> str:
    """Links with a geared rotor each; the name of the last."""
    for name, axis, at, mass, com, size, rotor in segments:
        body, where = prefix + name, np.array(at) * (1, mirror, 1)
        inertia = Inertia.box(mass, size, np.array(com) * (1, mirror, 1))
        builder.add_body(body, revolute(f"{body}_joint", axis), parent=parent, placement=where, inertia=inertia)
        made = add_rotor(
            builder, f"{body}_rotor", parent=parent, placement=where, axis=axis,
            inertia=spinning(**rotor, axis=UNIT[axis]),
        )  # fmt: skip
        drives.append(gear(made, f"{body}_joint", GEAR))
        parent = body
    return parent
