"""Symmetric matrices: Cholesky's factors and Jacobi's eigenvalues."""

from __future__ import annotations

import math

import numpy as np

_SWEEPS = 60  # Jacobi's method needs under ten; more means that numbers are not finite


class NotPositiveDefinite(ArithmeticError):
    """A pivot of Cholesky's method is not above rounding."""


class CholeskyFactor:
    """A = L L' of a symmetric positive definite matrix; refuses pivots below `tolerance` of their diagonal entry."""

    def __init__(self, A: np.ndarray, tolerance: float = 0.0):
        work = np.array(A, dtype=float)
        n = len(work)
        self.L = np.zeros((n, n))
        diagonal = np.diag(work).tolist()
        for k in range(n):
            pivot = float(work[k, k])
            if not pivot > tolerance * diagonal[k] or not math.isfinite(pivot):
                raise NotPositiveDefinite(f"pivot {k} is {pivot:.3g} of {diagonal[k]:.3g}")
            self.L[k:, k] = work[k:, k] / math.sqrt(pivot)
            work[k + 1 :, k + 1 :] -= self.L[k + 1 :, k, None] * self.L[k + 1 :, k]

    def solve(self, b: np.ndarray) -> np.ndarray:
        """A^-1 b, for a vector or for columns."""
        x = np.array(b, dtype=float)
        n = len(self.L)
        for k in range(n):
            x[k] = x[k] / self.L[k, k]
            x[k + 1 :] -= _times(self.L[k + 1 :, k], x[k])
        for k in reversed(range(n)):
            x[k] = x[k] / self.L[k, k]
            x[:k] -= _times(self.L[k, :k], x[k])
        return x


def solve_positive_definite(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A^-1 b of a symmetric positive definite matrix."""
    return CholeskyFactor(A).solve(b)


def eigenvalues(A: np.ndarray) -> np.ndarray:
    """Of a symmetric matrix, ascending, by Jacobi's rotations."""
    work = (np.array(A, dtype=float) + np.transpose(A)) / 2
    n = len(work)
    for _ in range(_SWEEPS):
        rotated = False
        for p in range(n):
            for q in range(p + 1, n):
                rotated |= _rotate(work, p, q)
        if not rotated:
            break
    return np.sort(np.diag(work))


def eigenvectors(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(Eigenvalues of a symmetric matrix, in no order, and a column for each), by Jacobi's rotations."""
    work = (np.array(A, dtype=float) + np.transpose(A)) / 2
    n = len(work)
    columns = np.eye(n)
    for _ in range(_SWEEPS):
        rotated = False
        for p in range(n):
            for q in range(p + 1, n):
                rotated |= _rotate(work, p, q, columns)
        if not rotated:
            break
    return np.diag(work).copy(), columns


def _rotate(work: np.ndarray, p: int, q: int, columns: np.ndarray | None = None) -> bool:
    """Make the entry (p, q) zero, and turn columns alike; whether the entry was above rounding."""
    off, gap = float(work[p, q]), float(work[q, q] - work[p, p])
    if abs(off) <= 1e-17 * math.sqrt(abs(float(work[p, p]))) * math.sqrt(abs(float(work[q, q]))) or not off:
        return False
    small = -math.frexp(max(abs(gap), abs(off)))[1]  # squares neither overflow nor vanish; no other bit changes
    gap, off_now = math.ldexp(gap, small), math.ldexp(off, small)
    t = math.copysign(1.0, gap) * 2 * off_now / (abs(gap) + math.sqrt(gap * gap + 4 * off_now * off_now))
    c = 1 / math.sqrt(1 + t * t)
    s = t * c
    for a in (work, work.T, *(() if columns is None else (columns.T,))):  # rows, then columns
        a[p], a[q] = c * a[p] - s * a[q], s * a[p] + c * a[q]
    work[p, q] = work[q, p] = 0.0
    return abs(off) > 1e-16 * abs(work).max()


def _times(column: np.ndarray, x: np.ndarray) -> np.ndarray:
    return column * x if np.ndim(x) == 0 else column[:, None] * x
