"""By how much every constraint row is violated, how fast that changes, and what would make it change faster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..model import Tree
from ..scalar import Scalar
from .closures import Closures
from .constraint_rows import _acceleration_at_rest, _carried
from .motion_sweep import MotionSweep


class ConstraintState(NamedTuple):
    """Per row: position error (None where a constraint does not say where things should be), J v, and J-dot v."""

    error: list[Scalar | None]
    velocity: list[Scalar]
    bias: list[Scalar]


def constraint_state(tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar]) -> ConstraintState:
    sweep = MotionSweep(tree, q, v)
    velocity, gravity = _carried(tree, sweep, v)
    closures = Closures(tree, q)
    state = ConstraintState([], [], [])
    for c in tree.constraints:
        if c.other:
            moving, rate = closures.relative_motion(c, sweep, velocity)
        else:
            moving = c.frame @ velocity[c.body]
            rate = _acceleration_at_rest(sweep, c.body, c.frame, moving, gravity[c.body])
        error = None if c.target is None else closures.position_error(c)
        for row in c.rows:
            state.error.append(None if error is None else row.dot(error))
            state.velocity.append(row.dot(moving))
            state.bias.append(row.dot(rate))
    return state
