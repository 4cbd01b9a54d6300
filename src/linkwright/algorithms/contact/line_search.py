"""The minimum of the cost along a Newton step, found in the space of the rows: no product with the inertia matrix.

Safeguarded Newton from the whole step on: the bracket is halved unless steps shrink (between two kinks Newton would
cycle, and false position stalls), and of all points that were looked at the one of the least slope is returned.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, absolute, maximum, until, where
from ...spatial import sum_of
from .cones import Line

SLOPE = 0.05  # of the slope at the start: how much may be left
TRIALS = 40
_EXPECTED = 2.0
_UNBOUNDED = 1e3


def line_search(slope: Scalar, curvature: Scalar, lines: Sequence[Line], rounding: float) -> Scalar:
    """t that makes slope + t curvature + the lines' slopes small; `curvature` is positive."""

    def derivatives(t: Scalar) -> tuple[Scalar, Scalar]:
        parts = [at(t) for at in lines]
        return (
            sum_of([slope + t * curvature, *(p[0] for p in parts)]), sum_of([curvature, *(p[1] for p in parts)])
        )  # fmt: skip

    wanted = absolute(derivatives(0.0)[0]) * SLOPE + (absolute(slope) + absolute(curvature)) * rounding

    def trial(values):
        t, low, high, last, best, least = values
        first, second = derivatives(t)
        better = absolute(first) < least
        best, least = where(better, t, best), where(better, absolute(first), least)
        above = first > 0.0
        high, low = where(above, t, high), where(above, low, t)
        step = -(first / maximum(second, 1e-30))
        new = t + step
        shrinks = (absolute(step) <= last * 0.5) & (new > low) & (new < high)
        bounded = high < _UNBOUNDED
        halved = (low + high) * 0.5
        new = where(bounded, where(shrinks, new, halved), where(new < _UNBOUNDED, new, t * 4.0))
        return [new, low, high, absolute(new - t), best, least], least <= wanted

    start = [1.0, 0.0, _UNBOUNDED, 1e30, 1.0, 1e30]
    return until(trial, start, limit=TRIALS, expected=_EXPECTED)[4]
