"""Where in a trajectory shapes met whose contact is not computed, and what would help."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..algorithms.contact.watching import meeting
from ..model.contact.possible_pairs import ShapeNames
from ..model.contact.untold_pairs import remedy
from ..programs.status import STATUS_NOT_MODELLED

if TYPE_CHECKING:
    from .trajectory import Trajectory

_AT_ONCE = 256  # states


class Meeting(NamedTuple):
    """Pairs that overlap at t = `time`, the first time any does, in a sample of a batch (None: there is one alone)."""

    pairs: list[ShapeNames]
    time: float
    sample: int | None


def first_meeting(tr: Trajectory) -> Meeting | None:
    """Of the first sample whose status says that pairs met; None if none did in any state that was recorded."""
    codes = np.atleast_1d(tr.worst[..., 3])
    told = np.flatnonzero(codes == STATUS_NOT_MODELLED)
    sample = int(told[0]) if len(told) else int(np.argmax(codes))
    states = tr.q if tr.batch is None else tr.q[sample]
    for begin in range(0, len(states), _AT_ONCE):
        some = states[begin : begin + _AT_ONCE]
        with np.errstate(all="ignore"):
            found = [(pair, np.broadcast_to(met, len(some)) > 0.5) for pair, met in meeting(tr.model, list(some.T))]
        met = [int(np.argmax(flags)) for _, flags in found if flags.any()]
        if met:
            first = min(met)
            pairs = [pair for pair, flags in found if flags[first]]
            return Meeting(pairs, float(tr.t[begin + first]), None if tr.batch is None else sample)
    return None


def told_of_meeting(tr: Trajectory) -> str:
    """Who met when, and what to do about it."""
    helps, found = "if it does not matter, robot.unwatched()", first_meeting(tr)
    if found is None:
        return f", between states that were recorded: record more of them; {helps}"
    (one, two), others = found.pairs[0], len(found.pairs) - 1
    shapes = {shape.name: shape for shape in tr.model.shapes}
    more = f", and {others} more pair{'s' if others > 1 else ''}" if others else ""
    where = "" if found.sample is None else f" in sample {found.sample}"
    first = f": {one!r} with {two!r}{more}, at t = {found.time:.6g} s{where}"
    return f"{first}: {remedy(shapes[one], shapes[two])}; {helps}"
