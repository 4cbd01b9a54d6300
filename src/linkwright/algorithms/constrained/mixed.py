"""LCABA and proxBBO in one: penalties for some constraints, multipliers eliminated at roots for the others.

[Sathya2025] sec. VII-D suggests it. A penalty couples all links that its constraint acts on: cheap for the two links of
a loop closure, dear for a centre of mass, which all links have a share in. A multiplier is carried through all joints
between its links: dear where many loops meet, cheap for three rows. Both are the same proximal problem, eliminated in
another order, so each constraint may go its own way (planned in programs/mixing.py). Where none is carried this is
LCABA, where all are it is proxBBO, operation for operation.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...scalar import Scalar
from ...spatial import Motion, RowVector
from ..convergence.lost_digits import lost_to_penalties
from ..rows.constrained_problem import ConstrainedProblem
from ..rows.constraint_rows import squared_motions
from .carried_rows import CarriedRows
from .lcaba import EliminatedGraph

Y = dict[int, RowVector]
Z = dict[int, RowVector]


class MixedGraph:
    """A `FactoredProblem`: links and multipliers eliminated with multipliers `start`, ready for iterations; the
    constraints `numbers` are carried. `inner` are the accelerations."""

    squares = True
    beside_free = False

    def __init__(self, problem: ConstrainedProblem, start: Sequence[Scalar], numbers: Collection[int]):
        self.problem, self.lam = problem, RowVector(start)
        self.damping = RowVector(1.0 / m for m in problem.mu)
        right = problem.e - self.damping * self.lam
        rows = CarriedRows(problem, sorted(numbers), self.damping, right)
        self.graph = EliminatedGraph(problem, start, rows=rows)
        self.y: Y = dict(enumerate(self.graph.y))
        self.z: Z = rows.z
        self._change: list[Motion] = []

    @property
    def pivots(self) -> list[Scalar]:
        return self.graph.pivots

    @property
    def lost(self) -> Scalar:
        return lost_to_penalties(self.problem.tree, self.graph.IA, self.graph.joint)

    @property
    def free_size(self) -> Scalar:
        """The largest joint acceleration without the carried constraints, about."""
        return RowVector(abs(x) for y in self.graph.y for x in y).largest

    def residuals(self) -> RowVector:
        _, change, new = self._rolled(self.y, self.z, self.graph.carriers)
        return self._rows([c.residual(change) for c in self._penalized], RowVector(new) - self.lam)

    def push(self, step: RowVector) -> None:
        dy, dz = self._swept(step)
        self.y = {i: y + dy[i] if i in dy else y for i, y in self.y.items()}
        self.z = {i: z + dz[i] for i, z in self.z.items()}
        self.lam = self.lam + step

    def solution(self) -> tuple[list[Scalar], RowVector]:
        a, self._change, new = self._rolled(self.y, self.z, None)
        return a, self._rows([c.residual(self._change) for c in self._penalized], RowVector(new) - self.lam)

    def response(self, step: RowVector, *, whole: bool = True) -> tuple[list[Scalar], RowVector]:
        dy, dz = self._swept(step)
        still = {i: dy[i] if i in dy else RowVector.zeros(len(y)) for i, y in self.y.items()}
        a, change, new = self._rolled(still, dz, None if whole else self.graph.carriers)
        return a, self._rows([c.moved(change) for c in self._penalized], RowVector(new) - step)

    def sizes(self) -> tuple[Scalar, Scalar]:
        return squared_motions(self.problem.constraints, self._change)

    def finish(self, inner: list[Scalar], lam: RowVector, residuals: RowVector) -> tuple[list[Scalar], list[Scalar]]:
        return inner, list(residuals)

    @property
    def _penalized(self):
        return [c for k, c in enumerate(self.problem.constraints) if k not in self.graph.rows.numbers]

    def _rolled(self, y: Y, z: Z, bodies: set[int] | None):
        return self.graph.roll_out([y[i] for i in range(len(y))], z, bodies)

    def _swept(self, step: RowVector) -> tuple[Y, Z]:
        return self.graph.swept(step, -(self.damping * step))

    def _rows(self, penalized: Sequence[RowVector], new: RowVector) -> RowVector:
        """What K a - e is, or becomes, in the order of all rows: of carried ones the change of their multipliers says
        so, K a - e = (lam - lam_last) / mu. (Accelerations would not: they hold the rounding of penalties, which mu
        would make forces of.)"""
        own = iter(penalized)
        found: list[Scalar] = []
        for k, values in enumerate(self.problem.split(self.damping * new)):
            found += values if k in self.graph.rows.numbers else next(own)
        return RowVector(found)
