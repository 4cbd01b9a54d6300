"""A quadruped of the size of a Mini Cheetah or a Go1, from our own round numbers."""

from __future__ import annotations

from dataclasses import replace

from ..model import Inertia, Model, ModelBuilder
from ..model.joint import fixed, free_flyer
from .limbs import Segment, add_limb

TRUNK = Inertia.box(6.0, (0.36, 0.19, 0.11))
HIP_X, HIP_Y, STANDING_HEIGHT = 0.19, 0.05, 0.30
SHANK_LENGTH = 0.20
LEG = (
    #       name     axis  at                  mass  com                size               lower upper effort
    Segment("hip",   "x", (HIP_X, HIP_Y, 0.0), 0.6, (0.0, 0.02, 0.0),   (0.09, 0.06, 0.09), -0.9, 0.9, 24.0),
    Segment("thigh", "y", (0.0, 0.08, 0.0),    0.9, (0.0, -0.02, -0.03), (0.05, 0.05, 0.21), -1.6, 3.2, 24.0),
    Segment("shank", "y", (0.0, 0.0, -0.21),   0.2, (0.0, 0.0, -0.08),  (0.03, 0.02, 0.20), -2.7, -0.6, 36.0),
)  # fmt: skip


def quadruped(*, floating_base: bool = True) -> Model:
    """Twelve revolute joints and a free-flyer: 18 degrees of freedom, 12.8 kg.

    Legs FL, FR, RL, RR (front/rear, left/right), each with bodies "FL_hip", "FL_thigh", "FL_shank" and a frame
    "FL_foot". Without a floating base the trunk is fixed to the ground at standing height.
    """
    builder = ModelBuilder("quadruped")
    if floating_base:
        builder.add_body("trunk", free_flyer("root_joint"), inertia=TRUNK)
    else:
        builder.add_body("trunk", fixed("root_joint"), placement=(0, 0, STANDING_HEIGHT), inertia=TRUNK)
    for name, front, right in (("FL", True, False), ("FR", True, True), ("RL", False, False), ("RR", False, True)):
        hip = LEG[0] if front else replace(LEG[0], at=(-HIP_X, HIP_Y, 0.0))
        shank = add_limb(builder, f"{name}_", (hip, *LEG[1:]), "trunk", right=right)
        builder.add_frame(f"{name}_foot", shank, (0, 0, -SHANK_LENGTH))
    return builder.build()
