"""By how much every constraint row is violated, how fast that changes, and what would make it change faster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...model import Tree
from ...scalar import Scalar
from ..parts.motion_sweep import MotionSweep
from . import FrameMotions, constraints_at
from .constraint_rows import constrained_bodies


class ConstraintState(NamedTuple):
    """Per row: position error (None where a constraint does not say where things should be), J v, and J-dot v."""

    error: list[Scalar | None]
    velocity: list[Scalar]
    bias: list[Scalar]


def constraint_state(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar]) -> ConstraintState:
    sweep = MotionSweep(tree, q, v)
    motions = FrameMotions(tree, sweep, v, constrained_bodies(tree))
    state = ConstraintState([], [], [])
    for held in constraints_at(tree, q, sweep.X):
        velocity, bias = held.motion(motions)
        state.error.extend(held.error() if held.constraint.has_position else [None] * len(bias))
        state.velocity.extend(velocity)
        state.bias.extend(bias)
    return state
