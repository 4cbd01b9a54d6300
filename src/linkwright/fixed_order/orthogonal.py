"""Rectangular matrices, of any rank: orthogonal columns, the farthest from those before first.

Gram and Schmidt's method with each column made orthogonal twice, which is as accurate as reflections. The remaining
length of a column, when its turn comes, is within a small factor of the singular value it stands for.
"""

from __future__ import annotations

import numpy as np

from .products import norm, product

# Columns whose remaining lengths differ by less than this share count as equally far, and the first is taken: which of
# two mirrored legs comes first must not hang on rounding.
_TIE = 1e-9


class PivotedColumns:
    """A[:, order] = Q R with orthonormal columns Q, until what is left is shorter than `smallest`.

    order     of the columns; the first `rank` of them span the others
    """

    def __init__(self, A: np.ndarray, smallest: float):
        A = np.array(A, dtype=float)
        left = A.copy()
        rows: list[np.ndarray] = []
        columns: list[np.ndarray] = []
        self.order: list[int] = []
        waiting = np.ones(A.shape[1], dtype=bool)
        while len(rows) < min(A.shape):
            lengths = np.where(waiting, np.sqrt(np.add.reduce(left * left, axis=0)), -1.0)
            c = int(np.argmax(lengths >= lengths.max() * (1 - _TIE)))
            if not lengths[c] > smallest:
                break
            direction = left[:, c] / norm(left[:, c])
            if columns:
                Q = np.array(columns)
                direction = direction - product(product(Q, direction), Q)
                direction = direction / norm(direction)
            waiting[c] = False
            columns.append(direction)
            row = product(direction, left)
            row[c] = norm(left[:, c])
            row[self.order] = 0.0
            self.order.append(c)
            rows.append(row)
            left = left - direction[:, None] * row
        self.rank = len(rows)
        self.Q = np.array(columns).reshape(self.rank, A.shape[0]).T
        self.R = np.array(rows).reshape(self.rank, A.shape[1])
        """Rows in the original order of columns: A = Q R up to what was left out."""


def rank(A: np.ndarray, smallest: float) -> int:
    """How many columns are independent, what is shorter than `smallest` being rounding."""
    A = np.asarray(A, dtype=float)
    return PivotedColumns(A, smallest).rank if A.size else 0


def pseudo_inverse(A: np.ndarray, tolerance: float) -> np.ndarray:
    """Of Moore and Penrose; directions shorter than `tolerance` times the longest column are left out."""
    A = np.asarray(A, dtype=float)
    if not A.size:
        return A.T.copy()
    lengths = np.sqrt(np.add.reduce(A * A, axis=0))
    outer = PivotedColumns(A, tolerance * float(lengths.max()))
    if not outer.rank:
        return np.zeros(A.T.shape)
    # A = Q R with R of full row rank; R' = P S with S square and, in the order of its columns, triangular
    inner = PivotedColumns(outer.R.T, 0.0)
    return product(inner.Q, product(_inverse_transposed(inner), outer.Q.T))


def least_squares(A: np.ndarray, b: np.ndarray, tolerance: float = 1e-12) -> np.ndarray:
    """The smallest x that leaves the least of A x - b; b may have columns."""
    return product(pseudo_inverse(A, tolerance), b)


def projected_on_kernel(A: np.ndarray, x: np.ndarray, tolerance: float) -> np.ndarray:
    """x without the part that A notices."""
    A = np.asarray(A, dtype=float)
    across = PivotedColumns(A.T, tolerance * float(np.sqrt(np.add.reduce(A * A, axis=1)).max(initial=0.0))).Q
    for _ in range(2):
        x = x - product(across, product(x, across))
    return x


def _inverse_transposed(columns: PivotedColumns) -> np.ndarray:
    """S'^-1 for the square S of R' = P S."""
    n, order = columns.rank, columns.order
    S = columns.R  # S[k, order[j]] = 0 for j < k
    found = np.zeros((n, n))  # rows in the order of P's columns
    # R = S' P', so S' y = e_j reads, row by row in that order, sum over k <= j of S[k, order[j]] y[k] = e
    for j in range(n):
        target = np.zeros(n)
        target[order[j]] = 1.0
        for k in range(j):
            target = target - S[k, order[j]] * found[k]
        found[j] = target / S[j, order[j]]
    return found
