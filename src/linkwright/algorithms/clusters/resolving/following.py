"""Following a branch: from a pose that closes the loops to another one, in steps that Newton's method can be sure of.

Of the known coordinates a share of the way is gone at each step, and the unknown ones are corrected twice. A step
counts if the second correction is much smaller than the first, which is what Newton's method does near one solution
and away from others ([Deuflhard2011] ch. 5), and if the determinant of the dependent joints' Jacobian keeps its
sign. Else the step is shortened, until it is so short that no pose lies ahead on this branch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ....scalar import Scalar, maximum, minimum, until, where

LONGEST_STEP = 0.5  # of known coordinates, radians or metres: turns must be seen to be counted
_LONGEST_CORRECTION = 0.5  # of unknown ones
_CONTRACTION = 0.25
_SHORTENED, _LENGTHENED = 0.25, 2.0
_SHORTEST_SHARE = 1e-6  # of the longest step
_PASSES, _EXPECTED_PASSES = 400, 3
# Corrections below which nothing is left to correct, the next one being of the order of its square or of rounding.
SETTLED = {"float64": 1e-9, "float32": 2e-5}

# (unknown coordinates, share of the way) -> (those corrected, the corrections, positive if on the branch)
Corrector = Callable[[Sequence[Scalar], Scalar], tuple[list[Scalar], list[Scalar], Scalar]]


def follow(corrected: Corrector, start: Sequence[Scalar], longest: Scalar, precision: str = "float64") -> list[Scalar]:
    """The unknown coordinates at the end of the way, or as far as it led."""
    settled = SETTLED[precision]

    def step(values):
        *u, gone, ahead = values
        share = minimum(gone + ahead, 1.0)
        once, first, _ = corrected(u, share)
        twice, second, side = corrected(once, share)
        before, after = _largest(first), _largest(second)
        small = (before < _LONGEST_CORRECTION) & (after < maximum(before * _CONTRACTION, settled))
        good = small & (side > 0.0)
        new = [where(good, x, old) for x, old in zip(twice, u, strict=True)]
        reach = where(good, minimum(ahead * _LENGTHENED, longest), ahead * _SHORTENED)
        gone = where(good, share, gone)
        done = (good & (share >= 1.0) & (after < settled)) | (reach < longest * _SHORTEST_SHARE)
        return [*new, gone, reach], done

    found = until(step, [*start, 0.0, longest], limit=_PASSES, expected=_EXPECTED_PASSES)
    return found[:-2]


def orientation(pivots: Sequence[Scalar]) -> Scalar:
    """The sign of the determinant that these are the pivots of."""
    sign: Scalar = 1.0
    for pivot in pivots:
        sign = where(pivot < 0.0, -sign, sign)
    return sign


def _largest(values: Sequence[Scalar]) -> Scalar:
    largest: Scalar = 0.0
    for x in values:
        largest = maximum(largest, abs(x))
    return largest
