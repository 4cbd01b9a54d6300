"""A step taken in parts where it is too long for the mechanism.

Near a dead point the directions in which a closed loop can move turn within a fraction of a radian, and joints reverse
at accelerations that one step of fixed length cannot follow: it would pump energy into the mechanism until nothing is
finite. So a step that changes velocities too suddenly is tried again, shorter; all that inside the compiled step, for
every sample by itself. Almost every step is taken at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..scalar import Scalar, maximum, minimum, until, where
from .carried import Carried

# Velocities may change by this share of the fastest joint's in one go ...
SUDDEN = 0.02
SUDDEN_SOON = 0.006  # where accelerations have more than doubled since the last step: the next one would be too long
# ... or by as much as this acceleration (rad/s^2, m/s^2) makes of them: what starts from rest must get going, and where
# weight does more than this no part is short enough (it does 60 in the biped, 45 in the delta robot).
HARMLESS = 100.0
TURNED = 0.04  # rad: hinges of loops may turn by so much in a step of Euler's, whose rows are open by its third power
AFTER_PARTS = 0.7  # of all that is bearable for a step whose predecessor was too long
TURNED_TOUCHING = 0.1  # rad: the same where things touch; Runge-Kutta is no way out there
PARTS_TOUCHING = 256
PARTS = 16384  # of a step; a part that short is taken as it is
_REJECTED = 0.2  # of its length, at least, is what is tried instead of a part that was too long
_SAFETY = 0.8
_TINY = 1e-300
_WHOLE = 1.0 - 1e-9
Take = Callable[[Mapping[str, Any], Scalar], dict[str, Any]]
Pace = Callable[[Sequence[Scalar]], Scalar]
Excess = Callable[[Mapping[str, Any], Mapping[str, Any], Scalar], Scalar]


def in_parts(take: Take, start: Mapping[str, Any], dt: Scalar, excess: Excess, finest: int = PARTS) -> dict[str, Any]:
    """What `take(state, h)` gives, for h adding up to dt; of each name in `start`, as flat lists.

    start    the state, and everything else that `take` returns, as it is before the first part
    excess   (before, after, h) -> how many times as long a part was as it may be
    finest   as many parts as this there are at most
    """
    carried = Carried(start)

    def part(values, running):
        state, elapsed, length = carried.split(values), values[-2], values[-1]
        h = minimum(length, dt - elapsed)
        new = take(state, h)
        over = excess(state, new, h)
        taken = ~(over > 1.0) | (h <= dt * (1.0001 / finest)) | ~(over < float("inf"))  # nor what is not finite again
        fitting = h * _SAFETY * minimum(maximum(1.0 / maximum(over, _TINY), _REJECTED), 2.0 / _SAFETY)
        moves_on = running & taken
        kept = [where(moves_on, x, y) for x, y in zip([*carried.flat(new), elapsed + h], values, strict=False)]
        length = where(running, maximum(fitting, dt * (1.0 / finest)), length)
        return [*kept, length], taken & (kept[-1] >= dt * _WHOLE)

    passes = 2 * finest + 16  # more cannot be needed: after a rejection, the part that is taken has a share at least
    return carried.split(until(part, [*carried.flat(start), 0.0, dt], limit=passes, expected=1.0, keeps=True))


def too_sudden(pace: Pace, dt: Scalar) -> Excess:
    """Parts in which velocities change more than they may."""
    return lambda state, new, h: pace(new["a"]) * h / bearable_change(pace(state["v"]), dt)


def turns_too_far(turning: Pace) -> Excess:
    """Parts in which a hinge of a loop turns too far, before or after whatever happened in it. What velocities change
    by is no measure where things hit each other."""
    return lambda state, new, h: maximum(turning(state["v"]), turning(new["v"])) * h * (1.0 / TURNED_TOUCHING)


def at_once(take: Take, start: Mapping[str, Any], dt: Scalar, pace: Pace) -> tuple[dict[str, Any], Scalar]:
    """The whole step, and whether that is not too long."""
    result = take(start, dt)
    return result, pace(result["a"]) * dt <= bearable_change(pace(start["v"]), dt)


def bearable_change(fastest: Scalar, time: Scalar, sudden: float = SUDDEN) -> Scalar:
    """By how much a velocity may change in one go, if what is harmless may do so for that time."""
    return fastest * sudden + HARMLESS * time


def is_shortest(h: Scalar, dt: Scalar) -> Scalar:
    return h <= dt * (1.0001 / PARTS)
