"""Loop-constrained articulated-body algorithm (LCABA): constrainedABA on a graph.

[Sathya2025] Algorithms 1-3. A loop closure couples the inertias of the two links it is between: H[j, i] is the force on
link j per acceleration of link i. Eliminating link i hands its couplings on to its parent and to its neighbours; lines
marked `loops` are what constrainedABA does not have. Body frames, with the exact zeros of articulation.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from ..scalar import Scalar
from ..spatial import ArticulatedInertia, Force, Motion, sum_of
from .articulation import Articulation
from .constrained_aba import combine
from .constrained_problem import ConstrainedProblem, Iterations, Solution
from .constraint_rows import constrained_bodies, penalty_inertia
from .elimination import elimination_order

Block = list[Force]  # one row per component of the force on j, each a covector on the motions of i


def lcaba(problem: ConstrainedProblem, iterations: Iterations, start: Sequence[Scalar] | None = None) -> Solution:
    """Solve to the end of `iterations`, from multipliers `start` (zero if None)."""
    tree = problem.tree
    lam: list[Scalar] = list(start) if start is not None else [0.0] * len(problem.rows)
    graph = _EliminatedGraph(problem, lam)
    carriers = set(constrained_bodies(tree))
    residuals, used = graph.residuals(carriers), 1.0
    lam = [x + m * r for x, m, r in zip(lam, problem.mu, residuals, strict=True)]
    for _ in range(iterations.limit - 1):
        running = iterations.running(residuals)
        graph.push([m * r * running for m, r in zip(problem.mu, residuals, strict=True)], carriers)
        residuals, used = graph.residuals(carriers), used + running
        lam = [x + m * r * running for x, m, r in zip(lam, problem.mu, residuals, strict=True)]
    a, _ = graph.accelerate()
    pivots = [pivot for i in tree.outward() for pivot in graph.joint[i].D.pivots]
    return Solution(a, lam, residuals, used, pivots)


class Couplings:
    """H[j, i], each pair kept once."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[int, int], Block] = {}

    def get(self, j: int, i: int) -> Block:
        return self._blocks[j, i] if (j, i) in self._blocks else transposed(self._blocks[i, j])

    def add(self, j: int, i: int, block: Block) -> None:
        if (i, j) in self._blocks:
            j, i, block = i, j, transposed(block)
        old = self._blocks.get((j, i))
        self._blocks[j, i] = block if old is None else [a + b for a, b in zip(old, block, strict=True)]


def transposed(block: Block) -> Block:
    return [Force.of(row[k] for row in block) for k in range(6)]


