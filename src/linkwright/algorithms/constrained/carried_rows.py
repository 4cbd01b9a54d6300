"""Constraint rows whose multipliers are eliminated at roots: carried inward with the links, they gather in L what they
let move.

[Sathya2025] Algorithms 4 and 5, what they do with constraints. A row goes no further than its root, the last body that
all of its bodies hang on; there its multiplier becomes part of the root's inertia. On a graph whose links are coupled
(lcaba.py) a row spreads to the neighbours of the links it passes, and waits until it is on one link alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...model import Tree
from ...model.loops import loop_root
from ...scalar import Scalar
from ...spatial import LDL, ArticulatedInertia, Force, Motion, RowVector, Transform, dot, sum_of
from ..parts.articulation import Articulation
from ..rows.constrained_problem import ConstrainedProblem
from ..rows.constraint_rows import combine
from ..rows.passing_rows import Passing, add_row

Spreading = dict[int, Callable[[Sequence[Scalar]], Force]]  # by neighbour, W = H S times what is given


def roots(tree: Tree) -> list[int]:
    """Of each constraint, the body where its multipliers are eliminated; 0 is the ground.

    Constraints that hold bodies relative to the world reach the ground, as in PV.
    """
    return [loop_root(tree.model, constraint) for constraint in tree.constraints]


class Root:
    """Rows R eliminated at a body, in terms of its acceleration a and of the multipliers of the rows U that pass on:
    lam_R = GK a - GU lam_U - z.
    """

    def __init__(self, rows: list[int], others: list[int], K: Mapping[int, Force], L, right: Sequence[Scalar]):
        self.rows, self.others = rows, others
        self.K = [K[r] for r in rows]
        self.factor = LDL([[L[r, s] for s in rows] for r in rows])
        columns = [self.factor.solve([row[k] for row in self.K]) for k in range(6)]
        self.GK = [Force.of(column[k] for column in columns) for k in range(len(rows))]
        self.across = [RowVector(L[u, r] for r in rows) for u in others]
        self.GU = [self.factor.solve(entries) for entries in self.across]  # by row of U
        self.z = self.factor.solve([right[r] for r in rows])

    @property
    def inertia(self) -> ArticulatedInertia:
        """K' L^-1 K: what the loop's resistance adds to the body."""
        return ArticulatedInertia.from_function(
            lambda r, s: sum_of(row[r] * g[s] for row, g in zip(self.K, self.GK, strict=True))
        )

    def multipliers(self, a: Motion, lam: Sequence[Scalar], z: Sequence[Scalar]) -> list[Scalar]:
        return [
            self.GK[k].dot(a) - z[k] - dot((g[k] for g in self.GU), (lam[u] for u in self.others))
            for k in range(len(self.rows))
        ]


class CarriedRows:
    """Rows of some constraints, by number, on their way.

    numbers          of their constraints
    damping, right   of every row of the problem: its diagonal entry of L, and what K a is to be
    K                rows on each body that is not eliminated yet
    root, passing    by body, what was eliminated there, and what passed its joint
    """

    def __init__(
        self, problem: ConstrainedProblem, numbers: Sequence[int], damping: Sequence[Scalar], right: Sequence[Scalar]
    ):  # fmt: skip
        tree = problem.tree
        self.tree, self.right = tree, list(right)
        # Algorithm 4; `_waiting` and K, which hold what has not been eliminated, are its sets R and N
        self.K: list[dict[int, Force]] = [{} for _ in tree.parent]  # line 3
        self.root: dict[int, Root] = {}
        self.passing: dict[int, Passing] = {}
        self._waiting: dict[int, int] = {}  # row -> the root of its constraint
        self.numbers, row = frozenset(numbers), 0
        for number, (c, root) in enumerate(zip(problem.constraints, roots(tree), strict=True)):  # line 4
            own = range(row, row + c.size)
            row += c.size
            if number not in self.numbers:
                continue
            self._waiting.update(dict.fromkeys(own, root))
            for body, rows in c.terms:
                for r, covector in zip(own, rows, strict=True):
                    add_row(self.K[body], r, covector)  # lines 5, 7
        everyone = self._waiting
        self.L: dict[tuple[int, int], Scalar] = {
            (r, s): damping[r] if r == s else 0.0 for r in everyone for s in everyone  # line 6
        }
        self._met = {r: {r} for r in everyone}  # rows that L couples it to

    def meet(self, i: int, IA: list[ArticulatedInertia], pA: list[Force]) -> None:
        """Eliminate at body i the rows that are there alone and have their roots no further in."""
        rows = [r for r, root in self._waiting.items() if self._is_past(i, root) and self._is_alone(r, i)]
        if not rows:  # line 9
            return
        K, L, right = self.K[i], self.L, self.right
        for r in rows:
            del self._waiting[r]  # line 10
        others = sorted({u for r in rows for u in self._met[r]} & set(self._waiting) | set(K) & set(self._waiting))
        K.update({r: Force.zero() for r in rows if r not in K})
        self.root[i] = root = Root(rows, others, K, L, right)  # line 11, eq. (52)
        IA[i] = IA[i] + root.inertia
        pA[i] = pA[i] - combine(root.K, root.z)
        for u, across, G in zip(others, root.across, root.GU, strict=True):
            add_row(K, u, -combine(root.GK, across))
            right[u] = right[u] - across @ root.z
            for w, entries in zip(others, root.across, strict=True):
                if w <= u:
                    L[u, w] = L[w, u] = L[u, w] - G @ entries
        self._have_met(others)
        for r in rows:
            del K[r]

    def pass_joint(self, i: int, joint: Articulation, X: Transform, y: Sequence[Scalar], spreading: Spreading) -> None:
        """Eliminate link i: its rows go on to its parent, and spread to its neighbours."""
        left, right = sorted(self.K[i]), self.right
        if not left:  # line 13
            return
        self.passing[i] = through = Passing(joint, left, [self.K[i][r] for r in left])
        for a, r in enumerate(left):
            right[r] = right[r] - through.KS[a] @ y  # line 15, eq. (46e)
            for b, s in enumerate(left[: a + 1]):
                self.L[r, s] = self.L[s, r] = self.L[r, s] + through.KS[a] @ through.solved[b]
            felt = joint.force_felt(self.K[i][r], -through.solved[a])
            add_row(self.K[self.tree.parent[i]], r, X.T @ felt)  # lines 14, 15, eq. (46c)
            for j, times in spreading.items():
                add_row(self.K[j], r, -times(through.solved[a]))
        self._have_met(left)
        self.K[i] = {}

    def _is_past(self, i: int, root: int) -> bool:
        return i == 0 or i in self.tree.graph.support[root]

    def _is_alone(self, r: int, i: int) -> bool:
        return all(r not in rows for body, rows in enumerate(self.K) if body != i)

    def _have_met(self, rows: Sequence[int]) -> None:
        for r in rows:
            self._met[r] |= set(rows)

    @property
    def z(self) -> dict[int, RowVector]:
        """By root."""
        return {i: root.z for i, root in self.root.items()}

    def rates(self, i: int, rates: RowVector, lam: Sequence[Scalar]) -> RowVector:
        """Joint accelerations with the multipliers of what passed the joint in place."""
        if i in self.passing:  # line 19
            through = self.passing[i]
            for r, solved in zip(through.rows, through.solved, strict=True):
                rates = rates - solved * lam[r]  # line 20
        return rates

    def find(self, i: int, a: Motion, z: Mapping[int, Sequence[Scalar]], lam: list[Scalar]) -> None:
        """Multipliers eliminated at body i, from its acceleration, among those found before."""
        if i in self.root:  # line 22
            root = self.root[i]
            for r, x in zip(root.rows, root.multipliers(a, lam, z[i]), strict=True):  # line 23
                lam[r] = x

    def change_at_root(self, i: int, right: list[Scalar]) -> tuple[RowVector, Force]:
        """(z, the wrench on body i) of a change of right-hand sides, at the root there."""
        # Algorithm 5
        root = self.root[i]
        dz = root.factor.solve([right[r] for r in root.rows])
        for u, across in zip(root.others, root.across, strict=True):
            right[u] = right[u] - across @ dz  # line 3
        return dz, -combine(root.K, dz)

    def change_at_joint(self, i: int, dy: Sequence[Scalar], right: list[Scalar]) -> None:
        if i in self.passing:  # line 5
            for r, KS in zip(self.passing[i].rows, self.passing[i].KS, strict=True):
                right[r] = right[r] - KS @ dy  # line 6
