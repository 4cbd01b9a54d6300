"""Random mechanisms of every joint kind: what tests check algorithms on."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..errors import InputError, unknown_name
from ..model import GROUND, Inertia, Joint, Model, ModelBuilder, Pose
from ..model.joint import free_flyer
from ..model.joints import JOINT_KINDS
from ..model.joints.floating import random_quaternion
from .checks import count

ALL_KINDS = tuple(JOINT_KINDS)
# Draws may fall on coordinate axes and right angles, as in real robots: other code paths run there than for skew ones.
_SHARE_ALIGNED = 0.4


def random_tree(
    seed: int = 0, n: int = 10, *, kinds: Sequence[str] = ALL_KINDS, branching: float = 0.5, armature: bool = False,
    damping: bool = False, springs: bool = False, limits: bool = False, frames: int = 0, floating_base: bool = False,
) -> Model:  # fmt: skip
    """A tree of n bodies "body_1" ... on joints "joint_1" ... of random kinds. The same arguments give the same model.

    kinds          drawn from in such a way that n >= len(kinds) uses each at least once
    branching      probability that a body hangs on any earlier one (the ground too) rather than on the one before: 0
                   makes a chain
    armature, damping, springs, limits   give the joints random ones, where they are defined
    frames         number of frames "frame_1" ... at random places
    floating_base  make the first joint a free-flyer named "root_joint", and hang every other body on it
    """
    count("n", n)
    for kind in kinds:
        if kind not in JOINT_KINDS:
            raise unknown_name("joint kind", kind, JOINT_KINDS)
    if not kinds:
        raise InputError("kinds is empty; expected at least one joint kind")
    if seed < 0:
        raise InputError(f"seed is {seed}; expected a whole number that is not negative")
    rng = np.random.default_rng(seed)
    quantities = {"armature": armature, "damping": damping, "springs": springs, "limits": limits}
    builder = ModelBuilder(f"random_tree_{seed}_{n}")
    bodies = [GROUND]
    for i, kind in enumerate(_drawn_kinds(rng, kinds, n), start=1):
        oldest = 1 if floating_base and i > 1 else 0
        parent = bodies[int(rng.integers(oldest, i))] if rng.random() < branching else bodies[-1]
        joint = random_joint(rng, f"joint_{i}", kind, **quantities)
        placement, inertia = random_pose(rng), random_inertia(rng)
        if floating_base and i == 1:
            joint, placement = free_flyer("root_joint"), Pose.identity()
        bodies.append(builder.add_body(f"body_{i}", joint, parent=parent, placement=placement, inertia=inertia))
    for k in range(1, frames + 1):
        builder.add_frame(f"frame_{k}", bodies[int(rng.integers(0, n + 1))], random_pose(rng))
    return builder.build()


def random_joint(
    rng: np.random.Generator, name: str, kind: str, *, armature: bool = False, damping: bool = False,
    springs: bool = False, limits: bool = False,
) -> Joint:  # fmt: skip
    """A joint of that kind about a random axis."""
    frame = _random_rotation(rng)
    motion = JOINT_KINDS[kind]
    quantities: dict = {}
    if motion.has_pitch:
        quantities["pitch"] = float(rng.uniform(-0.3, 0.3))
    if armature:
        quantities["armature"] = rng.uniform(0.0, 0.5, motion.nv)
    if damping:
        quantities["damping"] = rng.uniform(0.0, 1.0, motion.nv)
    plain = motion.nq == motion.nv  # limits are for coordinates that are plain numbers
    if springs and motion.velocity_is_rate:
        quantities |= {"stiffness": rng.uniform(0, 20, motion.nv), "spring_reference": rng.uniform(-1, 1, motion.nq)}
    if limits and plain and not motion.endless:
        quantities |= {"lower": rng.uniform(-2, -0.1, motion.nq), "upper": rng.uniform(0.1, 2, motion.nq)}
        quantities |= {"velocity_limit": rng.uniform(1, 10, motion.nv), "effort_limit": rng.uniform(1, 100, motion.nv)}
    return Joint(name=name, kind=kind, axis=frame[:, 0], second_axis=frame[:, 1], **quantities)


def random_pose(rng: np.random.Generator, reach: float = 0.5) -> Pose:
    position = rng.uniform(-reach, reach, 3)
    if rng.random() < _SHARE_ALIGNED:
        position *= rng.random(3) < 0.5
    return Pose(_random_rotation(rng), position)


def random_inertia(rng: np.random.Generator) -> Inertia:
    """A solid box of random size, somewhere and turned somehow: physically possible by construction."""
    box = Inertia.box(float(rng.uniform(0.2, 5.0)), rng.uniform(0.05, 0.4, 3))
    return box.moved(Pose(_random_rotation(rng), rng.uniform(-0.2, 0.2, 3)))


def _random_rotation(rng: np.random.Generator) -> np.ndarray:
    if rng.random() < _SHARE_ALIGNED:
        quarter_turns = rng.integers(0, 4, 3) * (math.pi / 2)
        return np.round(Pose.from_rpy((0, 0, 0), quarter_turns).rotation)
    return Pose.from_quaternion((0, 0, 0), random_quaternion(rng)).rotation


def _drawn_kinds(rng: np.random.Generator, kinds: Sequence[str], n: int) -> list[str]:
    """Rounds through all kinds, each in a new order."""
    drawn: list[str] = []
    while len(drawn) < n:
        drawn.extend(kinds[int(k)] for k in rng.permutation(len(kinds)))
    return drawn[:n]
