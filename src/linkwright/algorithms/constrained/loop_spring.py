"""A closure of few rows on its way through LCABA, kept as what it is: a spring between two links.

Its penalty couples link i to link j by K_j' mu K_i. As long as nothing else couples the two, eliminating link i changes
only what hangs on the rows K_j: the coupling stays K_j' G with as many rows, and what reaches link j, K_j' A K_j of
inertia and K_j' b of force, can wait until the end. Six rows make a full block, so only closures of fewer are kept so.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar
from ...spatial import ArticulatedInertia, Force, Motion, RowVector, Transform, sum_of
from ..parts.articulation import Articulation
from ..rows.constraint_rows import combine

FULL = 6


class LoopSpring:
    """anchor   the link j it is fixed to, with rows K there
    G        rows on the link at its other end
    A, b     stiffness, and pull at zero acceleration
    """

    def __init__(self, anchor: int, K: Sequence[Force], G: Sequence[Force], A: list[list[Scalar]], pull):
        self.anchor, self.K, self.G, self.A = anchor, tuple(K), list(G), A
        self.b: list[Scalar] = list(pull)

    @classmethod
    def of_penalties(cls, anchor: int, K: Sequence[Force], near: Sequence[Force], mu: Sequence[Scalar], pull):
        """Of rows K on the anchor and `near` on the other link."""
        m = len(mu)
        A: list[list[Scalar]] = [[mu[r] if r == s else 0.0 for s in range(m)] for r in range(m)]
        return cls(anchor, K, [row * x for row, x in zip(near, mu, strict=True)], A, pull)

    def pass_joint(self, joint: Articulation, X: Transform, y: Sequence[Scalar]) -> SpringPassage:
        """Eliminate the link at the moving end: the spring then pulls on its parent."""
        passage = SpringPassage(self, joint)
        for r, row in enumerate(passage.GS):
            self.b[r] = self.b[r] + row @ y
            for s in range(r + 1):
                self.A[r][s] = self.A[s][r] = self.A[r][s] - row @ passage.solved[s]
        self.G = [X.T @ joint.force_felt(row, -solved) for row, solved in zip(self.G, passage.solved, strict=True)]
        return passage

    @property
    def inertia(self) -> ArticulatedInertia:
        """K' A K, on the anchor."""
        AK = [combine(self.K, weights) for weights in self.A]
        return ArticulatedInertia.from_function(
            lambda r, s: sum_of(row[r] * other[s] for row, other in zip(self.K, AK, strict=True))
        )

    def wrench(self, pull: Sequence[Scalar]) -> Force:
        """K' pull, on the anchor."""
        return combine(self.K, pull)

    @property
    def block(self) -> list[Force]:
        """K' G: the force on the anchor per acceleration of the other end."""
        return [combine(self.G, [row[k] for row in self.K]) for k in range(FULL)]


class SpringPassage:
    """What a spring leaves at a joint it has passed: G S and D^-1 (G S)'."""

    def __init__(self, spring: LoopSpring, joint: Articulation):
        self.spring = spring
        self.GS = [joint.S.project(row) for row in spring.G]
        self.solved = [joint.D.solve(row) for row in self.GS]

    def rates(self, rates: RowVector, change: Sequence[Motion]) -> RowVector:
        """The joint's accelerations with the anchor's in place."""
        for row, solved in zip(self.spring.K, self.solved, strict=True):
            rates = rates - solved * row.dot(change[self.spring.anchor])
        return rates

    def pull(self, dy: Sequence[Scalar]) -> RowVector:
        return RowVector(row @ dy for row in self.GS)

    def felt(self, dy: Sequence[Scalar]) -> Force:
        """By the anchor."""
        return self.spring.wrench(self.pull(dy))
