"""One code per sample: what became of it. Compiled code never raises on values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..scalar import Scalar, where

STATUS_OK, STATUS_NOT_CONVERGED, STATUS_SINGULAR, STATUS_NOT_FINITE = 0.0, 1.0, 2.0, 3.0
_LARGEST = float(np.finfo(np.float64).max)


def status(a: Sequence[Scalar], pivots: Sequence[Scalar], converged: Scalar | None = None) -> Scalar:
    """0 ok, 1 not converged, 2 singular (a pivot that is not positive), 3 not finite: the worst that applies."""
    code: Scalar = STATUS_OK if converged is None else where(converged, STATUS_OK, STATUS_NOT_CONVERGED)
    for pivot in pivots:
        code = where(pivot > 0.0, code, STATUS_SINGULAR)
    for x in a:
        code = where(abs(x) <= _LARGEST, code, STATUS_NOT_FINITE)  # false for nan too
    return code
