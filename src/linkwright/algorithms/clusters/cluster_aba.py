"""C-ABA: forward dynamics of a mechanism with loops in O(number of clusters).

[Chignoli2023] Algorithm 1, in the form of aba.py: the first sweep moves the bodies as if no independent coordinate
accelerated, and what remains is a mechanism at rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, is_zero
from ...spatial import Force, Motion
from .cluster_articulation import ClusterArticulation, SingleBody, TiedColumn
from .cluster_joint import ClusterJoint, Inertia, add_inertias
from .clustered_tree import ClusteredTree, ClusterSweep
from .embedding import Embedding


def cluster_aba(
    system: ClusteredTree, q: Sequence[Scalar], yd: Sequence[Scalar], tau_y: Sequence[Scalar],
    embeddings: Sequence[Embedding], *, f_ext: Sequence[Force] | None = None,
) -> tuple[list[Scalar], list[Scalar]]:  # fmt: skip
    """(ydd, pivots) with H ydd + c = tau_y + sum of J_i' f_ext[i]; springs, dampers and armatures included."""
    sweep = ClusterSweep(system, q, yd, embeddings)
    joints = system.joints(sweep.motion.X, sweep.motion.S, embeddings)
    tau = driving_torques(system, sweep, tau_y, f_ext)
    p = sweep.wrenches(f_ext)

    eliminated = articulated_clusters(system, joints)
    y: list[list[Scalar]] = [[]] * len(eliminated)
    for k in system.graph.inward():
        y[k], felt = eliminated[k].drive({i: p[i] for i in joints[k].links}, system.pick(k, tau))
        for o, force in felt.items():
            p[o] = p[o] + force

    ydd: list[Scalar] = [0.0] * system.ny
    change = [Motion.zero()] * len(p)
    for k in system.graph.outward():
        rates, moved = eliminated[k].accelerate(y[k], change)
        for n, rate in zip(system.iy[k], rates, strict=True):
            ydd[n] = rate
        for i, motion in moved.items():
            change[i] = motion
    return ydd, [pivot for k in system.graph.outward() for pivot in eliminated[k].D.pivots]


def articulated_clusters(
    system: ClusteredTree, joints: Sequence[ClusterJoint]
) -> list[SingleBody | ClusterArticulation]:
    """Eliminate every cluster, from the tips to the ground."""
    IA: list[Inertia] = list(system.tree.lumped)
    tied: list[list[TiedColumn]] = [[] for _ in system.clusters]
    eliminated: list = [None] * len(system.clusters)
    for k in system.graph.inward():
        eliminated[k] = system.eliminate(k, joints[k], {i: IA[i] for i in joints[k].links}, tied[k])
        inertia, columns = eliminated[k].felt()
        for o, part in inertia.items():
            IA[o] = add_inertias(IA[o], part)
        if system.clusters[k].parent:
            tied[system.clusters[k].parent] += columns
    return eliminated


def driving_torques(system: ClusteredTree, sweep: ClusterSweep, tau_y: Sequence[Scalar], f_ext) -> list[Scalar]:
    """tau_y plus G' times springs and dampers, less what the rotors and armatures take."""
    spare = list(sweep.passive)
    for n, torque in sweep.rotor_torques(f_ext).items():
        spare[n] = spare[n] - torque
    for i in range(1, len(system.tree.parent)):
        for n, R in zip(range(system.tree.nv)[system.tree.iv[i]], system.tree.armature[i], strict=True):
            if not is_zero(R):
                spare[n] = spare[n] - R * sweep.a[n]
    return [t + s for t, s in zip(tau_y, system.gathered(sweep.embeddings, spare), strict=True)]
