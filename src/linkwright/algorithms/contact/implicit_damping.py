"""Damping taken at the end of a step whose forces are known: MuJoCo's Euler and implicitfast.

The accelerations a of the law obey M a = all forces. With torques that fall by S per velocity taken at the new velocity
v + h a' it is (M + h S) a' = M a, so that a' - a is what torques -h S a do to the mechanism with h S as rotors.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar, is_zero
from ...spatial import Force
from ..parts.motion_sweep import MotionSweep
from ..tree.aba import accelerate, articulate


def damped(
    tree: Tree, sweep: MotionSweep, a: Sequence[Scalar], rates: Sequence[Scalar], slope: Sequence[Scalar], h: Scalar
) -> list[Scalar]:  # fmt: skip
    """a'; `rates` are the accelerations along axes that stand still, which dampers of free bodies feel."""
    if all(map(is_zero, slope)):
        return list(a)
    lost = [h * s for s in slope]
    stiff = copy.copy(tree)
    stiff.armature = tuple(
        [m + s for m, s in zip(tree.armature[i], lost[iv], strict=True)] for i, iv in enumerate(tree.iv)
    )
    IA = [inertia.articulated() for inertia in tree.lumped]
    torques = [-(s * x) for s, x in zip(lost, rates, strict=True)]
    joint, y = articulate(stiff, sweep, IA, [Force.zero()] * len(IA), torques)
    change, _ = accelerate(stiff, sweep, joint, y)
    return [x + y for x, y in zip(a, change, strict=True)]
