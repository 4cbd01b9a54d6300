"""Eigenvalues and eigenvectors of a small symmetric tridiagonal matrix, by Jacobi's rotations."""

from __future__ import annotations

from collections.abc import Sequence

from ..scalar import Scalar, sqrt, until, where

SWEEPS = 10  # convergence is quadratic: six are usual
_ZERO = 1e-30  # also in single precision
NEGLIGIBLE = 1e-17  # of what lies beside the diagonal, relative to the eigenvalues of about one it belongs to


def eigenvectors(diagonal: Sequence[Scalar], beside: Sequence[Scalar]) -> tuple[list[Scalar], list[list[Scalar]]]:
    """(eigenvalues in no order, an eigenvector for each); `beside` has one entry less than the diagonal."""
    n = len(diagonal)
    A: list[list[Scalar]] = [[0.0] * (r + 1) for r in range(n)]  # what is on the diagonal and below it
    for k in range(n):
        A[k][k] = diagonal[k]
    for k in range(n - 1):
        A[k + 1][k] = beside[k]
    V: list[list[Scalar]] = [[1.0 if r == c else 0.0 for c in range(n)] for r in range(n)]

    def sweep(both):
        A, V = both
        for p in range(n - 1):
            for q in range(p + 1, n):
                _rotate(A, V, p, q)
        off: Scalar = 0.0
        for r in range(n):
            for c in range(r):
                off = off + A[r][c] * A[r][c]
        return (A, V), off <= NEGLIGIBLE**2

    A, V = until(sweep, (A, V), limit=SWEEPS, expected=5.0)
    return [A[k][k] for k in range(n)], V


def _rotate(A: list[list[Scalar]], V: list[list[Scalar]], p: int, q: int) -> None:
    """Make A[q][p] zero. Rows of V are the eigenvectors."""
    n = len(A)

    def place(r: int, c: int) -> tuple[int, int]:
        return (r, c) if r >= c else (c, r)

    apq = A[q][p]
    there = abs(apq) > _ZERO
    half = (A[q][q] - A[p][p]) * 0.5 / where(there, apq, 1.0)
    size = 1.0 / (abs(half) + sqrt(half * half + 1.0))
    t = where(there, where(half < 0.0, -size, size), 0.0)
    c = 1.0 / sqrt(t * t + 1.0)
    s = t * c
    A[p][p], A[q][q], A[q][p] = A[p][p] - t * apq, A[q][q] + t * apq, 0.0
    for k in range(n):
        if k in (p, q):
            continue
        (i, j), (u, w) = place(k, p), place(k, q)
        x, y = A[i][j], A[u][w]
        A[i][j], A[u][w] = c * x - s * y, s * x + c * y
    for k in range(n):
        x, y = V[p][k], V[q][k]
        V[p][k], V[q][k] = c * x - s * y, s * x + c * y
