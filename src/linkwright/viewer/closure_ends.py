"""Where constraints take hold of bodies."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import Model, Pose
from ..model.constraints import RelativeConstraint, Rod


@dataclass(frozen=True)
class ClosureEnd:
    """One end of a constraint: a pose on a body, the ground being body 0.

    rod       the two ends stay apart
    is_pivot  on the ground, at a frame named for it, as pivots of linkages are; feet on the floor have none
    """

    constraint: str
    body: int
    pose: Pose
    rod: bool = False
    is_pivot: bool = False


def closure_ends(model: Model) -> list[tuple[ClosureEnd, ...]]:
    """The ends of every constraint between frames; one end where a frame is held on the ground wherever it is."""
    found = []
    for c in model.constraints:
        if not isinstance(c, RelativeConstraint | Rod):  # gears and sums take hold of no place that could be shown
            continue
        first, second, is_rod = model.frame(c.frame), model.frame(c.other), isinstance(c, Rod)
        ends = [ClosureEnd(c.name, first.body, first.placement, is_rod)]
        target = Pose.identity() if isinstance(c, Rod) else c.target
        if target is not None:
            ends.append(ClosureEnd(c.name, second.body, second.placement @ target, is_rod, c.other in model.frames))
        found.append(tuple(ends))
    return found
