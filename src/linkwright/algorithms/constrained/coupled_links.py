"""What LCABA's links are before any is eliminated, and what couples them while they are.

[Sathya2025] Algorithm 1, lines 4-10. A closure between two links adds penalties to their inertias and a block H[j, i],
the force on link j per acceleration of link i. One of few rows stays a spring (loop_spring.py) for as long as it can,
because passing a joint costs it less than it costs a block of 6 x 6; that is not in the paper, and the same numbers
come out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

from ...scalar import Scalar
from ...spatial import ArticulatedInertia, Force
from ..rows import Terms
from ..rows.constrained_problem import ConstrainedProblem
from ..rows.constraint_rows import combine, penalty_inertia
from .loop_spring import FULL, LoopSpring

Block = list[Force]  # one row per component of the force on j, each a covector on the motions of i


@dataclass(frozen=True)
class PenaltyBlock:
    """Rows on bodies with a full matrix as their penalty: a contact, a tendon.

    matrix   of the rows, and pull, the forces at zero acceleration, reversed
    inertia  K' matrix K of the rows K on a body
    """

    terms: Terms
    matrix: Callable[[], list[list[Scalar]]]
    pull: Sequence[Scalar]
    inertia: Callable[[int, Sequence[Force]], ArticulatedInertia]


@dataclass(frozen=True)
class BodyPenalty:
    """Penalties on one body added up: the force on it is -(inertia a + wrench)."""

    body: int
    inertia: ArticulatedInertia
    wrench: Force


class Couplings:
    """H[j, i] of Algorithm 1, each pair kept once."""

    def __init__(self) -> None:
        self._blocks: dict[tuple[int, int], Block] = {}

    def get(self, j: int, i: int) -> Block:
        return self._blocks[j, i] if (j, i) in self._blocks else transposed(self._blocks[i, j])

    def couples(self, j: int, i: int) -> bool:
        return (j, i) in self._blocks or (i, j) in self._blocks

    def add(self, j: int, i: int, block: Block) -> None:
        if (i, j) in self._blocks:
            j, i, block = i, j, transposed(block)
        old = self._blocks.get((j, i))  # lines 6, 7, 17
        self._blocks[j, i] = block if old is None else [a + b for a, b in zip(old, block, strict=True)]


def transposed(block: Block) -> Block:
    return [Force.of(row[k] for row in block) for k in range(6)]


class CoupledLinks:
    """What is left of the graph while links are being eliminated; `but`: constraints that are none of its own."""

    def __init__(
        self, problem: ConstrainedProblem, lam: Sequence[Scalar], order: Sequence[int],
        blocks: Sequence[PenaltyBlock | BodyPenalty], but: Collection[int] = (),
    ):  # fmt: skip
        self.IA = [inertia.articulated() for inertia in problem.tree.lumped]
        self.pA, self.H = list(problem.wrenches), Couplings()
        self.springs: dict[int, list[LoopSpring]] = {}  # by the link at the moving end, which goes first
        turn = {i: k for k, i in enumerate(order)}
        for number, (c, own) in enumerate(problem.of_each(lam)):  # line 4
            if number in but:
                continue
            pull = own - c.mu * c.e
            terms = sorted((term for term in c.terms if term[0]), key=lambda term: turn[term[0]])
            as_spring = len(terms) == 2 and c.size < FULL
            for body, K in terms[:1] if as_spring else terms:
                self.IA[body] = self.IA[body] + penalty_inertia(K, c.mu)  # line 5
                self.pA[body] = self.pA[body] + combine(K, pull)  # lines 9, 10
            if as_spring:  # loops
                (near, K1), (far, K2) = terms
                self.springs.setdefault(near, []).append(LoopSpring.of_penalties(far, K2, K1, c.mu, pull))
                continue
            for (one, K1), (two, K2) in combinations(terms, 2):  # loops
                self.H.add(one, two, _penalty_coupling(K1, K2, c.mu))  # line 9
        for block in blocks:
            if isinstance(block, BodyPenalty):
                self.IA[block.body] = self.IA[block.body] + block.inertia
                self.pA[block.body] = self.pA[block.body] + block.wrench
            else:
                self._add(block, turn)

    def _add(self, block: PenaltyBlock, turn: dict[int, int]) -> None:
        """As above, with a matrix in the place of mu."""
        terms = sorted(block.terms, key=lambda term: turn[term[0]])
        as_spring = len(terms) == 2 and len(block.pull) < FULL
        for body, K in terms[:1] if as_spring else terms:
            self.IA[body] = self.IA[body] + block.inertia(body, K)
            self.pA[body] = self.pA[body] + combine(K, block.pull)
        for (near, K1), (far, K2) in combinations(terms, 2):  # loops
            matrix = block.matrix()
            felt = [combine(K1, row) for row in matrix]
            if as_spring:
                self.springs.setdefault(near, []).append(LoopSpring(far, K2, felt, matrix, block.pull))
            else:
                self.H.add(far, near, [combine(felt, [row[r] for row in K2]) for r in range(6)])

    def settle(self, spring: LoopSpring, i: int) -> None:
        """Write a spring from link i out as a block; at the ground nothing is left to couple."""
        j = spring.anchor
        self.IA[j] = self.IA[j] + spring.inertia
        self.pA[j] = self.pA[j] + spring.wrench(spring.b)
        if i:
            self.couple(j, i, spring.block)

    def couple(self, j: int, i: int, block: Block) -> None:
        """Add to H[j, i]; what couples a link to itself is inertia."""
        if i == j:  # line 20
            both = ArticulatedInertia.from_function(lambda r, s: block[r][s] + block[s][r])
            self.IA[i] = self.IA[i] + both  # line 21
        else:
            self.H.add(j, i, block)

    def travelling(self, i: int, neighbours: Sequence[int]) -> LoopSpring | None:
        """The spring at link i that can pass its joint as it is; all others at i are settled."""
        for holder in list(self.springs):
            for spring in [spring for spring in self.springs[holder] if spring.anchor == i]:
                self.springs[holder].remove(spring)
                self.settle(spring, holder)
        own = self.springs.pop(i, [])
        if len(own) == 1 and tuple(neighbours) == (own[0].anchor,) and not self.H.couples(i, own[0].anchor):
            return own[0]
        for spring in own:
            self.settle(spring, i)
        return None


def _penalty_coupling(K: Sequence[Force], other: Sequence[Force], mu: Sequence[Scalar]) -> Block:
    """K' mu K of two bodies."""
    scaled = [row * m for row, m in zip(other, mu, strict=True)]
    return [combine(scaled, [row[r] for row in K]) for r in range(6)]
