"""MIT Mini Cheetah with its rotors: [Katz2019]'s figures as [Chignoli2023] uses them, the rest ours."""

from __future__ import annotations

import numpy as np

from ..model import Inertia, Model, ModelBuilder
from ..model.constraints import Constraint
from ..model.joint import fixed, free_flyer, revolute
from ..model.transmissions import gear
from .geared import add_rotor, spinning

# Lengths, masses, gears and rotors are given; body size, inertias (boxes) and rotor places are plausible choices.
TRUNK = Inertia.box(3.3, (0.38, 0.20, 0.10))
HIP_X, HIP_Y, STANDING_HEIGHT = 0.19, 0.049, 0.28
ROTOR = {"mass": 0.055, "across": 33e-6, "along": 63e-6}
#       name    axis  at (from the link before)     mass   size                   com                    gear
LEG = (
    ("abad", "x", (HIP_X, HIP_Y, 0.0), 0.54, (0.08, 0.06, 0.08), (0.0, 0.036, 0.0), 6.0),
    ("thigh", "y", (0.0, 0.062, 0.0), 0.634, (0.04, 0.04, 0.209), (0.0, 0.016, -0.02), 6.0),
    ("shank", "y", (0.0, 0.0, -0.209), 0.064, (0.02, 0.02, 0.195), (0.0, 0.0, -0.061), 9.33),
)
SHANK_LENGTH = 0.195
UNIT = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def mini_cheetah(*, floating_base: bool = True) -> Model:
    """Four legs of three links and three rotors: 12 joints, 12 rotors geared to them, and a free-flyer.

    Bodies "FL_abad", "FL_abad_rotor", ...; frames "FL_foot" ... at the feet. Each rotor sits on the body that carries
    its link, on the link's axis.
    """
    builder = ModelBuilder("mini_cheetah")
    if floating_base:
        builder.add_body("trunk", free_flyer("root_joint"), inertia=TRUNK)
    else:
        builder.add_body("trunk", fixed("root_joint"), placement=(0, 0, STANDING_HEIGHT), inertia=TRUNK)
    gears: list[Constraint] = []
    for leg, front, side in (("FL", 1, 1), ("FR", 1, -1), ("RL", -1, 1), ("RR", -1, -1)):
        parent = "trunk"
        for name, axis, at, mass, size, com, ratio in LEG:
            where = np.array(at) * (front if parent == "trunk" else 1, side, 1)
            body = f"{leg}_{name}"
            inertia = Inertia.box(mass, size, np.array(com) * (1, side, 1))
            builder.add_body(body, revolute(f"{body}_joint", axis), parent=parent, placement=where, inertia=inertia)
            rotor = add_rotor(
                builder, f"{body}_rotor", parent=parent, placement=where, axis=axis,
                inertia=spinning(**ROTOR, axis=UNIT[axis]),
            )  # fmt: skip
            gears.append(gear(rotor, f"{body}_joint", ratio))
            parent = body
        builder.add_frame(f"{leg}_foot", parent, (0.0, 0.0, -SHANK_LENGTH))
    return builder.build().with_constraints(*gears)
