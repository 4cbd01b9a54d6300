"""C-RNEA: inverse dynamics of a mechanism with loops, in its independent coordinates ([Chignoli2023] sec. VI)."""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, is_zero
from ...spatial import Force, dot
from ..tree.rnea import joint_torques
from .clustered_tree import ClusteredTree, ClusterSweep
from .embedding import Embedding


def cluster_rnea(
    system: ClusteredTree, q: Sequence[Scalar], yd: Sequence[Scalar], ydd: Sequence[Scalar],
    embeddings: Sequence[Embedding], *, f_ext: Sequence[Force] | None = None,
) -> list[Scalar]:  # fmt: skip
    """Return tau_y = H ydd + c - sum of J_i' f_ext[i], springs, dampers and armatures included."""
    sweep = ClusterSweep(system, q, yd, embeddings, ydd)
    tree = system.tree
    tau = joint_torques(tree, sweep.motion, sweep.wrenches(f_ext))
    for n, torque in sweep.rotor_torques(f_ext).items():
        tau[n] = torque
    for i in range(1, len(tree.parent)):
        for n, R in zip(range(tree.nv)[tree.iv[i]], tree.armature[i], strict=True):
            inertial = tau[n] if is_zero(R) else tau[n] + R * sweep.a[n]
            tau[n] = inertial - sweep.passive[n]
    result = system.gathered(embeddings, tau)
    if system.reflection is not None:
        for k, joint in enumerate(system.joints(sweep.motion.X, sweep.motion.S, embeddings)):
            if joint is not None:
                for n, row in zip(system.iy[k], joint.reflected_inertia, strict=True):
                    result[n] = result[n] + dot(row, system.pick(k, ydd))
    return result
