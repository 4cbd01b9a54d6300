"""A factorization that puts off the weakest rows: for semidefinite systems that something else will make definite."""

from __future__ import annotations

from collections.abc import Sequence

from ..scalar import Scalar, is_zero, maximum, minimum, where
from .matrix import sum_of

# A pivot below this fraction of its row's size is not divided by: what is left of other entries would have lost eight
# digits of sixteen. It stands in for such a pivot, and a row held that way gives way by 1.5e-9.
WEAKEST = 1.5e-9


class PartialLDL:
    """A = C diag(D, R) C': all rows but `leave` are eliminated, R of those is left.

    At each step the strongest of the next row and of those put off so far goes, by its entry relative to its size. So C
    has no large entries while fewer than `window` rows at a time are weak, and a weak one comes last, where it shows.
    Exchanging rows by their values takes selections; that is why no more rows are looked at.

    sizes   per row what a pivot is compared with: an entry that it has or could have
    window  how many rows are compared, `leave + 1` if not given
    weak    per pivot whether WEAKEST times its size stands in for it
    """

    __slots__ = ("R", "_exchanged", "_ratios", "inverse_pivots", "pivots", "strengths", "weak")

    def __init__(self, A: Sequence[Sequence[Scalar]], sizes: Sequence[Scalar], leave: int = 0, window: int = 0):
        n = len(A)
        rest = [[A[max(r, s)][min(r, s)] for s in range(n)] for r in range(n)]
        sizes = list(sizes)
        self.pivots: list[Scalar] = []
        self.inverse_pivots: list[Scalar] = []
        self.weak: list[Scalar] = []
        self.strengths: list[Scalar] = []  # pivots over sizes
        self._exchanged: list[list[Scalar]] = []  # per step: which of the next rows took the first one's place
        self._ratios: list[list[Scalar]] = []
        for step in range(max(n - leave, 0)):
            stronger = []
            for j in range(1, min(window or leave + 1, n - step)):
                stronger.append(rest[j][j] * sizes[0] > rest[0][0] * sizes[j])
                _exchange_in_matrix(rest, j, stronger[-1])
                _exchange(sizes, j, stronger[-1])
            pivot, least = rest[0][0], sizes[0] * WEAKEST
            inverse = 1.0 / maximum(pivot, least)
            ratios = [row[0] * inverse for row in rest[1:]]
            lower = [
                [rest[r][s] - ratios[r - 1] * rest[s][0] for s in range(1, r + 1)] for r in range(1, len(rest))
            ]
            rest = [[lower[max(r, s)][min(r, s)] for s in range(len(lower))] for r in range(len(lower))]
            self.pivots.append(pivot)
            self.inverse_pivots.append(inverse)
            self.weak.append(pivot <= least)
            self.strengths.append(pivot / sizes[0])
            sizes = sizes[1:]
            self._exchanged.append(stronger)
            self._ratios.append(ratios)
        self.R = rest

    def forward(self, b: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
        """C^-1 b: of the rows eliminated, and of those left."""
        done, rest = [], list(b)
        for stronger, ratios in zip(self._exchanged, self._ratios, strict=True):
            for j, condition in enumerate(stronger, start=1):
                _exchange(rest, j, condition)
            first, *rest = rest
            done.append(first)
            rest = [x - ratio * first for x, ratio in zip(rest, ratios, strict=True)]
        return done, rest

    def scaled(self, x: Sequence[Scalar]) -> list[Scalar]:
        """D^-1 x."""
        return [a * d for a, d in zip(x, self.inverse_pivots, strict=True)]

    def backward(self, done: Sequence[Scalar], left: Sequence[Scalar]) -> list[Scalar]:
        """C'^-1 of both parts."""
        x = list(left)
        for first, stronger, ratios in zip(
            reversed(done), reversed(self._exchanged), reversed(self._ratios), strict=True
        ):
            x = [first - sum_of(r * y for r, y in zip(ratios, x, strict=True)) if x else first, *x]
            for j in reversed(range(1, len(stronger) + 1)):
                _exchange(x, j, stronger[j - 1])
        return x

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """A^-1 b, if nothing was left."""
        done, left = self.forward(b)
        return self.backward(self.scaled(done), left)


def most_doubtful(
    factor: PartialLDL, x: Sequence[Scalar], before: Scalar = 0.0, weakest: float | None = None
) -> Scalar:  # fmt: skip
    """The largest multiplier found with a weak pivot, or `before`: one below WEAKEST of its size, or another share.
    Rows that are switched off push nothing."""
    conditions = factor.weak if weakest is None else [strength <= weakest for strength in factor.strengths]
    for multiplier, weak in zip(x, conditions, strict=True):
        before = maximum(where(weak, abs(multiplier), 0.0), before)
    return before


def weakest_of(factors: Sequence[PartialLDL]) -> Scalar:
    """The least pivot over its size, at most 1."""
    weakest: Scalar = 1.0
    for strength in (x for factor in factors for x in factor.strengths):
        weakest = minimum(strength, weakest)
    return weakest


def _exchange(x: list[Scalar], j: int, condition: Scalar) -> None:
    """The entries 0 and j, where the condition holds."""
    if not (is_zero(x[0]) and is_zero(x[j])):
        x[0], x[j] = where(condition, x[j], x[0]), where(condition, x[0], x[j])


def _exchange_in_matrix(A: list[list[Scalar]], j: int, condition: Scalar) -> None:
    """Rows and columns 0 and j of a symmetric matrix. The entry they share stays."""
    diagonal = [A[0][0], A[j][j]]
    _exchange(diagonal, 1, condition)
    A[0][0], A[j][j] = diagonal
    for s in range(1, len(A)):
        if s != j:
            pair = [A[0][s], A[j][s]]
            _exchange(pair, 1, condition)
            A[0][s], A[j][s] = A[s][0], A[s][j] = pair
