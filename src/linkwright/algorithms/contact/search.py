"""How far to go along a Newton step, found in the space of the sites: no product with the inertia matrix.

Safeguarded Newton from the whole step on: the bracket is halved unless steps shrink (between two kinks Newton would
cycle, and false position stalls). Slopes are continuous, so that halving ends where they vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...scalar import Scalar, absolute, maximum, negated, until, where
from .cones import Values
from .halving import total
from .sites import Site, Slopes, VelocitySite

SLOPE = 0.05  # of the slope at the start: how much may be left
TRIALS = 40
_EXPECTED = 1.3
# Beyond a kink curvature may be thousands of times less (a contact that held slides), and the minimum as far away.
_UNBOUNDED = 1e9
_FIRST_STEP = 1e30  # whatever the first one is, it shrinks
_FLAT = 1e-30


@dataclass(frozen=True)
class SearchLine:
    """From x along d. The cost's slope at the start is `steep`, of which `slope` + t `curvature` is what the mechanism
    does and the rest the sites; `rounding` is what sums of slopes leave of zero, relative to their terms."""

    sites: Sequence[Site]
    x: list[Values]
    d: list[Values]
    steep: Scalar
    slope: Scalar
    curvature: Scalar
    rounding: float

    def at(self, t: Scalar) -> Slopes:
        parts = [Slopes(self.slope + t * self.curvature, self.curvature)]
        for site, x, d in zip(self.sites, self.x, self.d, strict=True):
            if isinstance(site, VelocitySite):
                parts.append(site.slopes(x, d, t, Slopes(0.0, 0.0)))
            else:  # one after the other, through their guards
                parts[0] = site.slopes(x, d, t, parts[0])
        return Slopes(*(total(own) for own in zip(*parts, strict=True)))


def walked(line: SearchLine) -> Scalar:
    """t: the whole step, 1, or less of it, or more."""
    wanted = absolute(line.steep) * SLOPE + (absolute(line.slope) + absolute(line.curvature)) * line.rounding

    def trial(values):
        _, low, high, last, t = values
        first, second = line.at(t)
        found = negated(absolute(first) > wanted)  # holds for nan: no trial makes it a number
        above = first > 0.0
        high, low = where(above, t, high), where(above, low, t)
        step = -(first / maximum(second, _FLAT))
        new = t + step
        shrinks = (absolute(step) <= last * 0.5) & (new > low) & (new < high)
        halved = where(shrinks, new, (low + high) * 0.5)
        new = where(high < _UNBOUNDED, halved, where(new < _UNBOUNDED, new, t * 4.0))
        return [t, low, high, absolute(new - t), new], found

    return until(trial, [1.0, 0.0, _UNBOUNDED, _FIRST_STEP, 1.0], limit=TRIALS, expected=_EXPECTED)[0]
