"""Hands that hold a cube by their fingertips, alone and on a humanoid: [Sathya2025] Table II.

The models are Allegro hands, right and left, and a humanoid with seven joints in each arm; `linkwright.load` puts them
together. A hand's palm faces along x and its fingers point along z. The cube's coordinates are its pose in the world,
and `reference` is a closed pose: three fingertips of a hand on one face of the cube, the thumb's on the opposite one,
every hand at points of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..fixed_order import product
from ..model import Inertia, Model, ModelBuilder, Pose
from ..model.constraints import connect, weld
from ..model.editing import attach, depth_first
from ..model.joint import free_flyer
from .reaching import body_poses, reach

CUBE_SIDE, CUBE_MASS = 0.07, 0.2
CUBE_FROM_PALM = np.array([0.102, 0.0, 0.02])  # its centre
OFF_CENTRE = 0.012  # how much closer to its own palm than to the other one a hand touches the cube
# Fingertips, and where they touch the cube: y, and which of the faces across z, in the axes of the right hand.
TIPS = {"link_3.0_tip": (0.025, 1), "link_7.0_tip": (0.0, 1), "link_11.0_tip": (-0.025, 1), "link_15.0_tip": (0.0, -1)}
FINGER, THUMB = (0.0, 0.8, 0.6, 0.4), (1.0, 0.6, 0.5, 0.5)  # joint angles from which they reach for the cube
BEFORE_THE_CHEST = Pose(np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]), np.array([0.25, 0.0, 0.1]))  # of the cube
FEET = ("l_ankle", "r_ankle")


@dataclass(frozen=True)
class Side:
    """What differs between right and left."""

    mirror: int  # of y in the hand's axes
    palm: Pose  # in the frame of the right one
    wrist: str  # of the humanoid
    mount: Pose  # of the hand on the wrist: fingers down the arm, palm inward, thumb to the front
    arm: str  # how the names of the arm's joints begin
    bent: tuple[float, ...]  # joint angles from which the arm reaches for the cube

    def contacts(self) -> dict[str, np.ndarray]:
        """Where the fingertips touch, from the cube's centre, in the hand's axes."""
        return {
            tip: np.array([-OFF_CENTRE, self.mirror * y, face * CUBE_SIDE / 2]) for tip, (y, face) in TIPS.items()
        }


RIGHT = Side(
    1, Pose.identity(), "r_wrist", Pose(np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, -1]]), np.array([0, 0, -0.1])),
    "RARM", (-0.013, 0.594, -0.877, -0.909, 0.75, -1.001, 0.298),
)  # fmt: skip
LEFT = Side(
    -1, Pose(np.diag([-1.0, -1.0, 1.0]), np.array([2 * CUBE_FROM_PALM[0], 0.0, 0.0])), "l_wrist",
    Pose(np.array([[0.0, -1, 0], [-1, 0, 0], [0, 0, -1]]), np.array([0, 0, -0.1])),
    "LARM", (0.071, 0.02, -0.608, -0.909, -0.046, -0.724, 0.637),
)  # fmt: skip


def hand_with_cube(hand: Model) -> Model:
    """A right hand, fixed to the ground, and the cube: 22 degrees of freedom, 12 rows."""
    model = replace(_curled(hand, RIGHT), name="hand_with_cube")
    return _holding(model, Pose(np.eye(3), CUBE_FROM_PALM), {"": RIGHT})


def two_hands_with_cube(right: Model, left: Model) -> Model:
    """Two hands, fixed to the ground face to face, and the cube between: 38 degrees of freedom, 24 rows.

    Names begin with "right_" and "left_".
    """
    model = ModelBuilder("two_hands_with_cube").build()
    for prefix, hand, side in (("right_", right, RIGHT), ("left_", left, LEFT)):
        model = attach(model, _curled(hand, side), placement=side.palm, prefix=prefix)
    return _holding(model, Pose(np.eye(3), CUBE_FROM_PALM), {"right_": RIGHT, "left_": LEFT})


def humanoid_with_cube(humanoid: Model, right: Model, left: Model, *, standing: bool = False) -> Model:
    """A humanoid that holds the cube with two hands: 73 degrees of freedom; 24 rows, 36 with the feet welded."""
    sides = {"right_": (RIGHT, right), "left_": (LEFT, left)}
    to_right_palm = BEFORE_THE_CHEST @ Pose(np.eye(3), -CUBE_FROM_PALM)
    q = humanoid.drawn
    for side, _ in sides.values():
        arm = [joint.name for joint in humanoid.joints if joint.name.startswith(side.arm)]
        q = _posed(humanoid, q, dict(zip(arm, side.bent, strict=True)))
        q = reach(humanoid, q, arm, {side.wrist: to_right_palm @ side.palm @ side.mount.inverse()})
    model = humanoid.with_drawn(q)
    for prefix, (side, hand) in sides.items():
        model = attach(model, _curled(hand, side), at=side.wrist, placement=side.mount, prefix=prefix)
    name = "humanoid_with_cube_standing" if standing else "humanoid_with_cube"
    model = replace(depth_first(model), name=name)
    model = _holding(model, BEFORE_THE_CHEST, {prefix: side for prefix, (side, _) in sides.items()})
    if not standing:
        return model
    poses = body_poses(model, model.drawn)
    return model.with_constraints(*(weld(foot, at=poses[model.frame(foot).body]) for foot in FEET))


def _curled(hand: Model, side: Side) -> Model:
    """The hand with its fingertips on the cube, which is at the same place before either palm."""
    # joints 0 to 11 are three fingers, 12 to 15 the thumb
    start = {f"joint_{k}.0": (THUMB if k >= 12 else FINGER)[k % 4] for k in range(16)}
    points = {tip: CUBE_FROM_PALM + point for tip, point in side.contacts().items()}
    joints = [joint.name for joint in hand.joints]
    return hand.with_drawn(reach(hand, _posed(hand, hand.drawn, start), joints, points))


def _holding(carrier: Model, cube: Pose, hands: dict[str, Side]) -> Model:
    """The carrier with a cube at a pose, and each hand's tips held on it."""
    builder = ModelBuilder.from_model(carrier)
    builder.add_body("cube", free_flyer("cube_joint"), inertia=Inertia.box(CUBE_MASS, (CUBE_SIDE,) * 3))
    grips = []
    for prefix, side in hands.items():
        for tip, point in side.contacts().items():
            on_cube = builder.add_frame(f"{prefix}{tip}_on_cube", "cube", product(side.palm.rotation, point))
            grips.append(connect(prefix + tip, on_cube, name=f"{prefix}{tip}_grip"))
    pose = np.concatenate([cube.translation, cube.quaternion])
    return builder.build().with_constraints(*grips).with_drawn(np.concatenate([carrier.drawn, pose]))


def _posed(model: Model, q: np.ndarray, angles: dict[str, float]) -> np.ndarray:
    q = np.array(q)
    for joint, angle in angles.items():
        q[model.iq[model.joint_index(joint)]] = angle
    return q
