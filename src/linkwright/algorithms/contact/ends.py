"""When passes of Newton's method end: where forces are what accelerations say, where a step promises too little, where
hard rows come no nearer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...scalar import Scalar, absolute, maximum, where
from .halving import largest, total
from .sites import ConstraintSite
from .soft_problem import Iterate, SoftProblem

# Hard rows that depend on each other, or contradict each other, are met up to rounding or not at all: passes end where
# the largest miss is no longer halved. Up to so much of 1 + the largest acceleration it counts as met.
_HALVED = 0.5
_MISSED_BY_ROUNDING = 1e-8
GOES_ON, SETTLED, MET = 0.0, 1.0, 2.0  # what became of a sample
LOST = -1.0  # it is no number any more, and further passes would not make it one


@dataclass(frozen=True)
class Ends:
    """tolerance    of the error of accelerations, relative to 1 + the largest
    improvement  of the cost that a step must promise, else there is none, or it is the last
    limit        passes at the most
    rounding     what sums of slopes leave of zero, relative to their terms
    """

    tolerance: float
    improvement: float
    limit: int
    rounding: float

    def are_settled(self, soft: SoftProblem, now: Iterate, errors: Sequence[Scalar]) -> Scalar:
        """Whether forces of soft rows are what accelerations say, or so nearly that no step would promise enough: one
        that does away with an error e of what moves by 1/m per force lowers the cost by about m/2 e^2."""
        bearable = self._bearable(now)
        settled = maximum(largest(errors), absolute(now.w)) <= bearable
        if not self.improvement:
            return settled
        promised = total([
            error * error * (0.5 / max(site.weights)) for site, error in zip(soft.yielding, errors, strict=True)
        ])
        return settled | ((promised <= self.improvement) & (absolute(now.w) <= bearable))

    def are_met(self, soft: SoftProblem, now: Iterate) -> Scalar:
        """Whether hard rows are."""
        return missed(soft, now) <= self._bearable(now)

    def outcome(
        self, soft: SoftProblem, now: Iterate, settled: Scalar, there: Iterate, step: Scalar, steep: Scalar
    ) -> Scalar:
        """Whether a step of this size, with this slope at its start, leaves nothing to do: soft rows were settled
        before it, or it is small (of forces in stiff directions rounding may leave more); hard rows are met, or no
        nearer than before."""
        goes_on = where(absolute(steep) < float("inf"), GOES_ON, LOST)  # false for nan too; all accelerations are in it
        bearable = self._bearable(there)
        small = maximum(step, absolute(there.w)) <= bearable
        if self.improvement:
            small = small | (steep * -0.5 <= self.improvement)
        if not soft.hard or not soft.problem.constraints:
            return where(small, MET, goes_on)
        miss = missed(soft, there)
        at_rest = (miss > _HALVED * missed(soft, now)) & (settled | small)
        rounding = _MISSED_BY_ROUNDING * (1.0 + largest(there.a))
        met = (small & (miss <= bearable)) | (at_rest & (miss <= rounding))
        return where(met, MET, where(at_rest, SETTLED, goes_on))

    def _bearable(self, at: Iterate) -> Scalar:
        return self.tolerance * (1.0 + largest(at.a))


def missed(soft: SoftProblem, at: Iterate) -> Scalar:
    """What is left of hard constraints."""
    rows = [
        value - e for site, x in zip(soft.sites, at.x, strict=True) if isinstance(site, ConstraintSite)
        for value, e in zip(x, site.rows.e, strict=True)
    ]  # fmt: skip
    return largest(rows)
