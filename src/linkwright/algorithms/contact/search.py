"""How far to go along a Newton step, found in the space of the sites: no product with the inertia matrix.

Every trial models the costs where it looks, so that the model of the point that is taken is there for the next step.
Safeguarded Newton from the whole step on: the bracket is halved unless steps shrink (between two kinks Newton would
cycle, and false position stalls). Slopes are continuous, so that halving ends where they vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...scalar import Scalar, absolute, maximum, until, where
from .cones import Values
from .sites import Site

SLOPE = 0.05  # of the slope at the start: how much may be left
TRIALS = 40
_EXPECTED = 1.3
_UNBOUNDED = 1e3
_FIRST_STEP = 1e30  # whatever the first one is, it shrinks
_FLAT = 1e-30


@dataclass(frozen=True)
class SearchLine:
    """From x along dx, with forces phi along dphi. `lam` are multipliers of constraints, which come last; `rest` is
    what w g does along the step, `steep` the slope at its start, `rounding` what sums of slopes leave of zero."""

    sites: Sequence[Site]
    x: list[Values]
    dx: list[Values]
    phi: list[Values]
    dphi: list[Values]
    lam: list[Values]
    rest: Scalar
    steep: Scalar
    rounding: float

    def models(self, t: Scalar) -> list[Values]:
        """Of all sites but constraints, at t."""
        return [site.evaluate(self._at(k, t)) for k, site in enumerate(self.soft)]

    @property
    def soft(self) -> Sequence[Site]:
        return self.sites[: len(self.sites) - len(self.lam)]

    def _at(self, k: int, t: Scalar) -> Values:
        return [p + t * d for p, d in zip(self.x[k], self.dx[k], strict=True)]

    def linear(self) -> tuple[Scalar, Scalar]:
        """Slope at the start and curvature of all but the sites' costs."""
        slope, curvature = self.rest, -self.rest
        for d, f, df in zip(self.dx, self.phi, self.dphi, strict=True):
            for step, force, change in zip(d, f, df, strict=True):
                slope, curvature = slope + step * force, curvature + step * change
        return slope, curvature

    def derivatives(self, t: Scalar, models: list[Values]) -> tuple[Scalar, Scalar]:
        """First and second, of the sites' costs at t."""
        first: Scalar = 0.0
        second: Scalar = 0.0
        for k, (site, own) in enumerate(zip(self.sites, [*models, *self.lam], strict=True)):
            for step, force in zip(self.dx[k], site.force(own, self._at(k, t)), strict=True):
                first = first - step * force
            second = second + site.along(own, self.dx[k])
        return first, second


def walked(line: SearchLine, whole: Scalar) -> tuple[Scalar, list[Values]]:
    """(t, the models there): the whole step (1; 0 to stay), or less of it, or more."""
    slope, curvature = line.linear()
    wanted = absolute(line.steep) * SLOPE + (absolute(slope) + absolute(curvature)) * line.rounding

    def trial(values):
        _, low, high, last, t = values[:5]
        models = line.models(t)
        first, second = line.derivatives(t, models)
        first, second = first + (slope + t * curvature), second + curvature
        found = absolute(first) <= wanted
        above = first > 0.0
        high, low = where(above, t, high), where(above, low, t)
        step = -(first / maximum(second, _FLAT))
        new = t + step
        shrinks = (absolute(step) <= last * 0.5) & (new > low) & (new < high)
        halved = where(shrinks, new, (low + high) * 0.5)
        new = where(high < _UNBOUNDED, halved, where(new < _UNBOUNDED, new, t * 4.0))
        return [t, low, high, absolute(new - t), new, *(x for own in models for x in own)], found

    sizes = [site.model_size for site in line.soft]
    start = [whole, 0.0, _UNBOUNDED, _FIRST_STEP, whole, *[0.0] * sum(sizes)]
    values = until(trial, start, limit=TRIALS, expected=_EXPECTED)
    models, at = [], 5
    for size in sizes:
        models.append(values[at : at + size])
        at += size
    return values[0], models
