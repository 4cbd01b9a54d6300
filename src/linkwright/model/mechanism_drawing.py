"""A mechanism as drawn: bodies and joints with their places, before anyone chose a tree."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .body_inertia import Inertia
from .constraints import Constraint
from .joint import Joint
from .model import GROUND
from .pose import Pose

_NEEDS_COORDINATE = ("armature", "damping", "stiffness", "friction")


@dataclass(frozen=True)
class DrawnBody:
    """Where a body's frame is in the world, and its inertia in that frame."""

    pose: Pose
    inertia: Inertia


@dataclass(frozen=True)
class DrawnJoint:
    """`joint` lets `second` move relative to `first`; `on` holds its frame on each, in the bodies' drawn frames."""

    joint: Joint
    first: str
    second: str
    on: dict[str, Pose]
    actuated: bool

    @property
    def needs_coordinate(self) -> list[str]:
        """What acts along the joint's coordinate and would be lost without one."""
        return [name for name in _NEEDS_COORDINATE if np.any(getattr(self.joint, name))]


@dataclass
class Drawing:
    name: str
    gravity: np.ndarray
    bodies: dict[str, DrawnBody] = field(
        default_factory=lambda: {GROUND: DrawnBody(Pose.identity(), Inertia.zero())}
    )
    joints: dict[str, DrawnJoint] = field(default_factory=dict)
    frames: dict[str, tuple[str, Pose]] = field(default_factory=dict)
    constraints: list[Constraint] = field(default_factory=list)
