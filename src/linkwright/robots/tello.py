"""A humanoid in the manner of Tello: hip and knee-ankle are driven by differentials, and the rotors are independent.

[Chignoli2023] Fig. 1b, [SimRamos2022]. Five links and five rotors a leg, all geared 6 to 1; every length and mass is a
plausible choice of ours. Hip yaw has a gear of its own. Hip roll and pitch: two cranks beside each other push the
thigh by rods, together for pitch and against each other for roll. Knee and ankle: a bevel differential, the sum of its
rotors turns the knee, their difference the ankle.
"""

from __future__ import annotations

import numpy as np

from ..model import GROUND, Inertia, Model, ModelBuilder
from ..model.constraints import Constraint
from ..model.joint import fixed, free_flyer, revolute
from ..model.transmissions import differential, gear
from ..scalar import cos, sin
from .geared import add_rotor, spinning
from .mini_cheetah import UNIT
from .mit_humanoid import ARM, FOREARM_LENGTH, add_geared_limb

GEAR = 6.0
ROTOR = {"mass": 0.12, "across": 8e-5, "along": 1.4e-4}
TORSO = Inertia.box(7.0, (0.18, 0.26, 0.36), (0.0, 0.0, 0.15))
STANDING_HEIGHT = 0.62
YAW = Inertia.box(1.2, (0.10, 0.10, 0.10), (0.0, 0.0, -0.02))
ROLL = Inertia.box(0.3, (0.05, 0.05, 0.05))
THIGH = Inertia.box(1.6, (0.08, 0.08, 0.24), (0.0, 0.0, -0.07))
SHANK = Inertia.box(0.45, (0.04, 0.04, 0.26), (0.0, 0.0, -0.11))
FOOT = Inertia.box(0.2, (0.14, 0.05, 0.03), (0.01, 0.0, -0.02))
HIP, THIGH_LENGTH, SHANK_LENGTH = (0.0, 0.10, -0.05), 0.23, 0.26
CRANK, SPREAD, ROD = 0.04, 0.045, 0.11  # radius of the hip's cranks, half their distance, length of their rods


def tello(*, floating_base: bool = True) -> Model:
    """24 degrees of freedom: a free-flyer, two legs of five, and two arms of four geared joints.

    Independent coordinates of the legs are the rotors'. Bodies "left_thigh", "left_hip_rotor_1", ...; frames
    "left_foot" ... (soles) and "left_hand" ....
    """
    builder = ModelBuilder("tello")
    if floating_base:
        builder.add_body("torso", free_flyer("root_joint"), inertia=TORSO)
    else:
        builder.add_body("torso", fixed("root_joint"), placement=(0, 0, STANDING_HEIGHT), inertia=TORSO)
    drives: list[Constraint] = []
    independent: list[str] = []
    for side, mirror in (("left", 1), ("right", -1)):
        added, rotors = add_leg(builder, f"{side}_", "torso", mirror)
        drives += added
        independent += rotors
        hand = add_geared_limb(builder, f"{side}_", ARM, "torso", mirror, drives)
        builder.add_frame(f"{side}_hand", hand, (0.0, 0.0, -FOREARM_LENGTH))
    return builder.build().with_constraints(*drives).with_independent(*independent)


def tello_leg(*, floating_base: bool = False) -> Model:
    """One leg of it, its hip held."""
    builder = ModelBuilder("tello_leg")
    parent = GROUND
    if floating_base:
        parent = builder.add_body("torso", free_flyer("root_joint"), inertia=TORSO)
    drives, rotors = add_leg(builder, "", parent, 1)
    return builder.build().with_constraints(*drives).with_independent(*rotors)


def add_leg(builder: ModelBuilder, prefix: str, parent: str, mirror: int) -> tuple[list[Constraint], list[str]]:
    """(couplings, joints of the rotors)."""
    from ..programs.functions import implicit  # all algorithms come with it; other robots do not wait for them

    rotors: list[str] = []

    def rotor(name: str, carrier: str, at, axis: str) -> str:
        inertia = spinning(**ROTOR, axis=UNIT[axis])
        rotors.append(add_rotor(builder, prefix + name, parent=carrier, placement=at, axis=axis, inertia=inertia))
        return rotors[-1]

    def link(name: str, axis: str, carrier: str, at, inertia: Inertia) -> str:
        joint = revolute(f"{prefix}{name}_joint", axis)
        return builder.add_body(prefix + name, joint, parent=carrier, placement=at, inertia=inertia)

    hip = np.array(HIP) * (1, mirror, 1)
    yaw = link("hip_yaw", "z", parent, hip, YAW)
    drives: list[Constraint] = [gear(rotor("hip_yaw_rotor", parent, hip, "z"), f"{yaw}_joint", GEAR)]
    roll = link("hip_roll", "x", yaw, (0.0, 0.0, -0.08), ROLL)
    cranks = [rotor(f"hip_rotor_{k}", yaw, (0.0, y, ROD - 0.08), "y") for k, y in ((1, SPREAD), (2, -SPREAD))]
    thigh = link("thigh", "y", roll, None, THIGH)
    drives.append(implicit((*cranks, f"{roll}_joint", f"{thigh}_joint"), hip_rods, name=f"{prefix}hip_rods"))
    pair = [rotor(f"knee_rotor_{k}", thigh, (0.0, y, -0.04), "y") for k, y in ((1, 0.03), (2, -0.03))]
    shank = link("shank", "y", thigh, (0.0, 0.0, -THIGH_LENGTH), SHANK)
    foot = link("foot_link", "y", shank, (0.0, 0.0, -SHANK_LENGTH), FOOT)
    drives += differential((pair[0], pair[1]), (f"{shank}_joint", f"{foot}_joint"), GEAR)
    builder.add_frame(f"{prefix}foot", foot, (0.0, 0.0, -0.04))
    return drives, rotors


def hip_rods(q):
    """By how much the two rods, from crank tips to points on the thigh, are too long; q = rotors, roll, pitch."""
    errors = []
    for rotor, y in ((q[0], SPREAD), (q[1], -SPREAD)):
        crank, roll, pitch = rotor * (1.0 / GEAR), q[2], q[3]
        # the point (-CRANK, y, 0) of the thigh, pitched and then rolled
        px, pz = -CRANK * cos(pitch), CRANK * sin(pitch)
        point = (px, y * cos(roll) - pz * sin(roll), y * sin(roll) + pz * cos(roll))
        tip = (-CRANK * cos(crank), y, ROD + CRANK * sin(crank))
        d = [a - b for a, b in zip(point, tip, strict=True)]
        errors.append((d[0] * d[0] + d[1] * d[1] + d[2] * d[2] - ROD * ROD) * (0.5 / ROD))
    return errors
