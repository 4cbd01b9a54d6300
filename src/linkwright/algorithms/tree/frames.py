"""Placements, velocities and accelerations of named frames, seen from where the user asks for.

local                 the frame's own coordinates and origin
world                 the world's coordinates and origin
local_world_aligned   the frame's origin, the world's axes
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import unknown_name
from ...model import Tree
from ...scalar import Scalar
from ...spatial import Motion, Placement
from .kinematics import accelerations, classical, placements, velocities

SEEN_FROM = ("local", "world", "local_world_aligned")


def frame_placements(tree: Tree, frames: Sequence[str], q: Sequence[Scalar]) -> list[Placement]:
    """Pose of each named frame in the world."""
    bodies = placements(tree, q)
    result = []
    for name in frames:
        body, X = tree.frame_transform(name)
        result.append(bodies[body].after(X))
    return result


def frame_velocities(tree: Tree, frames: Sequence[str], q, v, *, seen_from: str = "local") -> list[Motion]:
    moving = velocities(tree, q, v)
    local = [X @ moving[body] for body, X in map(tree.frame_transform, frames)]
    return _referred(tree, frames, q, local, seen_from)


def frame_accelerations(
    tree: Tree, frames: Sequence[str], q, v, a, *, seen_from: str = "local", classical_linear: bool = False
) -> list[Motion]:
    """Spatial accelerations, or with `classical_linear` those whose linear part is the origin's own acceleration."""
    velocity, acceleration = accelerations(tree, q, v, a)
    local = []
    for body, X in map(tree.frame_transform, frames):
        change = X @ acceleration[body]
        local.append(classical(X @ velocity[body], change) if classical_linear else change)
    return _referred(tree, frames, q, local, seen_from)


def _referred(tree: Tree, frames: Sequence[str], q, local: list[Motion], seen_from: str) -> list[Motion]:
    if seen_from == "local":
        return local
    return [refer(m, pose, seen_from) for m, pose in zip(local, frame_placements(tree, frames, q), strict=True)]


def refer(m: Motion, pose: Placement, seen_from: str) -> Motion:
    """A motion in a frame at `pose`, seen from elsewhere."""
    if seen_from == "local":
        return m
    if seen_from == "world":
        return pose.motion_to_reference(m)
    if seen_from == "local_world_aligned":
        return Motion(pose.rotation @ m.angular, pose.rotation @ m.linear)
    raise unknown_name("seen_from", seen_from, SEEN_FROM)
