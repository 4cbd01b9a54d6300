"""Constraint rows that a joint has moved already and that travel on: what PV-early puts off. Not in the paper.

A row that has passed joints moves against them: K a + l = L lam, with its compliance L instead of zero. PV-early
eliminates it at once and divides by L, however weak the joint acts on the row. The parent then feels a stiffness 1/L
beside which inertias lose their digits, and from weak joint to weak joint the losses multiply. Here a row or two are
put off, and of these and the next one the strongest goes (`PartialLDL`).

Why few suffice: the Delassus matrix of all that is behind joints up to the ground adds something of rank at most n, the
number of directions behind, to L. By interlacing all eigenvalues of L but the n least are at least as large as the
least one of the whole. So nothing need be put off where as many rigid rows are left as there are directions behind (a
fixed arm of six joints, its hand welded), and with n rows put off no pivot is weaker than the mechanism is singular.
One per limb, which is what `pv_early` carries, stands for poses at which a limb loses one direction. Beyond that
`WEAKEST` bounds the stiffness, hence the digits lost, and the multipliers concerned are in doubt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ...scalar import Scalar
from ...spatial import ArticulatedInertia, Force, Motion, sum_of
from ...spatial.partial_factorization import PartialLDL
from ..parts.articulation import Articulation
from ..rows.constraint_rows import penalty_inertia


@dataclass(frozen=True)
class RowMobility:
    """How far rows usually move: by what is behind, per square of their angular and linear parts; and at the least."""

    angular: float
    linear: float
    least: float

    def size(self, k: Force) -> Scalar:
        """The compliance that row k has further in, about: what its compliance here is compared with."""
        return (k.angular @ k.angular) * self.angular + (k.linear @ k.linear) * self.linear + self.least


@dataclass
class SpareRows:
    """K a + l = L lam at a body, and the children that they came from."""

    K: list[Force] = field(default_factory=list)
    l: list[Scalar] = field(default_factory=list)
    L: list[list[Scalar]] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)

    def add(self, K: Sequence[Force], l: Sequence[Scalar], L: Sequence[Sequence[Scalar]]) -> None:
        """More rows, which share no joint with those here."""
        n, m = len(self.K), len(K)
        self.L = [[*row, *[0.0] * m] for row in self.L] + [[*[0.0] * n, *row] for row in L]
        self.K = [*self.K, *K]
        self.l = [*self.l, *l]

    def pass_joint(self, joint: Articulation, y: Scalar, ks: Sequence[Scalar]) -> list[Scalar]:
        """[Sathya2024] eq. (42) for a joint of one direction, ks = K S; its acceleration per multiplier."""
        pulls = [x * joint.D.inverse_pivots[0] for x in ks]
        self.K = [joint.force_felt(k, [-x], [0.0]) for k, x in zip(self.K, pulls, strict=True)]
        self.l = [l + x * y for l, x in zip(self.l, ks, strict=True)]
        for r in range(len(ks)):
            for s in range(r + 1):
                self.L[r][s] = self.L[s][r] = self.L[r][s] + ks[r] * pulls[s]
        return pulls

    def eliminate(self, leave: int, mobility: RowMobility) -> EliminatedRows:
        """All but `leave` of them, the strongest: eq. (62)."""
        factor = PartialLDL(self.L, [mobility.size(k) for k in self.K], leave)
        columns = [factor.forward(column) for column in zip(*self.K, strict=True)]
        b, self.l = factor.forward(self.l)
        self.K = [Force.of(left[r] for _, left in columns) for r in range(len(self.l))]
        self.L = factor.R
        return EliminatedRows(factor, [Force.of(done[r] for done, _ in columns) for r in range(len(b))], b)


@dataclass(frozen=True)
class EliminatedRows:
    """Multipliers (k a + b) / D, and of the original rows C'^-1 of those and of the rows left."""

    factor: PartialLDL
    k: list[Force]
    b: list[Scalar]

    def felt(self, I: ArticulatedInertia, f: Force) -> tuple[ArticulatedInertia, Force]:
        """Eq. (63): the inertia and wrench that they leave."""
        pull = self.factor.scaled(self.b)
        return (
            I + penalty_inertia(self.k, self.factor.inverse_pivots),
            f + sum_of(k * x for k, x in zip(self.k, pull, strict=True)),
        )

    def own(self, carried: Motion) -> list[Scalar]:
        """Multipliers of the combinations eliminated."""
        return self.factor.scaled([k.dot(carried) + b for k, b in zip(self.k, self.b, strict=True)])

