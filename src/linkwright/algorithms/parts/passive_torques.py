"""What acts on the joints of itself: their own springs and dampers, tendons, and weight that is compensated.

In every algorithm these are torques beside those of the motors, so none of them needs to know which there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...model import Tree
from ...model.passive import GravityCompensation, Tendon
from ...scalar import Scalar, maximum, minimum
from ...spatial import Force, Placement, Vector


def passive_torques(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
    """All of them together."""
    torques = tree.joint_passive_torques(q, v)
    for tendon, at, (stiffness, damping, _) in tendons_of(tree):
        force = -(_stretch(tendon, _sum(at, q, 0)) * stiffness) - _sum(at, v, 1) * damping
        for _, k, ratio in at:
            torques[k] = torques[k] + force * ratio
    if any(isinstance(one, GravityCompensation) for one in tree.model.passive):
        torques = [t + c for t, c in zip(torques, compensation_torques(tree, q), strict=True)]
    return torques


def compensation_torques(tree: Tree, q: Sequence[Scalar]) -> list[Scalar]:
    """What gravity compensation does to the joints: forces against gravity at points of bodies, collected inward."""
    tau: list[Scalar] = [0.0] * tree.nv
    lifts = [one for one in tree.model.passive if isinstance(one, GravityCompensation)]
    if not lifts:
        return tau
    n = len(tree.parent)
    X, gravity, f = [tree.Xtree[0]] * n, [tree.gravity] * n, [Force.zero()] * n
    for i in tree.outward():
        X[i] = tree.Xtree[i].then(tree.joint[i].transform(q[tree.iq[i]]))  # type: ignore[union-attr]
        gravity[i] = X[i].rotate(gravity[tree.parent[i]])
    for lift in lifts:
        i, to_frame = tree.frame_transform(lift.frame)
        force = to_frame.rotate(gravity[i]) * -lift.mass
        f[i] = f[i] + to_frame.T @ Force(Vector(*lift.point).cross(force), force)
    for i in tree.inward():
        tau[tree.iv[i]] = tree.joint[i].subspace(q[tree.iq[i]]).project(f[i])  # type: ignore[union-attr]
        f[tree.parent[i]] = f[tree.parent[i]] + X[i].T @ f[i]
    return tau


def passive_energy(tree: Tree, q: Sequence[Scalar], poses: Sequence[Placement]) -> Scalar:
    """Of all springs, zero where they rest, and of what compensates weight, zero at the world's origin.

    `poses` are those of the bodies' frames of computation in the world.
    """
    energy = tree.spring_energy(q)
    for tendon, at, (stiffness, _, _) in tendons_of(tree):
        stretch = _stretch(tendon, _sum(at, q, 0))
        energy = energy + stretch * stretch * (0.5 * stiffness)
    for lift in tree.model.passive:
        if isinstance(lift, GravityCompensation):
            i, to_frame = tree.frame_transform(lift.frame)
            pose = poses[i].after(to_frame)
            energy = energy + (tree.gravity @ (pose.position + pose.rotation @ Vector(*lift.point))) * lift.mass
    return energy


def tendon_damping_torques(tree: Tree, v: Sequence[Scalar]) -> list[Scalar]:
    """The part of the torques that dissipates, apart from the joints' own dampers."""
    torques: list[Scalar] = [0.0] * tree.nv
    for _, at, (_, damping, _) in tendons_of(tree):
        rate = _sum(at, v, 1)
        for _, k, ratio in at:
            torques[k] = torques[k] - rate * (damping * ratio)
    return torques


def tendons_of(tree: Tree) -> Iterator[tuple[Tendon, list[tuple[int, int, float]], list[Scalar]]]:
    """Each with (coordinate, velocity, ratio) of its joints, and its stiffness, damping and dry friction."""
    for one, numbers in zip(tree.model.tendons, tree.tendons, strict=False):
        bodies = [(tree.model.joint_index(joint), ratio) for joint, ratio in one.ratios]
        yield one, [(tree.iq[i].start, tree.iv[i].start, ratio) for i, ratio in bodies], numbers


def _sum(at: list[tuple[int, int, float]], values: Sequence[Scalar], which: int) -> Scalar:
    total: Scalar = 0.0
    for *index, ratio in at:
        total = total + values[index[which]] * ratio
    return total


def _stretch(tendon: Tendon, length: Scalar) -> Scalar:
    """How far the length is from where the spring rests; nowhere between two lengths if it has two."""
    if tendon.shortest == tendon.longest:
        return length - tendon.shortest
    return maximum(length - tendon.longest, 0.0) + minimum(length - tendon.shortest, 0.0)
