"""A biped built like Digit, with three closed loops in each leg; alone, holding a box, or two of them carrying one.

Our own round numbers. Each loop is a four-bar: a rod between two lever arms. As in [Sathya2025] the rod is cut in the
middle and its halves are welded together, all six directions of them, of which three are redundant. Drawn closed: in
q = neutral the robot stands, the torso at the origin and the soles a metre below. All frames are parallel to the
world's then, so a robot that faces backwards turns about the same axes.
"""

from __future__ import annotations

import numpy as np

from ..fixed_order import norm
from ..model import GROUND, Inertia, Joint, Model, Pose
from ..model.constraints import connect, weld
from ..model.joint import fixed, free_flyer, revolute
from .closed_drawing import ClosedDrawing, bar

ROOT = "torso"
SOLE_HEIGHT = -1.0
# Points of the left side, metres: x forward, y left, z up from the torso's frame.
HIP, YAW, THIGH, KNEE = (0.0, 0.10, -0.05), (0.0, 0.10, -0.10), (0.0, 0.12, -0.15), (0.10, 0.12, -0.47)
HOCK, ANKLE, SOLE = (-0.12, 0.12, -0.60), (0.0, 0.12, -0.95), (0.03, 0.12, SOLE_HEIGHT)
# The rod from the thigh to the heel behind the hock; the motor on the tarsus that pitches the toes, its arm and rod;
# and the motor above the toes that rolls them.
ACHILLES = (-0.05, 0.12, -0.20), (-0.20, 0.12, -0.58)
PITCH_MOTOR, PITCH_ROD = (-0.07, 0.12, -0.74), ((-0.13, 0.12, -0.75), (-0.07, 0.12, -0.96))
ROLL_AXIS, ROLL_MOTOR = (0.0, 0.12, -0.97), (0.0, 0.12, -0.90)
ROLL_ROD = (0.0, 0.17, -0.90), (0.0, 0.17, -0.98)
SHOULDER, ELBOW, HAND = (0.0, 0.20, 0.32), (0.03, 0.24, 0.02), (0.38, 0.17, -0.04)

LIMBS = (
    #  body            axis  joint at     hangs on      reaches to    kg    thickness
    ("hip_roll",        "x", HIP,         ROOT,         YAW,         1.8, 0.10),
    ("hip_yaw",         "z", YAW,         "hip_roll",   THIGH,       1.6, 0.10),
    ("thigh",           "y", THIGH,       "hip_yaw",    KNEE,        6.0, 0.11),
    ("achilles_upper",  "y", ACHILLES[0], "thigh",      None,        0.1, 0.02),
    ("shin",            "y", KNEE,        "thigh",      HOCK,        1.0, 0.06),
    ("tarsus",          "y", HOCK,        "shin",       ANKLE,       1.4, 0.06),
    ("achilles_lower",  "y", ACHILLES[1], "tarsus",     None,        0.1, 0.02),
    ("toe_a",           "y", PITCH_MOTOR, "tarsus",     PITCH_ROD[0], 0.2, 0.03),
    ("toe_a_upper",     "y", PITCH_ROD[0], "toe_a",     None,        0.05, 0.02),
    ("toe_pitch",       "y", ANKLE,       "tarsus",     PITCH_ROD[1], 0.3, 0.04),
    ("toe_a_lower",     "y", PITCH_ROD[1], "toe_pitch", None,        0.05, 0.02),
    ("toe_b",           "x", ROLL_MOTOR,  "toe_pitch",  ROLL_ROD[0], 0.2, 0.03),
    ("toe_b_upper",     "x", ROLL_ROD[0], "toe_b",      None,        0.02, 0.02),
    ("toe_roll",        "x", ROLL_AXIS,   "toe_pitch",  SOLE,        0.6, 0.12),
    ("toe_b_lower",     "x", ROLL_ROD[1], "toe_roll",   None,        0.02, 0.02),
    ("shoulder_roll",   "x", SHOULDER,    ROOT,         (0.0, 0.24, 0.32), 0.9, 0.08),
    ("shoulder_pitch",  "y", (0.0, 0.24, 0.32), "shoulder_roll", (0.0, 0.24, 0.27), 1.0, 0.09),
    ("shoulder_yaw",    "z", (0.0, 0.24, 0.27), "shoulder_pitch", ELBOW, 1.8, 0.08),
    ("elbow",           "y", ELBOW,       "shoulder_yaw", HAND,      1.5, 0.07),
)  # fmt: skip
LOOPS = {"achilles": ACHILLES, "toe_a": PITCH_ROD, "toe_b": ROLL_ROD}
BOX_SIZE, BOX_MASS = (0.36, 0.34, 0.25), 3.0
GRIP_SPREAD = 0.10  # metres that each robot's hands are off the middle of the box, when two carry it


