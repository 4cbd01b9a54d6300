"""Limbs written as tables of segments, shared by the legged robots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..model import Inertia, ModelBuilder
from ..model.joint import revolute

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Segment:
    """A body that turns about a coordinate axis. Lengths in metres, for the left side; y points to the left."""

    name: str
    axis: str
    at: Triple  # the joint, in the frame of the segment before
    mass: float
    com: Triple
    size: Triple  # of the box whose inertia it has
    lower: float
    upper: float
    effort: float

    def mirrored(self) -> Segment:
        """The same on the right side. Turning about x and z is mirrored too, so that equal q look the same."""
        axis = self.axis if self.axis == "y" else f"-{self.axis}"
        return Segment(
            self.name, axis, _flip(self.at), self.mass, _flip(self.com), self.size, self.lower, self.upper, self.effort
        )


def add_limb(builder: ModelBuilder, prefix: str, segments: tuple[Segment, ...], parent: str, *, right: bool) -> str:
    """Add the segments one after the other, as "prefix_name" on joints "prefix_name_joint"; the last body's name."""
    for segment in segments:
        s = segment.mirrored() if right else segment
        name = prefix + s.name
        joint = revolute(f"{name}_joint", s.axis, lower=s.lower, upper=s.upper, effort_limit=s.effort)
        inertia = Inertia.box(s.mass, s.size, s.com)
        parent = builder.add_body(name, joint, parent=parent, placement=np.array(s.at), inertia=inertia)
    return parent


def _flip(v: Triple) -> Triple:
    return (v[0], -v[1], v[2])
