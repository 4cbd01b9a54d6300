"""Articulated-body algorithm (ABA): forward dynamics of a tree in O(n).

[Featherstone2008] ch. 7. The first sweep moves the bodies as if the joints did not accelerate and finds the wrenches pA
that this would take; the other two find what the joints do about it. X[i] maps motions from the parent's frame to body
i's, X[i].T maps forces back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import ArticulatedInertia, Force, Motion, RowVector
from ..parts.articulation import Articulation
from ..parts.motion_sweep import MotionSweep
from ..parts.passive_torques import passive_torques


def aba(
    tree: Tree,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    tau: Sequence[Scalar],
    *,
    f_ext: Sequence[Force] | None = None,
) -> list[Scalar]:
    """Return a with M(q) a + c(q, v) = tau + sum_i J_i' f_ext[i], springs, dampers and rotors included."""
    return aba_with_pivots(tree, q, v, tau, f_ext=f_ext)[0]


def aba_with_pivots(tree: Tree, q, v, tau, *, f_ext=None) -> tuple[list[Scalar], list[Scalar]]:
    """(accelerations, pivots): the inertia each velocity meets, positive in every solvable mechanism."""
    tau = RowVector(tau) + passive_torques(tree, q, v)
    sweep = MotionSweep(tree, q, v)  # 1: transforms and bias wrenches
    IA = [inertia.articulated() for inertia in tree.lumped]
    joint, y = articulate(tree, sweep, IA, sweep.wrenches(tree, f_ext), tau)
    a, _ = accelerate(tree, sweep, joint, y)
    return a, [pivot for i in tree.outward() for pivot in joint[i].D.pivots]


def inertia_solve(tree: Tree, q, v, torques: Sequence[Scalar]) -> list[Scalar]:
    """M(q)^-1 torques: the last two sweeps. Where `aba` was run at q and v, the first is there already."""
    sweep = MotionSweep(tree, q, v)
    IA = [inertia.articulated() for inertia in tree.lumped]
    return accelerate(tree, sweep, *articulate(tree, sweep, IA, [Force.zero()] * len(IA), torques))[0]


def articulate(
    tree: Tree, sweep: MotionSweep, IA: list[ArticulatedInertia], pA: list[Force], tau: Sequence[Scalar]
) -> tuple[list[Articulation], list[RowVector]]:
    """2: articulated inertias, from the tips to the ground. Completes IA and pA in place.

    Returns the eliminated joints and y, their accelerations if their parents did not accelerate.
    """
    joint: list[Articulation] = [None] * len(IA)  # type: ignore[list-item]
    y = [RowVector(())] * len(IA)
    for i in tree.inward():
        p, iv, X = tree.parent[i], tree.iv[i], sweep.X[i]
        joint[i] = Articulation(IA[i], sweep.S[i], tree.armature[i])
        y[i] = joint[i].D.solve(tau[iv] - sweep.S[i].project(pA[i]))
        IA[p] = IA[p] + X.congruence(joint[i].inertia_felt(IA[i]))
        pA[p] = pA[p] + X.T @ joint[i].force_felt(pA[i], y[i], tau[iv])
    return joint, y


def accelerate(
    tree: Tree, sweep: MotionSweep, joint: Sequence[Articulation], y: Sequence[Sequence[Scalar]],
    bodies: Iterable[int] | None = None,
) -> tuple[list[Scalar], list[Motion]]:  # fmt: skip
    """3: accelerations, from the ground to the tips, or of `bodies` only (each after its parent).

    Returns joint accelerations, and what they add to the accelerations of the bodies found by the sweep.
    """
    a: list[Scalar] = [0.0] * tree.nv
    change = [Motion.zero()] * len(tree.parent)
    for i in tree.outward() if bodies is None else bodies:
        carried = sweep.X[i] @ change[tree.parent[i]]
        a[tree.iv[i]] = rates = joint[i].rates(y[i], carried)
        change[i] = sweep.S[i].add_motion(carried, rates)
    return a, change
