"""Loop-constrained articulated-body algorithm (LCABA): constrainedABA on a graph.

[Sathya2025] Algorithms 1-3, with their line numbers. A constraint couples the inertias of the links it is between:
H[j, i] is the force on link j per acceleration of link i. Eliminating link i hands its couplings on to its parent and
to its neighbours; lines marked `loops` are what constrainedABA does not have. Those marked `springs` are not in the
paper: a constraint of few rows passes joints in a cheaper form (coupled_links.py). Nor are those marked `multipliers`,
which do nothing here: there constraints that are carried as proxBBO carries them join in (mixed.py). Body frames, with
the exact zeros of articulation.py. The iterations of Algorithm 3 are those of proximal.py, on the two sweeps at the end
of this file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from ...scalar import Scalar
from ...spatial import ArticulatedInertia, Force, Motion, sum_of
from ..convergence.swept_bodies import SweptBodies
from ..parts.articulation import Articulation
from ..rows.constrained_problem import ConstrainedProblem
from ..rows.constraint_rows import combine, constrained_bodies
from .carried_rows import CarriedRows
from .coupled_links import Block, BodyPenalty, CoupledLinks, PenaltyBlock
from .elimination_order import elimination_order
from .loop_spring import LoopSpring, SpringPassage


def lcaba(problem: ConstrainedProblem, start: Sequence[Scalar]) -> SweptBodies:
    """The graph, eliminated with multipliers `start`, ready for iterations."""
    return SweptBodies(EliminatedGraph(problem, start))


class EliminatedGraph:
    """All links eliminated, tips first: joints, y, and the couplings W = H S each had to its neighbours."""

    def __init__(
        self, problem: ConstrainedProblem, lam: Sequence[Scalar], blocks: Sequence[PenaltyBlock | BodyPenalty] = (),
        rows: CarriedRows | None = None,
    ):  # fmt: skip
        tree, sweep = problem.tree, problem.sweep
        self.problem, self.order = problem, []
        self.carriers = set(constrained_bodies(tree))
        self.rows = rows = CarriedRows(problem, (), (), ()) if rows is None else rows
        order = elimination_order(tree, rows.numbers, problem.ties)
        # Algorithm 1, lines 1-10
        links = CoupledLinks(problem, lam, [i for i, _ in order], blocks, rows.numbers)
        IA, pA, H = links.IA, links.pA, links.H
        self.IA = IA

        n = len(tree.parent)
        self.joint: list[Articulation] = [None] * n  # type: ignore[list-item]
        self.y: list[list[Scalar]] = [[]] * n
        self.W: dict[tuple[int, int], list[list[Scalar]]] = {}  # W[j, i], 6 x nv of joint i
        self.solved: dict[tuple[int, int], list[list[Scalar]]] = {}  # (D^-1 W')' likewise
        self.passages: dict[int, SpringPassage] = {}
        for i, neighbours in order:  # lines 11-23
            p, iv, S, X = tree.parent[i], tree.iv[i], sweep.S[i], sweep.X[i]
            spring = links.travelling(i, neighbours)  # springs
            self.order.append((i, () if spring else neighbours))
            rows.meet(i, IA, pA)  # multipliers
            self.joint[i] = joint = Articulation(IA[i], S, tree.armature[i])  # line 12
            self.y[i] = y = joint.D.solve([t - s for t, s in zip(problem.tau[iv], S.project(pA[i]), strict=True)])
            if p:  # lines 22, 23
                IA[p] = IA[p] + X.congruence(joint.inertia_felt(IA[i]))
                pA[p] = pA[p] + X.T @ joint.force_felt(pA[i], y, problem.tau[iv])
            if spring:  # springs
                self.passages[i] = spring.pass_joint(joint, X, y)
                rows.pass_joint(i, joint, X, y, {spring.anchor: self.passages[i].felt})  # multipliers
                if p in (0, spring.anchor):
                    links.settle(spring, p)
                else:
                    links.springs.setdefault(p, []).append(spring)
                continue
            couplings = {j: H.get(j, i) for j in neighbours}
            for j, block in couplings.items():  # loops: lines 13, 19, eq. (30e)
                self.W[j, i] = W = [S.project(row) for row in block]
                self.solved[j, i] = [joint.D.solve(w) for w in W]
                pA[j] = pA[j] + _times(W, y)
            for j in neighbours:  # loops: lines 14-19, eq. (30d)
                IA[j] = IA[j] + _reduction(self.W[j, i], self.solved[j, i])
                for k in neighbours:
                    if k < j:
                        H.add(j, k, _coupling(self.W[j, i], self.solved[k, i]))
            nothing = [0.0] * len(y)
            for j, block in couplings.items() if p else ():  # loops: lines 16-21, eq. (30c)
                felt = [
                    X.T @ joint.force_felt(row, [-x for x in solved], nothing)
                    for row, solved in zip(block, self.solved[j, i], strict=True)
                ]
                links.couple(j, p, felt)
            rows.pass_joint(i, joint, X, y, {j: partial(_times, self.W[j, i]) for j in neighbours})  # multipliers
        rows.meet(0, IA, pA)  # multipliers

    def accelerate(self, y: Sequence[list[Scalar]], bodies: set[int] | None) -> tuple[list[Scalar], list[Motion]]:
        """Lines 24-26: roll-out over all links, or some that hold their own ancestors and neighbours."""
        return self.roll_out(y, {}, bodies)[:2]

    def roll_out(
        self, y: Sequence[list[Scalar]], z: Mapping[int, Sequence[Scalar]], bodies: set[int] | None
    ) -> tuple[list[Scalar], list[Motion], list[Scalar]]:
        """The same, and the multipliers of carried rows, whose roots have z."""
        tree, sweep = self.problem.tree, self.problem.sweep
        a: list[Scalar] = [0.0] * tree.nv
        lam: list[Scalar] = [0.0] * sum(c.size for c in self.problem.constraints)
        change = [Motion.zero()] * len(tree.parent)
        self.rows.find(0, change[0], z, lam)  # multipliers
        for i, neighbours in reversed(self.order):
            if bodies is not None and i not in bodies:
                continue
            carried = sweep.X[i] @ change[tree.parent[i]]
            rates = self.joint[i].rates(y[i], carried)
            if i in self.passages:  # springs
                rates = self.passages[i].rates(rates, change)
            for j in neighbours:  # loops: line 25
                for r, solved in enumerate(self.solved[j, i]):
                    rates = [x - s * change[j][r] for x, s in zip(rates, solved, strict=True)]
            rates = self.rows.rates(i, rates, lam)  # multipliers
            a[tree.iv[i]] = rates
            change[i] = sweep.S[i].add_motion(carried, rates)
            self.rows.find(i, change[i], z, lam)  # multipliers
        return a, change, lam

    def change_of_y(self, step: Sequence[Scalar]) -> dict[int, list[Scalar]]:
        """Algorithm 2, lines 1-6: what a change of the multipliers does to y, the sweep above with a wrench alone."""
        return self.swept(step, ())[0]

    def swept(
        self, step: Sequence[Scalar], right: Sequence[Scalar]
    ) -> tuple[dict[int, list[Scalar]], dict[int, list[Scalar]]]:
        """(y by body, z by root): the same, and what changes of carried rows' right-hand sides do."""
        tree, sweep, carriers = self.problem.tree, self.problem.sweep, self.carriers
        changes: dict[int, list[Scalar]] = {}
        at_roots: dict[int, list[Scalar]] = {}
        right = list(right)
        wrench = {i: Force.zero() for i in (0, *carriers)}
        for number, (c, own) in enumerate(zip(self.problem.constraints, self.problem.split(step), strict=True)):
            for body, K in () if number in self.rows.numbers else c.terms:
                wrench[body] = wrench[body] + combine(K, own)
        pulls: dict[LoopSpring, list[Scalar]] = {}
        for i, neighbours in self.order:
            if i not in carriers:
                continue
            for spring, pull in pulls.items():  # springs
                if spring.anchor == i:
                    wrench[i] = wrench[i] + spring.wrench(pull)
            if i in self.rows.root:  # multipliers
                at_roots[i], pull_of_rows = self.rows.change_at_root(i, right)
                wrench[i] = wrench[i] + pull_of_rows
            p, joint = tree.parent[i], self.joint[i]
            changes[i] = dy = joint.D.solve([-s for s in sweep.S[i].project(wrench[i])])
            if i in self.passages:  # springs
                passage = self.passages[i]
                before = pulls.get(passage.spring, [0.0] * len(passage.GS))
                pulls[passage.spring] = [x + d for x, d in zip(before, passage.pull(dy), strict=True)]
            for j in neighbours:  # loops
                wrench[j] = wrench[j] + _times(self.W[j, i], dy)
            self.rows.change_at_joint(i, dy, right)  # multipliers
            wrench[p] = wrench[p] + sweep.X[i].T @ joint.force_felt(wrench[i], dy, [0.0] * len(dy))
        if 0 in self.rows.root:  # multipliers
            at_roots[0], _ = self.rows.change_at_root(0, right)
        return changes, at_roots

    @property
    def pivots(self) -> list[Scalar]:
        return [pivot for i in self.problem.tree.outward() for pivot in self.joint[i].D.pivots]


def _times(W: Sequence[Sequence[Scalar]], y: Sequence[Scalar]) -> Force:
    return Force.of(sum_of(w * x for w, x in zip(row, y, strict=True)) for row in W)


def _reduction(W, solved) -> ArticulatedInertia:
    """-W D^-1 W'."""
    return ArticulatedInertia.from_function(lambda r, s: -sum_of(w * x for w, x in zip(W[r], solved[s], strict=True)))


def _coupling(W, solved) -> Block:
    """-W_j D^-1 W_k'."""
    return [Force.of(-sum_of(w * x for w, x in zip(row, column, strict=True)) for column in solved) for row in W]
