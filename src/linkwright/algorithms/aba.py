"""Articulated-body algorithm (ABA): forward dynamics of a tree in O(n).

[Featherstone2008] ch. 7. The first sweep moves the bodies as if the joints did not accelerate and finds the wrenches pA
that this would take; the other two find what the joints do about it. X[i] maps motions from the parent's frame to body
i's, X[i].T maps forces back.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Tree
from ..scalar import Scalar
from ..spatial import Force, Motion
from .articulation import Articulation
from .motion_sweep import MotionSweep


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
    tau = [t + s for t, s in zip(tau, tree.passive_torques(q, v), strict=True)]
    sweep = MotionSweep(tree, q, v)  # 1: transforms and bias wrenches
    X, S = sweep.X, sweep.S
    pA = sweep.wrenches(tree, f_ext)
    IA = [inertia.articulated() for inertia in tree.lumped]
    joint: list[Articulation] = [None] * len(IA)  # type: ignore[list-item]
    y: list[list[Scalar]] = [[]] * len(IA)

    for i in tree.inward():  # 2: articulated inertias
        p, iv = tree.parent[i], tree.iv[i]
        joint[i] = Articulation(IA[i], S[i], tree.armature[i])
        u = [t - s for t, s in zip(tau[iv], S[i].project(pA[i]), strict=True)]
        y[i] = joint[i].D.solve(u)
        IA[p] = IA[p] + X[i].congruence(joint[i].inertia_felt(IA[i]))
        pA[p] = pA[p] + X[i].T @ joint[i].force_felt(pA[i], y[i], tau[iv])

    a: list[Scalar] = [0.0] * tree.nv
    change = [Motion.zero()] * len(IA)
    for i in tree.outward():  # 3: accelerations
        carried = X[i] @ change[tree.parent[i]]
        a[tree.iv[i]] = rates = joint[i].rates(y[i], carried)
        change[i] = S[i].add_motion(carried, rates)
    return a, [pivot for i in tree.outward() for pivot in joint[i].D.pivots]
