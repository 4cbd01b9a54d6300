"""Which directions of the constraints count at a pose: the one rank of the library (algorithms/rows/row_scales.py).

Rows are divided by their scale and taken in coordinates in which the inertia is one. Directions whose singular value
is then below the model's rank tolerance are dependent: they follow from the others but for the digits of the file,
and nothing is to be enforced along them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..algorithms.rows.row_scales import rank_tolerance, row_scales
from ..model import Model

_LEAST_INERTIA = 1e-9  # of the largest: what velocities without inertia are given, where there are such


@dataclass(frozen=True)
class IndependentRows:
    """Of a batch of poses.

    values     (B, k) singular values, largest first
    counts     (B, k) which of them count
    U          (B, m, k) directions among the rows, in the scaled rows
    V          (B, n, k) the motions they act along, in the velocities' own coordinates: J V = (rows' scale) U values
    scale      (m,) of each row: the square root of its d
    """

    values: np.ndarray
    counts: np.ndarray
    U: np.ndarray
    V: np.ndarray
    scale: np.ndarray

    @property
    def rank(self) -> np.ndarray:
        """(B,)."""
        return self.counts.sum(axis=1)

    def removing(self, error: np.ndarray) -> np.ndarray:
        """(B, n): the motion, least in kinetic energy, that takes `error` (B, m) from the rows as far as they count."""
        share = np.einsum("bmk,bm->bk", self.U, error / self.scale)
        return -np.einsum("bnk,bk->bn", self.V, np.where(self.counts, share / _divisor(self.values, self.counts), 0.0))

    def closable(self, error: np.ndarray) -> np.ndarray:
        """(B, m): the part of `error` that lies along directions that count."""
        share = np.where(self.counts, np.einsum("bmk,bm->bk", self.U, error / self.scale), 0.0)
        return np.einsum("bmk,bk->bm", self.U, share) * self.scale

    def dependent(self, row: int = 0) -> np.ndarray:
        """(m, j) combinations of the scaled rows of one pose that follow from the others."""
        U, counts = self.U[row], self.counts[row]
        complete = np.linalg.qr(np.concatenate([U[:, counts], np.eye(len(U))], axis=1))[0]
        return complete[:, counts.sum() :]


def independent_rows(
    model: Model, J: np.ndarray, M: np.ndarray, placed: Model | None = None
) -> IndependentRows:
    """For (B, m, n) Jacobians of the constraints of `placed` (default: of the model) and (B, n, n) inertia matrices."""
    placed = model if placed is None else placed
    scale = np.sqrt(row_scales(placed)) if placed.nc else np.zeros(0)
    root = inertia_root(M)
    if not J.shape[1] or not J.shape[2]:
        empty = np.zeros((len(J), 0))
        return IndependentRows(
            empty, empty.astype(bool), np.zeros((len(J), J.shape[1], 0)), np.zeros((len(J), J.shape[2], 0)), scale
        )
    U, values, Vt = np.linalg.svd((J / scale[:, None]) @ root, full_matrices=False)
    return IndependentRows(values, values > rank_tolerance(model), U, root @ np.swapaxes(Vt, 1, 2), scale)


def inertia_root(M: np.ndarray) -> np.ndarray:
    """R^-1 with R'R = M; velocities without inertia are given a little where there are such."""
    try:
        factor = np.linalg.cholesky(M)
    except np.linalg.LinAlgError:
        n = M.shape[-1]
        largest = np.einsum("bii->bi", M).max(axis=1, initial=0.0)
        floor = _LEAST_INERTIA * np.where(largest > 0, largest, 1.0)
        factor = np.linalg.cholesky(M + floor[:, None, None] * np.eye(n))
    return np.swapaxes(np.linalg.inv(factor), 1, 2)


def _divisor(values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return np.where(counts, values, 1.0)
