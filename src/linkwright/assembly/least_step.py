"""The smallest change that removes an error to first order, damped: the one linear solve of the iterations here."""

from __future__ import annotations

import numpy as np

# Directions whose singular value is below the square root of this, relative to the largest row, are left alone. What
# rounding makes of dependent rows is far below.
_FLOOR = 1e-13


def least_step(J: np.ndarray, error: np.ndarray, damping: np.ndarray | float = 0.0) -> np.ndarray:
    """s (B, n) that makes |J s + error|^2 + damping |s|^2 least; J is (B, m, n) of any rank."""
    G = J @ np.swapaxes(J, 1, 2)
    m = G.shape[1]
    if not m or not J.shape[2]:
        return np.zeros((len(J), J.shape[2]))
    largest = np.einsum("bii->bi", G).max(axis=1)
    ridge = np.maximum(damping, 0.0) + _FLOOR * largest + np.finfo(float).tiny
    G[:, range(m), range(m)] += ridge[:, None]
    scale = 1 / np.sqrt(np.einsum("bii->bi", G))  # rows in different units or of different lever arms
    scaled = G * scale[:, :, None] * scale[:, None, :]
    y = np.linalg.solve(scaled, (error * scale)[..., None])[..., 0] * scale
    return -np.einsum("bmn,bm->bn", J, y)
