"""Forward kinematics: where the bodies are, how fast they move, how they accelerate.

Velocities and accelerations here are spatial, in body frames (Featherstone's convention; the time derivative of the
spatial velocity). The classical acceleration of a frame's origin is the spatial one plus omega x v.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Motion, Placement


def placements(tree: Tree, q: Sequence[Scalar]) -> list[Placement]:
    """Pose of every body's frame of computation in the world."""
    poses = [Placement.identity()] * len(tree.parent)
    for i in tree.outward():
        X = tree.Xtree[i].then(tree.joint[i].transform(q[tree.iq[i]]))
        poses[i] = poses[tree.parent[i]].after(X)
    return poses


def velocities(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Motion]:
    """Spatial velocity of every body."""
    result = [Motion.zero()] * len(tree.parent)
    for i in tree.outward():
        joint, qi = tree.joint[i], q[tree.iq[i]]
        X = tree.Xtree[i].then(joint.transform(qi))
        result[i] = joint.subspace(qi).add_motion(X @ result[tree.parent[i]], v[tree.iv[i]])
    return result


def accelerations(
    tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar]
) -> tuple[list[Motion], list[Motion]]:
    """Spatial (velocities, accelerations) of every body; gravity does not enter."""
    velocity = [Motion.zero()] * len(tree.parent)
    acceleration = [Motion.zero()] * len(tree.parent)
    for i in tree.outward():
        p, joint, qi, vi = tree.parent[i], tree.joint[i], q[tree.iq[i]], v[tree.iv[i]]
        X, S = tree.Xtree[i].then(joint.transform(qi)), joint.subspace(qi)
        vJ = S @ vi
        velocity[i] = X @ velocity[p] + vJ
        change = X @ acceleration[p] + velocity[i].cross(vJ)
        rate = joint.subspace_rate(qi, vi)
        if rate is not None:
            change = change + rate @ vi
        acceleration[i] = S.add_motion(change, a[tree.iv[i]])
    return velocity, acceleration


def classical(velocity: Motion, acceleration: Motion) -> Motion:
    """The acceleration with the linear part that an accelerometer at the origin feels (gravity apart)."""
    return Motion(acceleration.angular, acceleration.linear + velocity.angular.cross(velocity.linear))
