"""Constraints as the solvers see them: on each constrained body some rows K, and what K a must add up to.

The solvers work on a mechanism at rest (motion_sweep.py): their accelerations are changes to those of the sweep, and
`e` is what is missing there: the desired acceleration less the sweep's own, less stabilization.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..model import Tree
from ..scalar import Scalar, maximum
from ..spatial import ArticulatedInertia, Force, Motion, Transform, Vector, sum_of
from .closures import Closures
from .motion_sweep import MotionSweep


@dataclass(frozen=True)
class ConstraintRows:
    """One constraint: K (a covector per row, in the body's frame of computation) times the change of acceleration of
    `body`, plus K_other times that of `other` where it closes a loop, equals e.
    """

    name: str
    body: int
    K: tuple[Force, ...]
    e: tuple[Scalar, ...]
    mu: tuple[Scalar, ...]
    active: Scalar  # 1 or 0; rows and e of an inactive constraint are zero
    other: int = 0
    K_other: tuple[Force, ...] = ()

    @property
    def size(self) -> int:
        return len(self.K)

    @property
    def terms(self) -> list[tuple[int, tuple[Force, ...]]]:
        """(body, K) of each body it acts on."""
        return [(self.body, self.K), (self.other, self.K_other)] if self.other else [(self.body, self.K)]

    def residual(self, change: Sequence[Motion]) -> list[Scalar]:
        """K a - e, for the changes of acceleration of all bodies."""
        values = [row.dot(change[self.body]) - e for row, e in zip(self.K, self.e, strict=True)]
        if self.other:
            values = [x + row.dot(change[self.other]) for x, row in zip(values, self.K_other, strict=True)]
        return values


def constrained_bodies(tree: Tree) -> list[int]:
    """The bodies that carry a constrained one, and those themselves: all that constraint forces pass through."""
    ends = {body for c in tree.constraints for body in (c.body, c.other)}
    return sorted({i for body in ends for i in tree.graph.support[body]})


def constraint_matrices(tree: Tree, active: Sequence[Scalar] | None = None) -> list[tuple[Force, ...]]:
    """K of every constraint on its first body; needs no state. Rows of inactive constraints are zero."""
    result = []
    for k, c in enumerate(tree.constraints):
        rows = c.K if active is None else tuple(row * active[k] for row in c.K)
        result.append(rows)
    return result


def constraint_rows(
    tree: Tree,
    sweep: MotionSweep,
    q: Sequence[Scalar],
    v: Sequence[Scalar],
    *,
    desired: Sequence[Scalar] | None = None,
    active: Sequence[Scalar] | None = None,
    mu: Sequence[Scalar] | None = None,
    baumgarte: float | None = None,
) -> list[ConstraintRows]:
    """Everything a solver needs to know of the constraints at this state.

    `desired` and `mu` hold the desired acceleration (zero if None) and the penalty of all rows one after the other.
    `baumgarte` is the time constant T of critically damped stabilization: - 2/T (velocity error) - 1/T^2 (position
    error).
    """
    velocity, gravity = _carried(tree, sweep, v)
    K = constraint_matrices(tree, active)
    closures = Closures(tree, q)
    result, row_number = [], 0
    for k, c in enumerate(tree.constraints):
        moving = c.frame @ velocity[c.body]
        if c.other:
            moving, missing = closures.relative_motion(c, sweep, velocity)
        else:
            missing = _acceleration_at_rest(sweep, c.body, c.frame, moving, gravity[c.body])
        error = None if baumgarte is None else closures.position_error(c)
        e: list[Scalar] = []
        for r, row in enumerate(c.rows):
            goal = 0.0 if desired is None else desired[row_number + r]
            value = goal - row.dot(missing)
            if error is not None:
                value = value - row.dot(moving) * (2.0 / baumgarte) - row.dot(error) * (1.0 / baumgarte**2)
            e.append(value if active is None else value * active[k])
        penalties = () if mu is None else tuple(mu[row_number : row_number + len(e)])
        on = 1.0 if active is None else active[k]
        K_other = tuple(row * on for row in closures.other_rows(c)) if c.other else ()
        result.append(ConstraintRows(c.name, c.body, K[k], tuple(e), penalties, on, c.other, K_other))
        row_number += len(e)
    return result


def _carried(tree: Tree, sweep: MotionSweep, v: Sequence[Scalar]) -> tuple[list[Motion], list[Vector]]:
    """Spatial velocity and gravity in the frames of the bodies that constraints depend on."""
    velocity = [Motion.zero()] * len(tree.parent)
    gravity = [tree.gravity] * len(tree.parent)
    for i in constrained_bodies(tree):
        X, p = sweep.X[i], tree.parent[i]
        velocity[i] = Motion(sweep.w[i], (X @ velocity[p]).linear + (sweep.S[i] @ v[tree.iv[i]]).linear)
        gravity[i] = X.rotate(gravity[p])
    return velocity, gravity


def _acceleration_at_rest(sweep: MotionSweep, body: int, frame: Transform, moving: Motion, gravity: Vector) -> Motion:
    """Spatial acceleration of a frame on a body when the joints do not accelerate.

    The sweep's accelerations are classical and start from -gravity, so gravity is added and omega x v taken off.
    """
    classical = frame.rotate(sweep.field[body].at(frame.locate(Vector.zero())) + gravity)
    return Motion(
        frame.rotate(sweep.acceleration[body].angular), classical - moving.angular.cross(moving.linear)
    )


def largest_residual(residuals: Sequence[Scalar]) -> Scalar:
    """The largest absolute entry, without branches; zero if there are none."""
    largest: Scalar = 0.0
    for r in residuals:
        largest = maximum(abs(r), largest)
    return largest


def penalty_inertia(K: Sequence[Force], mu: Sequence[Scalar]) -> ArticulatedInertia:
    """The inertia K' mu K of rows with penalties."""
    return ArticulatedInertia.from_function(
        lambda r, s: sum_of(row[r] * (row[s] * m) for row, m in zip(K, mu, strict=True))
    )
