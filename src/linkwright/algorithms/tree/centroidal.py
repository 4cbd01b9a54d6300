"""Centre of mass, and momentum about it.

[OrinGoswamiLee2013]. The ground's own mass does not count.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar, reciprocal
from ...spatial import Force, Motion, RigidInertia, Vector
from .kinematics import placements, velocities


def center_of_mass(tree: Tree, q: Sequence[Scalar]) -> Vector:
    """In the world; not a number if nothing has mass."""
    total = _composite_in_world(tree, q)
    return total.h * reciprocal(total.m)


def center_of_mass_velocity(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar]) -> Vector:
    total = _composite_in_world(tree, q)
    return _momentum_in_world(tree, q, v).linear * reciprocal(total.m)


def centroidal_momentum(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar]) -> Force:
    """Linear momentum, and angular momentum about the centre of mass, in world coordinates."""
    return _about(center_of_mass(tree, q), _momentum_in_world(tree, q, v))


def centroidal_momentum_matrix(tree: Tree, q: Sequence[Scalar]) -> list[list[Scalar]]:
    """A (6 x nv, rows [linear; angular]) with centroidal momentum = A v."""
    poses = placements(tree, q)
    composite = _inertias_in_world(tree, poses)
    for i in tree.inward():
        composite[tree.parent[i]] = composite[tree.parent[i]] + composite[i]
    com = composite[0].h * reciprocal(composite[0].m)
    columns = []
    for i in tree.outward():
        S, count = tree.joint[i].subspace(q[tree.iq[i]]), tree.iv[i].stop - tree.iv[i].start
        for k in range(count):
            unit = S @ [1.0 if j == k else 0.0 for j in range(count)]
            momentum = composite[i] @ poses[i].motion_to_reference(unit)
            columns.append(_about(com, momentum).to_public())
    return [[column[r] for column in columns] for r in range(6)]


def _inertias_in_world(tree: Tree, poses) -> list[RigidInertia]:
    """Each body's inertia about the world's origin; the ground's is left out."""
    inertias = [RigidInertia.zero()]
    for i in tree.outward():
        inertias.append(poses[i].as_transform().congruence(tree.inertia[i]))
    return inertias


def _composite_in_world(tree: Tree, q) -> RigidInertia:
    """Only mass and first moment are used, so the rest is never computed when compiled."""
    total = RigidInertia.zero()
    for inertia in _inertias_in_world(tree, placements(tree, q)):
        total = total + inertia
    return total


def _momentum_in_world(tree: Tree, q, v) -> Force:
    total = Force.zero()
    moving: list[Motion] = velocities(tree, q, v)
    for pose, inertia, velocity in zip(placements(tree, q), tree.inertia, moving, strict=True):
        total = total + pose.force_to_reference(inertia @ velocity)
    return total


def _about(point: Vector, momentum: Force) -> Force:
    return Force(momentum.angular - point.cross(momentum.linear), momentum.linear)
