"""What a step of a leapfrog remembers for the next one, besides the state of the mechanism."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..model import Model
from ..scalar import Scalar, minimum, where

_HALF = 0.5  # counts are whole numbers, carried as floats
_MOST_KNOWN = 3.0
# Means of the parabola, and of the line, through the last rates, over the half step from now on.
_BY_THREE = (29.0 / 12.0, -25.0 / 12.0, 2.0 / 3.0)
_BY_TWO = (7.0 / 4.0, -3.0 / 4.0, 0.0)
_BY_ONE = (1.0, 0.0, 0.0)


@dataclass(frozen=True)
class SteppingMemory:
    """Zeros know nothing.

    last, before, first   (nv,) each: how velocities u changed in the last steps, per second, the latest one first
    known      how many of them there are
    open_for   steps since rows were closed
    length     seconds of the part that Dormand and Prince's pair would take next; 0 where it did not take the last step
    error      of the pair's last part, relative to what is allowed
    jumping    (nv,) torques of the last step that may jump from step to step: given ones, dry friction, limits
    commands   (nu,) of the last step
    taken, rejected, shortest   steps and parts of steps so far, and the seconds of the shortest (0: none yet)
    """

    last: Sequence[Scalar]
    before: Sequence[Scalar]
    first: Sequence[Scalar]
    known: Scalar
    open_for: Scalar
    length: Scalar
    error: Scalar
    jumping: Sequence[Scalar]
    commands: Sequence[Scalar]
    taken: Scalar
    rejected: Scalar
    shortest: Scalar

    @classmethod
    def empty(cls, model: Model) -> SteppingMemory:
        """Of a first step."""
        none = [0.0] * model.nv
        return cls(none, none, none, 0.0, 0.0, 0.0, 0.0, none, [0.0] * model.nu, 0.0, 0.0, 0.0)

    def expected_rate(self) -> list[Scalar]:
        """The mean rate from the step's start to its middle, as far as the last ones tell. Two would do for accuracy,
        but what they leave always does work of one sign."""
        none, one, two = (self.known < k + _HALF for k in range(3))
        x, y, z = (
            where(none, 0.0, where(one, by_one, where(two, by_two, by_three)))
            for by_one, by_two, by_three in zip(_BY_ONE, _BY_TWO, _BY_THREE, strict=True)
        )
        rates = zip(self.last, self.before, self.first, strict=True)
        return [x * last + y * before + z * first for last, before, first in rates]

    @property
    def knows(self) -> Scalar:
        """Whether there is a last rate."""
        return self.known > _HALF

    @property
    def is_after_parts(self) -> Scalar:
        """Whether the last step was taken by the pair."""
        return self.length > 0.0

    def after(self, rate: Sequence[Scalar]) -> SteppingMemory:
        """With the rate of this step."""
        known = minimum(self.known + 1.0, _MOST_KNOWN)
        return replace(self, last=rate, before=self.last, first=self.before, known=known, length=0.0)

    def after_parts(self, rate: Sequence[Scalar], length: Scalar) -> SteppingMemory:
        """With the mean rate of this step alone, whose parts became so long: those before it were too different. (What
        the rate is at the end says little where dampers are stiff: an error that does not matter makes much of it.)"""
        none = [0.0] * len(rate)
        return replace(self, last=rate, before=none, first=none, known=1.0, length=length)

    def counting(self, h: Scalar, taken: Scalar, rejected: Scalar) -> SteppingMemory:
        """With a part of h seconds more, if one was taken or rejected."""
        shorter = where(self.shortest > 0.0, minimum(self.shortest, h), h)
        return replace(
            self, taken=self.taken + where(taken, 1.0, 0.0), rejected=self.rejected + where(rejected, 1.0, 0.0),
            shortest=where(taken, shorter, self.shortest),
        )  # fmt: skip