def digit_like(*, standing: bool = True, floating_base: bool = True) -> Model:
    """Fifteen joints a leg, four an arm, and a free-flyer: 44 degrees of freedom; 36 rows, 48 when standing.

    The motors of a leg are "hip_roll", "hip_yaw", "thigh", "shin" (knee), "toe_a" and "toe_b", with "left_" or "right_"
    before and "_joint" after them; the other joints follow. Constraints "left_achilles", "left_toe_a" (pitch) and
    "left_toe_b" (roll) close the loops; "left_foot" and "right_foot", also frames on the soles, are welded to the
    ground when standing. Frames "left_hand", "right_hand". Mobility 6 + 20 (6 a leg, 4 an arm), 14 standing. Without
    a floating base the torso is part of the ground.
    """
    drawing = ClosedDrawing("digit_like")
    _draw_biped(drawing, "", standing=standing, floating=floating_base)
    return drawing.build()


def biped_with_box(*, standing: bool = True, floating_base: bool = True) -> Model:
    """`digit_like` with a box between its hands, held at two points: 50 degrees of freedom, 54 rows standing.

    "box_joint" is free, relative to the pose as drawn. Constraints "left_hand_grip", "right_hand_grip".
    """
    drawing = ClosedDrawing("biped_with_box")
    hands = _draw_biped(drawing, "", standing=standing, floating=floating_base)
    _draw_box(drawing, (HAND[0], 0.0, HAND[2]), hands)
    return drawing.build()


def two_bipeds_with_box(*, standing: bool = True, floating_base: bool = True) -> Model:
    """Two of them face to face carry a box at four points: 94 degrees of freedom, 108 rows standing.

    Names begin with "first_" and "second_"; the second faces backwards.
    """
    drawing = ClosedDrawing("two_bipeds_with_box")
    middle = HAND[0] + GRIP_SPREAD
    options = {"standing": standing, "floating": floating_base}
    hands = _draw_biped(drawing, "first_", **options)
    hands |= _draw_biped(drawing, "second_", facing=-1, at=(2 * middle, 0, 0), **options)
    _draw_box(drawing, (middle, 0.0, HAND[2]), hands)
    return drawing.build()


def _draw_biped(
    drawing: ClosedDrawing, prefix: str, *, facing: int = 1, at=(0, 0, 0), standing: bool, floating: bool
) -> dict[str, tuple[str, np.ndarray]]:
    """Frame name of each hand -> the body it is on and where it is."""

    def place(point, side: int) -> np.ndarray:
        """Facing backwards is half a turn about z."""
        return np.array(at) + np.array([facing, facing * side, 1.0]) * point

    torso = Inertia.box(15.0, (0.16, 0.26, 0.45), (0.0, 0.0, 0.15))
    root = f"{prefix}root_joint"
    drawing.add(prefix + ROOT, free_flyer(root) if floating else fixed(root), at, inertia=torso)
    hands = {}
    for label, side in (("left_", 1), ("right_", -1)):
        name = (prefix + label).__add__
        for body, axis, joint_at, parent, reach, mass, thickness in LIMBS:
            begin = place(joint_at, side)
            end = place(_rod_middle(body) if reach is None else reach, side)
            inertia = bar(np.zeros(3), end - begin, mass / norm(end - begin), thickness)
            carrier = prefix + ROOT if parent == ROOT else name(parent)
            drawing.add(name(body), _joint(name(body), axis, side, facing), begin, parent=carrier, inertia=inertia)
        for loop, (top, bottom) in LOOPS.items():
            middle = place(np.add(top, bottom) / 2, side)
            frames = drawing.marks(name(loop), name(f"{loop}_upper"), name(f"{loop}_lower"), middle)
            drawing.hold(weld(*frames, name=name(loop)))
        sole = place(SOLE, side)
        foot = drawing.mark(name("foot"), name("toe_roll"), sole)
        if standing:
            drawing.hold(weld(foot, at=Pose(np.eye(3), sole)))
        hand = place(HAND, side)
        hands[drawing.mark(name("hand"), name("elbow"), hand)] = (name("elbow"), hand)
    return hands


def _joint(body: str, axis: str, side: int, facing: int) -> Joint:
    """Turning about x and z is mirrored on the right, so that equal q look the same; x and y point the way it faces."""
    sign = (1 if axis == "y" else side) * (1 if axis == "z" else facing)
    return revolute(f"{body}_joint", axis if sign > 0 else f"-{axis}")


def _rod_middle(half: str) -> np.ndarray:
    return np.mean(LOOPS[half.rsplit("_", 1)[0]], axis=0)


def _draw_box(drawing: ClosedDrawing, centre, hands: dict[str, tuple[str, np.ndarray]]) -> None:
    drawing.add("box", free_flyer("box_joint"), centre, parent=GROUND, inertia=Inertia.box(BOX_MASS, BOX_SIZE))
    for frame, (_, where) in hands.items():
        drawing.hold(connect(frame, drawing.mark(f"{frame}_on_box", "box", where), name=f"{frame}_grip"))
