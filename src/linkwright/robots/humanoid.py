"""A humanoid of the size and mass of a grown-up, from our own round numbers."""

from __future__ import annotations

from collections.abc import Callable

from ..model import Inertia, Model, ModelBuilder
from ..model.joint import fixed, free_flyer
from .limbs import Segment, add_limb

PELVIS = Inertia.box(9.0, (0.18, 0.28, 0.18), (0, 0, 0.03))
STANDING_HEIGHT = 0.93
SPINE = (
    #       name           axis  at                 mass  com              size                lower upper effort
    Segment("waist",       "z", (0.0, 0.0, 0.10),   2.0, (0.0, 0.0, 0.03), (0.14, 0.16, 0.08), -1.2, 1.2, 150.0),
    Segment("torso",       "y", (0.0, 0.0, 0.06),  18.0, (0.0, 0.0, 0.20), (0.20, 0.34, 0.42), -0.4, 1.2, 250.0),
)  # fmt: skip
HEAD = (
    Segment("neck",        "z", (0.0, 0.0, 0.46),   1.0, (0.0, 0.0, 0.03), (0.08, 0.08, 0.08), -1.3, 1.3, 20.0),
    Segment("head",        "y", (0.0, 0.0, 0.06),   3.5, (0.01, 0.0, 0.1), (0.18, 0.15, 0.22), -0.6, 0.8, 20.0),
)  # fmt: skip
LEG = (
    Segment("hip_yaw",     "z", (0.0, 0.10, -0.06), 1.5, (0.0, 0.0, 0.0),  (0.12, 0.10, 0.10), -0.6, 1.0, 120.0),
    Segment("hip_roll",    "x", (0.0, 0.0, -0.04),  2.0, (0.0, 0.01, 0.0), (0.12, 0.10, 0.10), -0.4, 0.6, 180.0),
    Segment("thigh",       "y", (0.0, 0.0, 0.0),    6.5, (0.0, 0.01, -0.18), (0.14, 0.13, 0.40), -1.9, 0.7, 220.0),
    Segment("shank",       "y", (0.0, 0.0, -0.40),  3.5, (0.01, 0.0, -0.17), (0.11, 0.10, 0.38), 0.0, 2.3, 300.0),
    Segment("ankle",       "y", (0.0, 0.0, -0.38),  0.5, (0.0, 0.0, 0.0),  (0.06, 0.06, 0.06), -1.1, 0.7, 150.0),
    Segment("ankle_roll",  "x", (0.0, 0.0, 0.0),    1.2, (0.03, 0.0, -0.04), (0.24, 0.11, 0.05), -0.5, 0.5, 100.0),
)  # fmt: skip
ARM = (
    Segment("shoulder_pitch", "y", (0.0, 0.20, 0.38), 1.2, (0.0, 0.02, 0.0), (0.09, 0.09, 0.09), -2.6, 1.2, 80.0),
    Segment("shoulder_roll", "x", (0.0, 0.05, 0.0), 1.0, (0.0, 0.0, -0.02), (0.09, 0.09, 0.09), -0.3, 2.6, 80.0),
    Segment("upper_arm",   "z", (0.0, 0.0, -0.08),  1.6, (0.0, 0.0, -0.10), (0.09, 0.09, 0.22), -1.5, 1.5, 50.0),
    Segment("elbow",       "y", (0.02, 0.0, -0.22), 0.6, (-0.01, 0.0, -0.03), (0.08, 0.08, 0.10), -2.3, 0.0, 50.0),
    Segment("forearm",     "z", (-0.02, 0.0, -0.06), 1.0, (0.0, 0.0, -0.09), (0.08, 0.08, 0.20), -2.0, 2.0, 20.0),
    Segment("wrist",       "y", (0.0, 0.0, -0.20),  0.3, (0.0, 0.0, -0.01), (0.05, 0.05, 0.05), -0.8, 0.8, 15.0),
    Segment("palm",        "x", (0.0, 0.0, 0.0),    0.6, (0.0, 0.0, -0.07), (0.09, 0.04, 0.14), -0.8, 0.8, 15.0),
)  # fmt: skip
SOLE = (0.04, 0.0, -0.07)
GRIP = (0.0, 0.0, -0.10)


def humanoid(*, floating_base: bool = True) -> Model:
    """Thirty revolute joints (6 a leg, 7 an arm, 2 in waist and neck each) and a free-flyer: 36 degrees of freedom.

    76.5 kg. Bodies are named as in the tables above with "left_" or "right_" for the limbs; frames "left_foot",
    "right_foot" (on the soles), "left_hand", "right_hand". Without a floating base the pelvis is fixed to the ground at
    standing height.
    """
    return assemble("humanoid", floating_base)


def assemble(
    name: str, floating_base: bool, add_hand: Callable[[ModelBuilder, str, bool], None] = lambda *nothing: None
) -> Model:
    """`add_hand(builder, side, right)` hangs something on each palm, where depth-first order wants it."""
    builder = ModelBuilder(name)
    if floating_base:
        builder.add_body("pelvis", free_flyer("root_joint"), inertia=PELVIS)
    else:
        builder.add_body("pelvis", fixed("root_joint"), placement=(0, 0, STANDING_HEIGHT), inertia=PELVIS)
    for side, right in (("left", False), ("right", True)):
        foot = add_limb(builder, f"{side}_", LEG, "pelvis", right=right)
        builder.add_frame(f"{side}_foot", foot, SOLE)
    torso = add_limb(builder, "", SPINE, "pelvis", right=False)
    add_limb(builder, "", HEAD, torso, right=False)
    for side, right in (("left", False), ("right", True)):
        palm = add_limb(builder, f"{side}_", ARM, torso, right=right)
        builder.add_frame(f"{side}_hand", palm, GRIP)
        add_hand(builder, side, right)
    return builder.build()
