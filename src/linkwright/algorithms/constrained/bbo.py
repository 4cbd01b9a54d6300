"""BBO (Brandl, Bae and others) and proxBBO: multipliers of loops are eliminated at the loops' roots.

[Sathya2025] Algorithms 4-6 with their line numbers, after [Brandl1988] and [Bae1987]; what rows do on their way stands
in carried_rows.py, the iterations of Algorithm 6 in proximal.py. As in PV, constraint rows K are carried inward and
gather in L what they let move; but a row goes no further than its root, the last body that all of its bodies hang on.
There its multiplier becomes part of the root's inertia, so loops that are apart never meet. proxBBO damps L by 1/mu,
and then need not care whether rows are independent.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, maximum, sqrt, where
from ...spatial import Force, Motion, RowVector
from ...spatial.partial_factorization import WEAKEST
from ..convergence.hard_multipliers import HIDING
from ..convergence.lost_digits import lost_to_free_accelerations, lost_to_masses
from ..convergence.overstretched import overstretched
from ..parts.articulation import Articulation
from ..rows.constrained_problem import NO, PERHAPS, ConstrainedProblem, Solution
from ..rows.constraint_rows import constrained_bodies, squared_motions
from ..rows.row_scales import row_scales
from .carried_rows import CarriedRows

# Of pivots of rows taken in the order given: a weak direction shows less in them than it does elsewhere (`PartialLDL`),
# so evidence is asked for long before one is as weak as it may be.
DOUBTFUL = 1e-6


def bbo(problem: ConstrainedProblem) -> Solution:
    """Hard constraints; those of each loop must be independent of one another."""
    loops = EliminatedLoops(problem, problem.idle, problem.e)
    a, change, lam = loops.roll_out(loops.present, None)
    free = lost_to_free_accelerations(loops.free_size, a, sqrt(maximum(loops.weakest, WEAKEST)))
    lost = maximum(loops.lost, free)
    joints = [(loops.joint[i], loops.y[i]) for i in problem.tree.outward()]
    doubtful = max(DOUBTFUL, HIDING * (problem.weakest or WEAKEST))
    unsure = where((loops.weakest < doubtful) | overstretched(problem, joints, lam), PERHAPS, NO)
    return Solution(a, lam, list(problem.residuals(change)), 1.0, loops.margins, lost=lost, unsure=unsure)


def prox_bbo(problem: ConstrainedProblem, start: Sequence[Scalar]) -> DampedLoops:
    """Loops eliminated with multipliers `start`, ready for iterations (proximal.py)."""
    return DampedLoops(problem, start)


YZ = tuple[dict[int, RowVector], dict[int, RowVector]]  # y by body, z by root


class EliminatedLoops:
    """All links and loops eliminated: joints, y, what passes each joint, and the roots."""

    def __init__(self, problem: ConstrainedProblem, damping: Sequence[Scalar], right: Sequence[Scalar]):
        # Algorithm 4
        tree, sweep = problem.tree, problem.sweep  # lines 1, 2: motion_sweep.py
        self.problem, self.carriers = problem, set(constrained_bodies(tree))
        every = range(len(problem.constraints))
        self.rows = rows = CarriedRows(problem, every, damping, right)  # lines 3-7: carried_rows.py
        IA = [inertia.articulated() for inertia in tree.lumped]
        self.loads = list(IA)  # when eliminated, without what loops add at their roots, which may be as stiff as mu
        pA = list(problem.wrenches)
        self.joint: list[Articulation] = [None] * len(tree.parent)  # type: ignore[list-item]
        self.y = [RowVector(())] * len(tree.parent)
        for i in tree.inward():  # line 8
            p, iv, S, X = tree.parent[i], tree.iv[i], sweep.S[i], sweep.X[i]
            self.loads[i] = IA[i]
            rows.meet(i, IA, pA)  # lines 9-11: carried_rows.py
            self.joint[i] = joint = Articulation(IA[i], S, tree.armature[i])  # line 12
            self.y[i] = y = joint.D.solve(problem.tau[iv] - S.project(pA[i]))
            rows.pass_joint(i, joint, X, y, {})  # lines 13-15: carried_rows.py
            IA[p] = IA[p] + X.congruence(joint.inertia_felt(IA[i]))  # lines 16, 17
            pA[p] = pA[p] + X.T @ joint.force_felt(pA[i], y, problem.tau[iv])
        self.loads[0] = IA[0]
        rows.meet(0, IA, pA)
        self.root = rows.root

    @property
    def lost(self) -> Scalar:
        return lost_to_masses(self.problem.tree, self.loads, self.joint)

    @property
    def free_size(self) -> Scalar:
        """The largest joint acceleration without constraints, about."""
        return RowVector(abs(x) for y in self.y for x in y).largest

    @property
    def strengths(self) -> list[Scalar]:
        """Of every row its pivot over its size: what it has, and what it usually has."""
        usual = row_scales(self.problem.tree.model)
        return [
            pivot / (entry + float(usual[r]))
            for root in self.root.values()
            for r, pivot, entry in zip(root.rows, root.factor.pivots, root.factor.diagonal, strict=True)
        ]

    @property
    def weakest(self) -> Scalar:
        return -RowVector(-x for x in self.strengths).largest if self.strengths else 1.0

    @property
    def margins(self) -> list[Scalar]:
        """Not positive where rows are dependent, whatever else is found out."""
        return [strength - WEAKEST for strength in self.strengths]

    @property
    def present(self) -> YZ:
        return dict(enumerate(self.y)), {i: root.z for i, root in self.root.items()}

    def roll_out(self, state: YZ, bodies: set[int] | None) -> tuple[list[Scalar], list[Motion], list[Scalar]]:
        """(joint accelerations, changes of the bodies' accelerations, multipliers), from the ground to the tips."""
        tree, sweep = self.problem.tree, self.problem.sweep
        y, z = state
        a: list[Scalar] = [0.0] * tree.nv
        lam: list[Scalar] = [0.0] * len(self.problem.rows)
        change = [Motion.zero()] * len(tree.parent)
        self.rows.find(0, change[0], z, lam)
        for i in tree.outward():  # line 18
            if bodies is not None and i not in bodies:
                continue
            carried = sweep.X[i] @ change[tree.parent[i]]
            rates = self.rows.rates(i, self.joint[i].rates(y[i], carried), lam)  # lines 19, 20: carried_rows.py
            a[tree.iv[i]], change[i] = rates, sweep.S[i].add_motion(carried, rates)  # line 21
            self.rows.find(i, change[i], z, lam)  # lines 22, 23: carried_rows.py
        return a, change, lam

    def swept(self, right: Sequence[Scalar]) -> YZ:
        """Algorithm 5, its first sweep: what a change of the right-hand sides does to y and z, the elimination above of
        those alone."""
        tree, sweep, carriers = self.problem.tree, self.problem.sweep, self.carriers
        right = list(right)
        changes: YZ = ({}, {})
        wrench = {i: Force.zero() for i in (0, *carriers)}  # Algorithm 6, lines 3, 4
        for i in (*sorted(carriers, reverse=True), 0):  # Algorithm 5, line 1
            if i in self.root:  # line 2
                changes[1][i], pull = self.rows.change_at_root(i, right)  # line 3: carried_rows.py
                wrench[i] = wrench[i] + pull
            if not i:
                break
            joint, p = self.joint[i], tree.parent[i]
            changes[0][i] = dy = joint.D.solve(-sweep.S[i].project(wrench[i]))  # line 4
            self.rows.change_at_joint(i, dy, right)  # lines 5, 6: carried_rows.py
            wrench[p] = wrench[p] + sweep.X[i].T @ joint.force_felt(wrench[i], dy)  # lines 7, 8
        return changes


class DampedLoops:
    """Each iteration pulls the multipliers to the last ones, K a - lam/mu = e - lam_last/mu, so that K a - e is
    (lam - lam_last)/mu. `inner` are the accelerations."""

    pivots: Sequence[Scalar] = ()
    squares = True
    beside_free = False

    def __init__(self, problem: ConstrainedProblem, start: Sequence[Scalar]):
        self.problem, self.lam = problem, RowVector(start)
        self.damping = RowVector(1.0 / m for m in problem.mu)
        self.loops = EliminatedLoops(problem, self.damping, problem.e - self.damping * self.lam)
        self.y, self.z = self.loops.present
        self._change: list[Motion] = []

    @property
    def lost(self) -> Scalar:
        return self.loops.lost

    @property
    def free_size(self) -> Scalar:
        return self.loops.free_size

    def residuals(self) -> RowVector:
        _, _, new = self.loops.roll_out((self.y, self.z), self.loops.carriers)
        return self.damping * (RowVector(new) - self.lam)

    def push(self, step: RowVector) -> None:
        dy, dz = self.loops.swept(-(self.damping * step))
        self.y = {i: y + dy[i] if i in dy else y for i, y in self.y.items()}
        self.z = {i: z + dz[i] for i, z in self.z.items()}
        self.lam = self.lam + step

    def solution(self) -> tuple[list[Scalar], RowVector]:
        a, self._change, _ = self.loops.roll_out((self.y, self.z), None)
        return a, self.problem.residuals(self._change)

    def response(self, step: RowVector, *, whole: bool = True) -> tuple[list[Scalar], RowVector]:
        """Algorithm 5: both sweeps, of a change of the right-hand sides."""
        dy, dz = self.loops.swept(-(self.damping * step))  # Algorithm 6, lines 5, 6
        still = {i: dy[i] if i in dy else RowVector.zeros(len(y)) for i, y in self.y.items()}
        bodies = None if whole else self.loops.carriers
        a, _, new = self.loops.roll_out((still, dz), bodies)  # Algorithm 5, lines 9-16: roll_out
        return a, self.damping * (RowVector(new) - step)

    def sizes(self) -> tuple[Scalar, Scalar]:
        return squared_motions(self.problem.constraints, self._change)

    def finish(self, inner: list[Scalar], lam: RowVector, residuals: RowVector) -> tuple[list[Scalar], list[Scalar]]:
        return inner, list(residuals)
