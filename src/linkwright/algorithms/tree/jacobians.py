"""Geometric Jacobians of frames and their time derivatives."""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Motion, Placement
from .frames import refer
from .kinematics import placements, velocities


def frame_jacobian(tree: Tree, frame: str, q: Sequence[Scalar], *, seen_from: str = "local") -> list[list[Scalar]]:
    """J (6 x nv, rows [linear; angular]) with frame velocity = J v."""
    columns, pose = _columns(tree, frame, q)
    zero = Motion.zero()
    return _rows([refer(_to_local(c, pose), pose, seen_from) if c else zero for c in columns])


def frame_jacobian_rate(
    tree: Tree, frame: str, q: Sequence[Scalar], v: Sequence[Scalar], *, seen_from: str = "local"
) -> list[list[Scalar]]:
    """dJ/dt along the motion v, so that frame acceleration = J a + (dJ/dt) v.

    Spatial acceleration for "local" and "world"; for "local_world_aligned" the classical one, whose linear part is
    the second derivative of the origin's position (as Pinocchio defines these three).
    """
    body = tree.frame_transform(frame)[0]
    columns, pose = _columns(tree, frame, q)
    poses, moving = placements(tree, q), velocities(tree, q, v)
    world = [poses[i].motion_to_reference(m) for i, m in enumerate(moving)]
    frame_velocity = world[body]
    origin_velocity = frame_velocity.linear + frame_velocity.angular.cross(pose.position)
    rates = []
    for i in tree.outward():
        iv = tree.iv[i]
        own_rate = tree.joint[i].subspace_rate(q[tree.iq[i]], v[iv])
        for k in range(iv.stop - iv.start):
            column = columns[iv.start + k]
            if column is None:
                rates.append(Motion.zero())
                continue
            rate = world[i].cross(column)
            if own_rate is not None:  # rates of subspaces are dense
                rate = rate + poses[i].motion_to_reference(own_rate.motions[k])  # type: ignore[union-attr]
            if seen_from == "local":
                rate = _to_local(rate - frame_velocity.cross(column), pose)
            elif seen_from == "local_world_aligned":
                at_origin = rate.linear + rate.angular.cross(pose.position) + column.angular.cross(origin_velocity)
                rate = Motion(rate.angular, at_origin)
            else:
                refer(column, pose, seen_from)  # refuses unknown words by name
            rates.append(rate)
    return _rows(rates)


def _columns(tree: Tree, frame: str, q) -> tuple[list[Motion | None], Placement]:
    """Per velocity: the motion it causes, at the world's origin in world coordinates (None: it does not move the
    frame), and the frame's pose.
    """
    body, X = tree.frame_transform(frame)
    poses = placements(tree, q)
    columns: list[Motion | None] = [None] * tree.nv
    for i in tree.graph.support[body]:
        S, iv = tree.joint[i].subspace(q[tree.iq[i]]), tree.iv[i]
        for k in range(iv.stop - iv.start):
            unit = [1.0 if j == k else 0.0 for j in range(iv.stop - iv.start)]
            columns[iv.start + k] = poses[i].motion_to_reference(S @ unit)
    return columns, poses[body].after(X)


def _to_local(m: Motion, pose: Placement) -> Motion:
    back = pose.rotation.T
    return Motion(back @ m.angular, back @ (m.linear + m.angular.cross(pose.position)))


def _rows(columns: list[Motion]) -> list[list[Scalar]]:
    listed = [m.to_public() for m in columns]
    return [[column[r] for column in listed] for r in range(6)]
