"""Loop-constrained articulated-body algorithm (LCABA): constrainedABA on a graph.

[Sathya2025] Algorithms 1-3, with their line numbers. A constraint couples the inertias of the links it is between: H[j,
i] is the force on link j per acceleration of link i. Eliminating link i hands its couplings on to its parent and to its
neighbours; lines marked `loops` are what constrainedABA does not have. Those marked `springs` are not in the paper: a
constraint of few rows passes joints in a cheaper form (coupled_links.py). Nor are those marked `multipliers`, which do
nothing here: there constraints that are carried as proxBBO carries them join in (mixed.py). Body frames, with the exact
zeros of articulation.py. The iterations of Algorithm 3 are those of proximal.py, on two sweeps of swept_bodies.py:
`change_of_y` is the first of Algorithm 2, and its second is `accelerate` once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from ...scalar import Scalar
from ...spatial import ArticulatedInertia, Force, Motion, RowVector
from ..convergence.swept_bodies import SweptBodies
from ..parts.articulation import Articulation
from ..rows.constrained_problem import ConstrainedProblem
from ..rows.constraint_rows import combine, constrained_bodies
from .carried_rows import CarriedRows, Spreading
from .coupled_links import Block, BodyPenalty, CoupledLinks, PenaltyBlock
from .elimination_order import elimination_order
from .loop_spring import LoopSpring, SpringPassage


class EliminatedGraph:
    """All links eliminated, tips first: joints, y, and the couplings W = H S each had to its neighbours."""

    def __init__(
        self, problem: ConstrainedProblem, lam: Sequence[Scalar], blocks: Sequence[PenaltyBlock | BodyPenalty] = (),
        rows: CarriedRows | None = None,
    ):  # fmt: skip
        # Algorithm 1
        tree, sweep = problem.tree, problem.sweep  # lines 1, 2: motion_sweep.py
        self.problem, self.order = problem, []
        self.carriers = set(constrained_bodies(tree))
        self.rows = rows = CarriedRows(problem, (), (), ()) if rows is None else rows
        order = elimination_order(tree, rows.numbers, problem.ties)  # lines 3, 8: elimination_order.py
        turns = [i for i, _ in order]
        links = CoupledLinks(problem, lam, turns, blocks, rows.numbers)  # lines 4-7, 9, 10: coupled_links.py
        IA, pA, H = links.IA, links.pA, links.H
        self.IA = IA

        n = len(tree.parent)
        self.joint: list[Articulation] = [None] * n  # type: ignore[list-item]
        self.y = [RowVector(())] * n
        self.W: dict[tuple[int, int], list[RowVector]] = {}  # W[j, i], 6 x nv of joint i
        self.solved: dict[tuple[int, int], list[RowVector]] = {}  # (D^-1 W')' likewise
        self.passages: dict[int, SpringPassage] = {}
        for i, neighbours in order:  # line 11
            p, iv, S, X = tree.parent[i], tree.iv[i], sweep.S[i], sweep.X[i]
            spring = links.travelling(i, neighbours)  # springs
            self.order.append((i, () if spring else neighbours))
            rows.meet(i, IA, pA)  # multipliers
            self.joint[i] = joint = Articulation(IA[i], S, tree.armature[i])  # line 12
            self.y[i] = y = joint.D.solve(problem.tau[iv] - S.project(pA[i]))
            if p:  # lines 22, 23, early: ABA's part, before that of loops
                IA[p] = IA[p] + X.congruence(joint.inertia_felt(IA[i]))
                pA[p] = pA[p] + X.T @ joint.force_felt(pA[i], y, problem.tau[iv])
            spreading: Spreading = {}
            if spring:  # springs
                self.passages[i] = passage = spring.pass_joint(joint, X, y)
                spreading = {spring.anchor: passage.felt}
                if p in (0, spring.anchor):
                    links.settle(spring, p)
                else:
                    links.springs.setdefault(p, []).append(spring)
            elif neighbours:  # loops: line 13
                block = {j: H.get(j, i) for j in neighbours}
                # loops: lines 14-16, 18: elimination_order.py; line 17: coupled_links.py
                for j in neighbours:  # loops: line 19, eq. (30e)
                    self.W[j, i] = [S.project(row) for row in block[j]]
                    self.solved[j, i] = [joint.D.solve(w) for w in self.W[j, i]]
                    pA[j] = pA[j] + _times(self.W[j, i], y)
                    spreading[j] = partial(_times, self.W[j, i])
                for j in neighbours:  # loops: line 19, eq. (30d)
                    IA[j] = IA[j] + _reduction(self.W[j, i], self.solved[j, i])
                    for k in neighbours:
                        if k < j:
                            H.add(j, k, _coupling(self.W[j, i], self.solved[k, i]))
                for j in neighbours if p else ():  # loops: line 19, eq. (30c)
                    links.couple(j, p, [  # loops: lines 20, 21: coupled_links.py
                        X.T @ joint.force_felt(row, -solved)
                        for row, solved in zip(block[j], self.solved[j, i], strict=True)
                    ])  # fmt: skip
            rows.pass_joint(i, joint, X, y, spreading)  # multipliers
        rows.meet(0, IA, pA)  # multipliers

    def accelerate(self, y: Sequence[RowVector], bodies: set[int] | None) -> tuple[list[Scalar], list[Motion]]:
        """Roll-out over all links, or some that hold their own ancestors and neighbours."""
        return self.roll_out(y, {}, bodies)[:2]

    def roll_out(
        self, y: Sequence[RowVector], z: Mapping[int, Sequence[Scalar]], bodies: set[int] | None
    ) -> tuple[list[Scalar], list[Motion], list[Scalar]]:
        """The same, and the multipliers of carried rows, whose roots have z."""
        tree, sweep = self.problem.tree, self.problem.sweep
        a: list[Scalar] = [0.0] * tree.nv
        lam: list[Scalar] = [0.0] * sum(c.size for c in self.problem.constraints)
        change = [Motion.zero()] * len(tree.parent)
        self.rows.find(0, change[0], z, lam)  # multipliers
        for i, neighbours in reversed(self.order):  # line 24
            if bodies is not None and i not in bodies:
                continue
            carried = sweep.X[i] @ change[tree.parent[i]]
            rates = self.joint[i].rates(y[i], carried)
            if i in self.passages:  # springs
                rates = self.passages[i].rates(rates, change)
            for j in neighbours:  # loops
                for x, solved in zip(change[j], self.solved[j, i], strict=True):
                    rates = rates - solved * x  # line 25
            rates = self.rows.rates(i, rates, lam)  # multipliers
            a[tree.iv[i]], change[i] = rates, sweep.S[i].add_motion(carried, rates)  # line 26
            self.rows.find(i, change[i], z, lam)  # multipliers
        return a, change, lam

    def change_of_y(self, step: Sequence[Scalar]) -> dict[int, RowVector]:
        """Algorithm 2, first sweep: what a change of the multipliers does to y, the sweep above with a wrench alone."""
        return self.swept(step, ())[0]

    def swept(
        self, step: Sequence[Scalar], right: Sequence[Scalar]
    ) -> tuple[dict[int, RowVector], dict[int, RowVector]]:
        """(y by body, z by root): the same, and what changes of carried rows' right-hand sides do."""
        tree, sweep, carriers = self.problem.tree, self.problem.sweep, self.carriers
        changes: dict[int, RowVector] = {}
        at_roots: dict[int, RowVector] = {}
        right = list(right)
        wrench = {i: Force.zero() for i in (0, *carriers)}  # Algorithm 3, lines 3, 4
        for number, (c, own) in enumerate(self.problem.of_each(step)):
            for body, K in () if number in self.rows.numbers else c.terms:
                wrench[body] = wrench[body] + combine(K, own)  # Algorithm 3, lines 5, 7
        pulls: dict[LoopSpring, RowVector] = {}
        for i, neighbours in self.order:  # Algorithm 2, line 1
            if i not in carriers:
                continue
            for spring, pull in pulls.items():  # springs
                if spring.anchor == i:
                    wrench[i] = wrench[i] + spring.wrench(pull)
            if i in self.rows.root:  # multipliers
                at_roots[i], pull_of_rows = self.rows.change_at_root(i, right)
                wrench[i] = wrench[i] + pull_of_rows
            p, joint = tree.parent[i], self.joint[i]
            changes[i] = dy = joint.D.solve(-sweep.S[i].project(wrench[i]))  # line 2
            if i in self.passages:  # springs
                passage = self.passages[i]
                before = pulls.get(passage.spring, RowVector.zeros(len(passage.GS)))
                pulls[passage.spring] = before + passage.pull(dy)
            for j in neighbours:  # loops: line 3
                wrench[j] = wrench[j] + _times(self.W[j, i], dy)  # line 4
            self.rows.change_at_joint(i, dy, right)  # multipliers
            wrench[p] = wrench[p] + sweep.X[i].T @ joint.force_felt(wrench[i], dy)  # lines 5, 6
        if 0 in self.rows.root:  # multipliers
            at_roots[0], _ = self.rows.change_at_root(0, right)
        return changes, at_roots

    @property
    def pivots(self) -> list[Scalar]:
        return [pivot for i in self.problem.tree.outward() for pivot in self.joint[i].D.pivots]


def lcaba(problem: ConstrainedProblem, start: Sequence[Scalar]) -> SweptBodies:
    """The graph, eliminated with multipliers `start`, ready for iterations."""
    return SweptBodies(EliminatedGraph(problem, start))  # Algorithm 2, lines 7-12: swept_bodies.py


def _times(W: Sequence[RowVector], y: Sequence[Scalar]) -> Force:
    """W y."""
    return Force.of(row @ y for row in W)


def _reduction(W: Sequence[RowVector], solved: Sequence[RowVector]) -> ArticulatedInertia:
    """-W D^-1 W'."""
    return ArticulatedInertia.from_function(lambda r, s: -(W[r] @ solved[s]))


def _coupling(W: Sequence[RowVector], solved: Sequence[RowVector]) -> Block:
    """-W_j D^-1 W_k'."""
    return [Force.of(-(row @ column) for column in solved) for row in W]
