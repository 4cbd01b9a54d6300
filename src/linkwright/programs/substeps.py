"""A step taken in parts where it is too long for the mechanism.

Near a dead point the directions in which a closed loop can move turn within a fraction of a radian, and joints reverse
at accelerations that one step of fixed length cannot follow: it would pump energy into the mechanism until nothing is
finite. So a step that changes velocities too suddenly is tried again, shorter; all that inside the compiled step, for
every sample by itself. Almost every step is taken at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..scalar import Scalar, maximum, minimum, until, where

# Velocities may change by this share of the fastest joint's in one go ...
SUDDEN = 0.02
# ... or by as much as this acceleration (rad/s^2, m/s^2) makes of them: what starts from rest must get going, and where
# weight does more than this no part is short enough (it does 60 in the biped, 45 in the delta robot).
HARMLESS = 100.0
PARTS = 16384  # of a step; a part that short is taken as it is
_REJECTED = 0.2  # of its length, at least, is what is tried instead of a part that was too long
_SAFETY = 0.8
_TINY = 1e-300
_WHOLE = 1.0 - 1e-9
_PASSES = 2 * PARTS + 16  # more cannot be needed: after a rejection, the part that is taken has a 16384th at least

Take = Callable[[Mapping[str, Any], Scalar], dict[str, Any]]
Pace = Callable[[Sequence[Scalar]], Scalar]


def in_parts(take: Take, start: Mapping[str, Any], dt: Scalar, pace: Pace) -> dict[str, Any]:
    """What `take(state, h)` gives, for h adding up to dt.

    start   the state q, v, lam, and everything else that `take` returns, as it is before the first part
    pace    the largest of velocities or accelerations, as far as they count
    """
    names = list(start)
    sizes = [len(_flat(start[name])) for name in names]

    def flat(state: Mapping[str, Any]) -> list[Scalar]:
        return [x for name in names for x in _flat(state[name])]

    def split(values) -> dict[str, list[Scalar]]:
        parts, at = {}, 0
        for name, size in zip(names, sizes, strict=True):
            parts[name] = list(values[at : at + size])
            at += size
        return parts

    def part(values, running):
        state, elapsed, length = split(values), values[-2], values[-1]
        h = minimum(length, dt - elapsed)
        new = take(state, h)
        change, allowed = pace(new["a"]) * h, bearable_change(pace(state["v"]), h)
        over = ~(allowed < float("inf"))  # no use in trying again what is not finite any more
        taken = (change <= allowed) | is_shortest(h, dt) | over
        fitting = h * _SAFETY * minimum(maximum(allowed / maximum(change, _TINY), _REJECTED), 2.0 / _SAFETY)
        moves_on = running & taken
        kept = [where(moves_on, x, y) for x, y in zip([*flat(new), elapsed + h], values, strict=False)]
        length = where(running, maximum(fitting, dt * (1.0 / PARTS)), length)
        return [*kept, length], taken & (kept[-1] >= dt * _WHOLE)

    return split(until(part, [*flat(start), 0.0, dt], limit=_PASSES, expected=1.0, keeps=True))


def at_once(take: Take, start: Mapping[str, Any], dt: Scalar, pace: Pace) -> tuple[dict[str, Any], Scalar]:
    """What `in_parts` gives where one part is enough; and whether it is."""
    result = take(start, dt)
    return result, pace(result["a"]) * dt <= bearable_change(pace(start["v"]), dt)


def bearable_change(fastest: Scalar, h: Scalar) -> Scalar:
    """By how much a velocity may change in a part of h seconds."""
    return fastest * SUDDEN + HARMLESS * h


def is_shortest(h: Scalar, dt: Scalar) -> Scalar:
    return h <= dt * (1.0001 / PARTS)


def _flat(value: Any) -> list[Scalar]:
    """Scalars of a nested list. An array of numbers is one scalar: of a batch."""
    if isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.dtype == object):
        return [x for part in value for x in _flat(part)]
    return [value]
