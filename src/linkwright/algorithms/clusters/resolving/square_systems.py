"""Small square systems without symmetry, eliminated in an order chosen beforehand: no pivot is sought at run time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ....scalar import Scalar, is_zero, reciprocal
from ....spatial import sum_of

# Pivots below this share of the largest entry are rounding: those rows follow from the others.
RANK_TOLERANCE = 1e-7


def eliminated(A: Sequence[Sequence[Scalar]]) -> Elimination | TwoByTwo:
    """Two equations in two unknowns need no pivots, which could vanish where the determinant does not."""
    return TwoByTwo(A) if len(A) == 2 else Elimination(A)


class TwoByTwo:
    """A^-1 by its determinant, the only pivot there is."""

    def __init__(self, A: Sequence[Sequence[Scalar]]):
        (a, b), (c, d) = A
        determinant = _sum_of_products((a, d), (-b, c))
        self.pivots: list[Scalar] = [determinant]
        over = reciprocal(determinant)
        self._inverse = [[0.0 if is_zero(x) else x * over for x in row] for row in ((d, -b), (-c, a))]

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        return [_sum_of_products(*zip(row, b, strict=True)) for row in self._inverse]


def _sum_of_products(*pairs: tuple[Scalar, Scalar]) -> Scalar:
    terms = [x * y for x, y in pairs if not (is_zero(x) or is_zero(y))]
    return sum_of(terms) if terms else 0.0


class Elimination:
    """A = L U without further pivoting; entries known to be zero stay zero."""

    def __init__(self, A: Sequence[Sequence[Scalar]]):
        n = len(A)
        self.U = [list(row) for row in A]
        self.L = [[0.0] * n for _ in range(n)]
        self.pivots: list[Scalar] = []
        self._inverse: list[Scalar] = []
        for c in range(n):
            self.pivots.append(self.U[c][c])
            self._inverse.append(reciprocal(self.U[c][c]))
            for r in range(c + 1, n):
                if is_zero(self.U[r][c]):
                    continue
                self.L[r][c] = factor = self.U[r][c] * self._inverse[c]
                for k in range(c + 1, n):
                    self.U[r][k] = self.U[r][k] - factor * self.U[c][k]

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        x = list(b)
        n = len(x)
        for r in range(n):
            for c in range(r):
                x[r] = x[r] - self.L[r][c] * x[c]
        for r in reversed(range(n)):
            for c in range(r + 1, n):
                x[r] = x[r] - self.U[r][c] * x[c]
            x[r] = x[r] * self._inverse[r]
        return x


def complete_pivots(K: np.ndarray) -> list[tuple[int, int]]:
    """(row, column) pairs, as many as the rank, in the order that takes the largest entry left each time."""
    work = K.copy()
    pairs: list[tuple[int, int]] = []
    largest = np.abs(K).max() if K.size else 0.0
    while len(pairs) < min(K.shape):
        r, c = np.unravel_index(np.argmax(np.abs(work)), work.shape)
        if not abs(work[r, c]) > RANK_TOLERANCE * largest:
            break
        pairs.append((int(r), int(c)))
        work = work - np.outer(work[:, c], work[r]) / work[r, c]
        work[r], work[:, c] = 0.0, 0.0
    return pairs
