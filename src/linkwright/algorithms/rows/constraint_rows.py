"""Constraints as the solvers see them: on each constrained body some rows K, and what K a must add up to.

The solvers work on a mechanism at rest (motion_sweep.py): their accelerations are changes to those of the sweep, and
`e` is what is missing there: the desired acceleration less the sweep's own, less stabilization.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...model import Tree
from ...scalar import Scalar, maximum
from ...spatial import ArticulatedInertia, Force, Motion, RowVector, sum_of
from ..parts.motion_sweep import MotionSweep
from . import ConstraintAtState, FrameMotions, Terms, constraints_at


@dataclass(frozen=True)
class ConstraintRows:
    """One constraint: the sum over bodies of K (a covector per row, in the body's frame of computation) times the
    change of its acceleration equals e.
    """

    name: str
    terms: Terms  # (body, K), that of the first frame first
    rows: list[Force]  # in the first frame
    e: RowVector
    mu: RowVector
    active: Scalar  # 1 or 0; K and e of an inactive constraint are zero

    @property
    def size(self) -> int:
        return len(self.e)

    @property
    def body(self) -> int:
        return self.terms[0][0]

    @property
    def K(self) -> tuple[Force, ...]:
        """On the first body, which is all there is for solvers of trees."""
        return self.terms[0][1]

    def residual(self, change: Sequence[Motion]) -> RowVector:
        """K a - e, for the changes of acceleration of all bodies."""
        return self._sum(_times(self.K, change[self.body]) - self.e, change)

    def moved(self, change: Sequence[Motion]) -> RowVector:
        """K a, for further changes of acceleration."""
        return self._sum(_times(self.K, change[self.body]), change)

    def _sum(self, values: RowVector, change: Sequence[Motion]) -> RowVector:
        """With those of the further bodies."""
        for body, K in self.terms[1:]:
            values = values + _times(K, change[body])
        return values


def _times(K: Sequence[Force], a: Motion) -> RowVector:
    """K a."""
    return RowVector(row.dot(a) for row in K)


def constrained_bodies(tree: Tree) -> list[int]:
    """The bodies that carry a constrained one, and those themselves: all that constraint forces pass through."""
    return sorted({i for bodies in tree.constraint_bodies for body in bodies for i in tree.graph.support[body]})


def constraint_terms(every: Sequence[ConstraintAtState], active: Sequence[Scalar] | None = None) -> list[Terms]:
    """(body, K) of every body that each constraint acts on. Rows of inactive constraints are zero."""
    result = []
    for k, held in enumerate(every):
        terms = held.terms()
        if active is not None:
            terms = [(body, tuple(row * active[k] for row in K)) for body, K in terms]
        result.append(terms)
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
    motions = FrameMotions(tree, sweep, v, constrained_bodies(tree))
    every = constraints_at(tree, q, sweep.X)
    result, row_number = [], 0
    for k, (held, terms) in enumerate(zip(every, constraint_terms(every, active), strict=True)):
        velocity, rate = held.motion(motions)
        error = [0.0] * len(rate) if baumgarte is None else held.error()
        e: list[Scalar] = []
        for r in range(len(rate)):
            value = (0.0 if desired is None else desired[row_number + r]) - rate[r]
            if baumgarte is not None:
                value = value - velocity[r] * (2.0 / baumgarte) - error[r] * (1.0 / baumgarte**2)
            e.append(value if active is None else value * active[k])
        penalties = RowVector(() if mu is None else mu[row_number : row_number + len(e)])
        on = 1.0 if active is None else active[k]
        result.append(ConstraintRows(held.constraint.name, terms, held.rows(), RowVector(e), penalties, on))
        row_number += len(e)
    return result


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


def combine(K: Sequence[Force], factors: Sequence[Scalar]) -> Force:
    """K' factors."""
    return sum_of(row * x for row, x in zip(K, factors, strict=True))


_BODIES_MEASURED = 8


def squared_motions(constraints: Sequence[ConstraintRows], change: Sequence[Motion]) -> tuple[Scalar, Scalar]:
    """(Linear, angular) changes of acceleration of bodies that constraints act on, squared and added up.

    Of many such bodies every so manieth is taken: less than all of them move makes for a smaller size, so a stricter
    comparison.
    """
    bodies = sorted({c.body for c in constraints})
    bodies = bodies[:: -(-len(bodies) // _BODIES_MEASURED)]
    linear = RowVector(x for i in bodies for x in change[i].linear)
    angular = RowVector(x for i in bodies for x in change[i].angular)
    return linear.square, angular.square
