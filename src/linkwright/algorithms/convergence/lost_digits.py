"""How many digits a factorization has lost: large numbers that cancel and leave small ones.

A penalty, or a heavy load, passes joints on its way inward; what a joint lets go of it cancels from the articulated
inertia, and what is left carries the rounding of what was there. Beside it the inertia that a joint further in meets
may be small. The sizes of both are at hand when the links have been eliminated, so the loss can be told without a
second solution: it is an estimate of the relative error of accelerations in units of the rounding of one number, high
rather than low.

Measured on mass ratios to 1e9 and random mechanisms (docs/trust.md): penalties in the inertias cost a tenth to a
thousandth of the ratio, because they vanish exactly along free directions; masses cost up to `MASSES` times the
ratio, and penalties in the inertia matrix of joints `PENALTIES_ON_JOINTS` times. Where a joint of several directions is
held in some of them, oblique to its axes, nothing vanishes exactly: what the others are left with of its inertia
(entries of D and of its inverse tell) has cost up to 40 times the ratio there, `IN_A_JOINT` to be safe; and what is
behind it all of its ratio, so penalties are chosen as if it were `OBLIQUE` times that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model import Model, Tree, tree_of
from ...model.found_once import found_once
from ...scalar import Scalar, maximum
from ...spatial import ArticulatedInertia, RowVector
from ..parts.articulation import Articulation
from ..parts.motion_sweep import MotionSweep
from ..tree.aba import articulate

MASSES = 2000.0
PENALTIES_ON_JOINTS = 60.0
IN_A_JOINT, OBLIQUE = 50.0, 3.0
FREE = 4e3
_POSES = 4


def lost_to_penalties(
    tree: Tree, IA: Sequence[ArticulatedInertia], joint: Sequence[Articulation], *, oblique: float = 1.0
) -> Scalar:
    """The largest ratio of what was cancelled behind a joint, or in it, to the inertia that the joint meets; `oblique`
    times what is behind joints of several directions."""
    worst = _cancelled_behind(tree, IA, joint, oblique)
    for i in tree.outward():
        D = joint[i].D
        if len(D.pivots) > 1:
            for entry, inverse in zip(D.diagonal, D.inverse_diagonal, strict=True):
                worst = maximum(entry * inverse * IN_A_JOINT, worst)
    return worst


def _cancelled_behind(
    tree: Tree, IA: Sequence[ArticulatedInertia], joint: Sequence[Articulation], oblique: float = 1.0
) -> Scalar:
    n = len(tree.parent)
    angular: list[Scalar] = [0.0] * n  # of what links behind each one had: traces, as seen from it
    linear: list[Scalar] = [0.0] * n
    worst: Scalar = 1.0
    for i in tree.inward():
        p, directions = tree.parent[i], joint[i].S.directions
        counts = oblique if len(joint[i].D.pivots) > 1 else 1.0
        for k, inverse in enumerate(joint[i].D.inverse_pivots):
            behind = linear[i] if directions and directions[k] >= 3 else angular[i]
            worst = maximum(behind * inverse * counts, worst)
        if not p:
            continue
        turning = maximum(IA[i][0, 0] + IA[i][1, 1] + IA[i][2, 2], angular[i])
        shifting = maximum(IA[i][3, 3] + IA[i][4, 4] + IA[i][5, 5], linear[i])
        at = tree.model.bodies[i].placement.translation
        reach = sum(float(x) ** 2 for x in at)
        angular[p] = maximum(turning + shifting * reach, angular[p])
        linear[p] = maximum(shifting, linear[p])
    return worst


def lost_to_masses(tree: Tree, IA: Sequence[ArticulatedInertia], joint: Sequence[Articulation]) -> Scalar:
    """The same in inertias without penalties."""
    return _cancelled_behind(tree, IA, joint) * MASSES


def lost_to_free_accelerations(free_size: Scalar, a: Sequence[Scalar], weakest: Scalar) -> Scalar:
    """Of solvers that find multipliers from unconstrained accelerations: those are rounded, and what constraints leave
    of them may be small; over the weakest scaled singular value met."""
    size = maximum(RowVector(abs(x) for x in a).largest, 1.0)
    return FREE * free_size / (size * weakest)


@found_once
def usually_lost_to_masses(model: Model) -> float:
    """The same at a few random poses, for solvers that do not have articulated inertias at hand."""
    tree, rng, zeros = tree_of(model), np.random.default_rng(0), [0.0] * model.nv
    worst = 1.0
    with np.errstate(all="ignore"):
        for _ in range(_POSES):
            sweep = MotionSweep(tree, [float(x) for x in model.random_configuration(rng)], zeros)
            IA = [inertia.articulated() for inertia in tree.lumped]
            joint, _ = articulate(tree, sweep, IA, sweep.wrenches(tree, None), zeros)
            worst = max(worst, float(lost_to_masses(tree, IA, joint)))
    return worst


def lost_in_inertia_matrix(
    M: Sequence[Sequence[Scalar]], L: Sequence[Sequence[Scalar]], weight: float = MASSES
) -> Scalar:  # fmt: skip
    """The largest ratio of a diagonal entry of M to what elimination leaves of it, L'L = M."""
    worst: Scalar = 1.0
    for k in range(len(M)):
        worst = maximum(M[k][k] / (L[k][k] * L[k][k]), worst)
    return worst * weight
