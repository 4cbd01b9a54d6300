"""Velocities that the rows leave at a closed pose, and that lead nowhere.

Two bars that just reach from pin to pin close in one pose only, and it is singular: their rows depend on one another
there and leave a velocity, but there is no motion. No joint of such a loop can be independent.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....fixed_order import PivotedColumns, norm, product
from .involvement import NumericRows

# Radians or metres. A motion bends away from its tangent, by more the longer the step: where a long one loses too much,
# a short one decides.
_STEPS = (1e-2, 1e-3)
# A file of few digits may close to the last digit in one pose only, and nearly all the way along: there a step counts
# that is so long that bars which just reach would be far apart after it.
_LONG = 0.1
_LOST = 0.1  # of a step: one of a hundred velocities that leads nowhere has a tenth of some direction of a basis

Closing = Callable[[np.ndarray], "np.ndarray | None"]


def dead_motions(
    rows: NumericRows, q: np.ndarray, closed: Closing, nearly: Closing, rank: Callable[[np.ndarray], int]
) -> bool:
    """Whether some of the velocities that rows leave at a closed pose q are of no motion.

    closed   a pose near the one given that closes the loops, or None
    nearly   one that closes them along directions that count, and leaves what the file's digits may along the others
    rank     of the rows at a pose
    """
    K, here = rows(q)[0], rank(q)
    if here == len(K):
        return False  # independent rows: wherever they leave a velocity there is a motion
    free = _kernel(K, here)
    return any(
        all(_is_lost(rows, q, u, free, step, closed, rank, here) for step in _STEPS)
        and not _is_kept(rows, q, nearly(rows.moved(q, _LONG * u)), _LONG * u, free)
        for u in free.T
    )


def _is_lost(rows: NumericRows, q, u, free, step: float, closed: Closing, rank, here: int) -> bool:
    """Whether closing the loops after a step along u takes some of the step back, to no pose of more rank: there two
    motions would meet."""
    found = closed(rows.moved(q, step * u))
    return found is None or (not _is_kept(rows, q, found, step * u, free) and rank(found) <= here)


def _is_kept(rows: NumericRows, q: np.ndarray, found: np.ndarray | None, step: np.ndarray, free: np.ndarray) -> bool:
    """Whether nearly all of a step is left at the pose that was found after it."""
    if found is None:
        return False
    done = rows.tree.model.difference(q, found)[rows.velocities]
    along = product(free, product(done, free))
    return norm(along - step) <= _LOST * norm(step)


def _kernel(K: np.ndarray, rank: int) -> np.ndarray:
    """Orthonormal velocities, one a column, that the first `rank` directions of the rows leave."""
    across = PivotedColumns(K.T, 0.0).Q[:, :rank]
    left = np.eye(K.shape[1]) - product(across, across.T)
    return PivotedColumns(left, 0.5 / np.sqrt(K.shape[1])).Q[:, : K.shape[1] - rank]
