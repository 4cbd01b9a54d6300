"""One code per sample: what became of it. Compiled code never raises on values. "Ok" is a promise."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..scalar import Scalar, maximum, where

STATUS_OK, STATUS_NOT_CONVERGED, STATUS_SINGULAR, STATUS_NOT_FINITE, STATUS_INFEASIBLE = 0.0, 1.0, 2.0, 3.0, 4.0
STATUS_OTHER_BRANCH = 5.0
STATUS_NOT_MODELLED = 6.0
STATUS_MEANING = {
    0: "ok",
    1: "not converged, or too many digits lost",
    2: "singular: the answer is not determined by the constraints at hand",
    3: "not finite",
    4: "infeasible: constraints contradict one another, and a compromise is returned",
    5: "another assembly branch than asked for",
    6: "a contact that is not modelled may have occurred",
}


def status(
    a: Sequence[Scalar], pivots: Sequence[Scalar], converged: Scalar | None = None, outcome: Scalar | None = None,
    lost: Scalar | None = None, unsure: Scalar | None = None, most_lost: float = math.inf,
    rows: Sequence[Scalar] = (),
) -> Scalar:  # fmt: skip
    """The worst that applies: not finite, then a pivot that is not positive, then what the iterations say. Pivots of
    `rows` that are numbers and not positive say why accelerations are none."""
    code: Scalar = STATUS_OK if outcome is None else outcome
    if lost is not None:  # of what is ok or singular: converged, but not to the right answer
        doubted = STATUS_NOT_CONVERGED if outcome is None else where(outcome > 3.5, outcome, STATUS_NOT_CONVERGED)
        code = where(lost > most_lost, doubted, code)
    if unsure is not None:
        code = where(unsure > 1.5, STATUS_SINGULAR, code)
    if converged is not None:
        code = where(converged, code, STATUS_NOT_CONVERGED)
    for pivot in pivots:
        code = where(pivot > 0.0, code, STATUS_SINGULAR)
    for x in a:
        code = where(abs(x) < float("inf"), code, STATUS_NOT_FINITE)  # false for nan too
    for pivot in rows:
        code = where(pivot <= 0.0, STATUS_SINGULAR, code)
    return code


def graver(one: Scalar, two: Scalar) -> Scalar:
    """Of two codes: the larger, but that what is not modelled comes right after ok."""
    said = maximum(*(where(code > STATUS_NOT_MODELLED - 0.5, 0.5, code) for code in (one, two)))
    return where((said > 0.25) & (said < 0.75), STATUS_NOT_MODELLED, said)
