"""Where constraints take hold of bodies."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Model, Pose


@dataclass(frozen=True)
class ClosureEnd:
    """One end of a constraint: a pose on a body, the ground being body 0. `rod`: the two ends stay apart."""

    constraint: str
    body: int
    pose: Pose
    rod: bool = False


def closure_ends(model: Model) -> list[tuple[ClosureEnd, ...]]:
    """The ends of every constraint between frames; one end where a frame is held on the ground wherever it is."""
    found = []
    for c in model.constraints:
        first, second = model.frame(c.frame), model.frame(c.other)
        ends = [ClosureEnd(c.name, first.body, first.placement)]
        if second.body or c.target is not None:
            target = c.target if c.target is not None else Pose.identity()
            ends.append(ClosureEnd(c.name, second.body, second.placement @ target))
        found.append(tuple(ends))
    return found
