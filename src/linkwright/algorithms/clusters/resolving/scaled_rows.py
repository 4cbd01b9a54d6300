"""Ranks of a cluster's rows in the metric of the whole library (`row_scales.py`): one tolerance in one place."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .... import fixed_order
from ....model import Model, tree_of
from ...rows.row_scales import rank_tolerance, row_scales
from ...tree.crba import crba
from ...tree.ltl import ltl_factor, solve_LT, velocity_parents
from .involvement import NumericRows

# Where bodies have no mass there is no such metric, and couplings alone need none: singular values relative to the
# largest entry of K.
_PLAIN_TOLERANCE = 1e-7


class ScaledRows:
    """How rows of K are scaled and how many of them count. The inertia is that of one pose: a metric, nothing more."""

    def __init__(self, model: Model, pose: np.ndarray):
        self.model, self._pose = model, [float(x) for x in pose]

    def rank(self, rows: NumericRows, K: np.ndarray) -> int:
        """Directions that count, of the cluster's rows K at some posture."""
        W = self._whitened(rows, K)
        return self.plain_rank(K) if W is None else fixed_order.rank(W.T, rank_tolerance(self.model))

    def weakest(self, rows: NumericRows, K: np.ndarray) -> float:
        """About the least scaled singular value that counts; 1 where there is no such metric."""
        W = self._whitened(rows, K)
        if W is None:
            return 1.0
        columns = fixed_order.PivotedColumns(W.T, rank_tolerance(self.model))
        return min([1.0, *(float(columns.R[k, c]) for k, c in enumerate(columns.order))])

    @staticmethod
    def plain_rank(K: np.ndarray) -> int:
        return fixed_order.rank(K, _PLAIN_TOLERANCE * np.abs(K).max(initial=1e-300))

    def tolerance(self, rows: NumericRows) -> float:
        """Relative: below it a direction of K is not to be closed."""
        return rank_tolerance(self.model) if rows.has_frames else _PLAIN_TOLERANCE

    def by_rows(self, rows: NumericRows, K: np.ndarray) -> np.ndarray:
        """K with rows of comparable size."""
        if not rows.has_frames:
            return K
        return K / np.sqrt(self._scales(rows))[:, None]

    def _whitened(self, rows: NumericRows, K: np.ndarray) -> np.ndarray | None:
        if not rows.has_frames or self._inertia_root is None:
            return None
        L, parents = self._inertia_root
        full = np.zeros((len(K), self.model.nv))
        full[:, rows.velocities] = self.by_rows(rows, K)
        return np.array([solve_LT(L, parents, row) for row in full.tolist()]).reshape(len(K), -1)

    def _scales(self, rows: NumericRows) -> np.ndarray:
        sizes = [constraint.size for constraint in self.model.constraints]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        return np.concatenate([row_scales(self.model)[starts[c] : starts[c + 1]] for c in rows.constraints])

    @cached_property
    def _inertia_root(self):
        """(L, parents) with L'L the inertia matrix; None if that is not positive."""
        tree = tree_of(self.model)
        parents = velocity_parents(tree)
        L = ltl_factor([[float(x) for x in row] for row in crba(tree, self._pose)], parents)
        pivots = np.array([L[k][k] for k in range(len(L))], dtype=float)
        return (L, parents) if np.all(np.isfinite(pivots) & (pivots > 1e-9 * pivots.max(initial=0.0))) else None
