"""C-ABA: forward dynamics of a mechanism with loops in O(number of clusters).

[Chignoli2023] Algorithm 1, with its line numbers. Its spatial vectors of whole clusters are kept body by body, and what
it multiplies by S = X block(S_i) G is carried through the cluster's own tree (cluster_joint.py). In the form of aba.py:
the first pass moves the bodies as if no independent coordinate accelerated, so that c is in the wrenches p, what
remains is a mechanism at rest, and y = D^-1 u is found with u.

**Not in the paper**: springs, dampers, rotors and armatures (`driving_torques`), and clusters that hang on several
bodies, whose columns travel as tied ones (cluster_articulation.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, is_zero
from ...spatial import Force, Motion, RowVector
from .articulated_clusters import ArticulatedClusters
from .clustered_tree import ClusteredTree, ClusterSweep
from .embedding import Embedding


def cluster_aba(
    system: ClusteredTree, q: Sequence[Scalar], yd: Sequence[Scalar], tau_y: Sequence[Scalar],
    embeddings: Sequence[Embedding], *, f_ext: Sequence[Force] | None = None,
) -> tuple[list[Scalar], list[Scalar]]:  # fmt: skip
    """(ydd, pivots) with H ydd + c = tau_y + sum of J_i' f_ext[i]; springs, dampers and armatures included."""
    # Algorithm 1, forward pass #1
    sweep = ClusterSweep(system, q, yd, embeddings)  # lines 2-6, 11, 13-15, 17-19: clustered_tree.py
    joints = system.joints(sweep.motion.X, sweep.motion.S, embeddings)  # lines 8-10, 12: cluster_joint.py
    clusters = ArticulatedClusters(system, joints)  # line 20
    p = sweep.wrenches(f_ext)  # line 21
    tau = driving_torques(system, sweep, tau_y, f_ext)

    # backward pass
    y = [RowVector(())] * len(joints)
    for k in system.graph.inward():  # line 25
        cluster = clusters.eliminate(k)  # lines 26, 27: cluster_articulation.py
        y[k], felt = cluster.drive({i: p[i] for i in joints[k].links}, system.pick(k, tau))  # lines 28, 31
        clusters.hand_on(k)  # lines 29, 30, 32: cluster_articulation.py
        for o, force in felt.items():
            p[o] = p[o] + force  # line 33

    # forward pass #2
    ydd: list[Scalar] = [0.0] * system.ny
    change = [Motion.zero()] * len(p)  # line 38: weight is in p
    for k in system.graph.outward():  # line 39
        rates, moved = clusters[k].accelerate(y[k], change)  # lines 40-42: cluster_articulation.py
        for n, rate in zip(system.iy[k], rates, strict=True):
            ydd[n] = rate
        for i, motion in moved.items():
            change[i] = motion
    return ydd, [pivot for k in system.graph.outward() for pivot in clusters[k].D.pivots]


def driving_torques(system: ClusteredTree, sweep: ClusterSweep, tau_y: Sequence[Scalar], f_ext) -> RowVector:
    """tau_y plus G' times springs and dampers, less what the rotors and armatures take."""
    spare = list(sweep.passive)
    for n, torque in sweep.rotor_torques(f_ext).items():
        spare[n] = spare[n] - torque
    for i in range(1, len(system.tree.parent)):
        for n, R in zip(range(system.tree.nv)[system.tree.iv[i]], system.tree.armature[i], strict=True):
            if not is_zero(R):
                spare[n] = spare[n] - R * sweep.a[n]
    return RowVector(tau_y) + system.gathered(sweep.embeddings, spare)
