"""From open poses to closed ones nearby, to what is asked for or to what the file allows."""

from __future__ import annotations

import numpy as np

from .closing import closed_enough, settled
from .constraint_functions import ConstraintFunctions
from .least_error import SHAKES, least_error, shaken


def corrected(
    functions: ConstraintFunctions, q: np.ndarray, ease: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """(q, error) for a batch. Compare with the tolerance by `closed_enough`.

    ease   (nv,) how readily each velocity moves: 0 not at all, 1 as the others; weights are its inverse square
    """
    return settled(functions, *least_error(functions, q, ease, tolerance), ease, tolerance)


def assembled(
    functions: ConstraintFunctions, q: np.ndarray, ease: np.ndarray, tolerance: float
) -> tuple[np.ndarray, np.ndarray]:
    """As `corrected`, trying again from shaken poses where that finds nothing; the least error found counts."""
    best, error = corrected(functions, q, ease, tolerance)
    for k in range(len(SHAKES)):
        open_ones = np.flatnonzero(~closed_enough(functions, best, error, tolerance))
        if not len(open_ones):
            break
        tried, left = corrected(functions, shaken(functions, q[open_ones], ease, k), ease, tolerance)
        better = np.linalg.norm(left, axis=1) < np.linalg.norm(error[open_ones], axis=1)
        best[open_ones[better]], error[open_ones[better]] = tried[better], left[better]
    return best, error
