"""Recursive Newton-Euler algorithm (RNEA): inverse dynamics of a tree in O(n).

[Featherstone2008] ch. 5, with the classical accelerations of [LuhWalkerPaul1980].
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Force, RowVector, Vector
from ..parts.motion_sweep import MotionSweep
from ..parts.passive_torques import compensation_torques, passive_torques


def rnea(
    tree: Tree,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    a: Sequence[Scalar],
    *,
    f_ext: Sequence[Force] | None = None,
) -> list[Scalar]:
    """Return tau = M(q) a + c(q, v) - sum_i J_i' f_ext[i], springs, dampers and rotors included."""
    sweep = MotionSweep(tree, q, v, a)
    tau = joint_torques(tree, sweep, sweep.wrenches(tree, f_ext))
    passive = passive_torques(tree, q, v)
    for i in tree.outward():
        for k, R in zip(range(tree.nv)[tree.iv[i]], tree.armature[i], strict=True):
            tau[k] = tau[k] + R * a[k] - passive[k]
    return tau


def bias_torques(tree: Tree, q, v, *, f_ext=None) -> list[Scalar]:
    """The torques that give zero acceleration: c(q, v) less external forces."""
    return rnea(tree, q, v, [0.0] * tree.nv, f_ext=f_ext)


def gravity_torques(tree: Tree, q) -> list[Scalar]:
    """The torques that hold the mechanism at rest against gravity (and nothing else, not its springs).

    Weight that is compensated needs none.
    """
    sweep = MotionSweep(tree, q, [0.0] * tree.nv)
    held = joint_torques(tree, sweep, sweep.wrenches(tree))
    return list(RowVector(held) - compensation_torques(tree, q))


def coriolis_torques(tree: Tree, q, v) -> list[Scalar]:
    """Centrifugal and Coriolis torques alone: no gravity, springs or dampers."""
    sweep = MotionSweep(tree, q, v, gravity=Vector.zero())
    return joint_torques(tree, sweep, sweep.wrenches(tree))


def joint_torques(tree: Tree, sweep: MotionSweep, wrenches: Sequence[Force]) -> list[Scalar]:
    """The torques that make up for wrenches on all bodies, collected from the tips inward."""
    tau: list[Scalar] = [0.0] * tree.nv
    f = list(wrenches)
    for i in tree.inward():
        tau[tree.iv[i]] = sweep.S[i].project(f[i])
        f[tree.parent[i]] = f[tree.parent[i]] + sweep.X[i].T @ f[i]
    return tau