class _EliminatedGraph:
    """All links eliminated, tips first: joints, y, and the couplings W = H S each had to its neighbours."""

    def __init__(self, problem: ConstrainedProblem, lam: Sequence[Scalar]):
        tree, sweep = problem.tree, problem.sweep
        self.problem, self.order = problem, elimination_order(tree)
        IA = [inertia.articulated() for inertia in tree.lumped]
        pA, H = list(problem.wrenches), Couplings()
        for c, own in zip(problem.constraints, problem.split(lam), strict=True):
            pull = [x - m * e for x, m, e in zip(own, c.mu, c.e, strict=True)]
            for body, K in c.terms:
                IA[body] = IA[body] + penalty_inertia(K, c.mu)
                pA[body] = pA[body] + combine(K, pull)
            for (one, K1), (two, K2) in combinations(c.terms, 2):  # loops
                H.add(one, two, _penalty_coupling(K1, K2, c.mu))

        n = len(tree.parent)
        self.joint: list[Articulation] = [None] * n  # type: ignore[list-item]
        self.y: list[list[Scalar]] = [[]] * n
        self.W: dict[tuple[int, int], list[list[Scalar]]] = {}  # W[j, i], 6 x nv of joint i
        self.solved: dict[tuple[int, int], list[list[Scalar]]] = {}  # (D^-1 W')' likewise
        for i, neighbours in self.order:
            p, iv, S, X = tree.parent[i], tree.iv[i], sweep.S[i], sweep.X[i]
            self.joint[i] = joint = Articulation(IA[i], S, tree.armature[i])
            self.y[i] = y = joint.D.solve([t - s for t, s in zip(problem.tau[iv], S.project(pA[i]), strict=True)])
            blocks = {j: H.get(j, i) for j in neighbours}
            for j, block in blocks.items():  # loops
                self.W[j, i] = W = [S.project(row) for row in block]
                self.solved[j, i] = [joint.D.solve(w) for w in W]
                pA[j] = pA[j] + _times(W, y)
            for j in neighbours:  # loops
                IA[j] = IA[j] + _reduction(self.W[j, i], self.solved[j, i])
                for k in neighbours:
                    if k < j:
                        H.add(j, k, _coupling(self.W[j, i], self.solved[k, i]))
            if not p:
                continue
            IA[p] = IA[p] + X.congruence(joint.inertia_felt(IA[i]))
            pA[p] = pA[p] + X.T @ joint.force_felt(pA[i], y, problem.tau[iv])
            nothing = [0.0] * len(y)
            for j, block in blocks.items():  # loops
                felt = [
                    X.T @ joint.force_felt(row, [-x for x in solved], nothing)
                    for row, solved in zip(block, self.solved[j, i], strict=True)
                ]
                if j == p:
                    both = ArticulatedInertia.from_function(lambda r, s, B=felt: B[r][s] + B[s][r])
                    IA[p] = IA[p] + both
                else:
                    H.add(j, p, felt)

    def accelerate(self, bodies: set[int] | None = None) -> tuple[list[Scalar], list[Motion]]:
        """Roll-out over all links, or some that hold their own ancestors and neighbours."""
        tree, sweep = self.problem.tree, self.problem.sweep
        a: list[Scalar] = [0.0] * tree.nv
        change = [Motion.zero()] * len(tree.parent)
        for i, neighbours in reversed(self.order):
            if bodies is not None and i not in bodies:
                continue
            carried = sweep.X[i] @ change[tree.parent[i]]
            rates = self.joint[i].rates(self.y[i], carried)
            for j in neighbours:  # loops
                for r, solved in enumerate(self.solved[j, i]):
                    rates = [x - s * change[j][r] for x, s in zip(rates, solved, strict=True)]
            a[tree.iv[i]] = rates
            change[i] = sweep.S[i].add_motion(carried, rates)
        return a, change

    def residuals(self, carriers: set[int]) -> list[Scalar]:
        _, change = self.accelerate(carriers)
        return [r for c in self.problem.constraints for r in c.residual(change)]

    def push(self, step: Sequence[Scalar], carriers: set[int]) -> None:
        """What a change of the multipliers does to y: the sweep above with a wrench alone."""
        tree, sweep = self.problem.tree, self.problem.sweep
        wrench = {i: Force.zero() for i in (0, *carriers)}
        for c, own in zip(self.problem.constraints, self.problem.split(step), strict=True):
            for body, K in c.terms:
                wrench[body] = wrench[body] + combine(K, own)
        for i, neighbours in self.order:
            if i not in carriers:
                continue
            p, joint = tree.parent[i], self.joint[i]
            dy = joint.D.solve([-s for s in sweep.S[i].project(wrench[i])])
            self.y[i] = [x + d for x, d in zip(self.y[i], dy, strict=True)]
            for j in neighbours:  # loops
                wrench[j] = wrench[j] + _times(self.W[j, i], dy)
            wrench[p] = wrench[p] + sweep.X[i].T @ joint.force_felt(wrench[i], dy, [0.0] * len(dy))


def _penalty_coupling(K: Sequence[Force], other: Sequence[Force], mu: Sequence[Scalar]) -> Block:
    """K' mu K of two bodies."""
    scaled = [row * m for row, m in zip(other, mu, strict=True)]
    return [sum_of(other * row[r] for row, other in zip(K, scaled, strict=True)) for r in range(6)]


def _times(W: Sequence[Sequence[Scalar]], y: Sequence[Scalar]) -> Force:
    return Force.of(sum_of(w * x for w, x in zip(row, y, strict=True)) for row in W)


def _reduction(W, solved) -> ArticulatedInertia:
    """-W D^-1 W'."""
    return ArticulatedInertia.from_function(lambda r, s: -sum_of(w * x for w, x in zip(W[r], solved[s], strict=True)))


def _coupling(W, solved) -> Block:
    """-W_j D^-1 W_k'."""
    return [Force.of(-sum_of(w * x for w, x in zip(row, column, strict=True)) for column in solved) for row in W]
