"""Small symmetric positive definite systems, factored without square roots."""

from __future__ import annotations

from collections.abc import Sequence

from ..scalar import Scalar, reciprocal
from .matrix import sum_of
from .row_vector import RowVector

# A pivot this small beside the entry it came from is what rounding leaves of a dependent row.
RANK_TOLERANCE = 1e-12


class LDL:
    """A = L D L' with unit lower triangular L; `A[r][c]` is read for r >= c only."""

    __slots__ = ("L", "diagonal", "inverse_pivots", "pivots")

    diagonal: list[Scalar]

    def __new__(cls, A: Sequence[Sequence[Scalar]], *further):
        """However a subclass treats its pivots, `margins` compares them with what they came from."""
        factor = super().__new__(cls)
        factor.diagonal = [A[k][k] for k in range(len(A))]
        return factor

    def __init__(self, A: Sequence[Sequence[Scalar]]):
        n = len(A)
        self.L = [[0.0] * n for _ in range(n)]
        self.pivots: list[Scalar] = []
        self.inverse_pivots: list[Scalar] = []
        for c in range(n):
            scaled = [self.L[c][k] * self.pivots[k] for k in range(c)]
            pivot = A[c][c]
            for k in range(c):
                pivot = pivot - self.L[c][k] * scaled[k]
            self.pivots.append(pivot)
            self.inverse_pivots.append(reciprocal(pivot))  # one division, then multiplications
            for r in range(c + 1, n):
                entry = A[r][c]
                for k in range(c):
                    entry = entry - self.L[r][k] * scaled[k]
                self.L[r][c] = entry * self.inverse_pivots[c]

    @property
    def margins(self) -> list[Scalar]:
        """Per pivot a number that is positive unless elimination has left only rounding of it.

        A row of a constraint that vanishes at this pose never had more: its entry is as small as a square of rounding.
        """
        if not self.pivots:
            return []
        smallest = sum_of(self.diagonal) * RANK_TOLERANCE**2
        return [
            pivot - (RANK_TOLERANCE * entry + smallest)
            for pivot, entry in zip(self.pivots, self.diagonal, strict=True)
        ]

    def forward(self, b: Sequence[Scalar]) -> list[Scalar]:
        """L^-1 b: half of a solution, and all that x' A^-1 y needs of x and y."""
        x = list(b)
        for r in range(len(x)):
            for k in range(r):
                x[r] = x[r] - self.L[r][k] * x[k]
        return x

    @property
    def inverse_diagonal(self) -> list[Scalar]:
        """The diagonal of A^-1."""
        n = len(self.pivots)
        columns = [self.forward([float(r == k) for r in range(n)])[k:] for k in range(n)]
        return [
            sum_of(x * x * d for x, d in zip(column, self.inverse_pivots[k:], strict=True))
            for k, column in enumerate(columns)
        ]

    def scaled(self, x: Sequence[Scalar]) -> list[Scalar]:
        """D^-1 x."""
        return [a * d for a, d in zip(x, self.inverse_pivots, strict=True)]

    def backward(self, b: Sequence[Scalar]) -> list[Scalar]:
        """L'^-1 b."""
        x = list(b)
        for r in reversed(range(len(x))):
            for k in range(r + 1, len(x)):
                x[r] = x[r] - self.L[k][r] * x[k]
        return x

    def solve(self, b: Sequence[Scalar]) -> RowVector:
        """A^-1 b."""
        return RowVector(self.backward(self.scaled(self.forward(b))))
