"""How one frame may move relative to another, or to the ground: welds, points, and closures by joints.

Rows act on the velocity of the first frame relative to the second, written in the first frame's coordinates as
[linear; angular]: `rows @ (v1 - X12 v2) = 0`. For a point it is the difference of the two origins' velocities,
R1' (p1dot - p2dot), and nothing more. These are the rows of a joint whose free directions are fixed in the child.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError, ModelError
from ...fixed_order import PivotedColumns, unit
from ..pose import Pose, PoseLike
from .constraint import (
    DIRECTIONS,
    GROUND_FRAME,
    Constraint,
    check_text,
    checked_rows,
    chosen_directions,
    frame_of,
    renamed_frame,
)

_NO_ROTATION = 1e-9  # what rows hold of a direction below this is rounding


@dataclass(frozen=True, eq=False, kw_only=True)
class RelativeConstraint(Constraint):
    """Made by `weld`, `connect`, `constrain` and `close_with`.

    rows     (m, 6), acting on the [linear; angular] velocity of `frame` relative to `other`, in `frame`'s coordinates
    point    compare the velocities of the two origins, not of the bodies at one place
    crossed  one further row: the first axis, of `frame`, stays perpendicular to the second, of `other` at `target`
    target   where `frame` should be in `other`; without it, on the ground, there is nothing to stabilize
    """

    frame: str
    other: str
    rows: np.ndarray
    point: bool = False
    crossed: tuple[np.ndarray, np.ndarray] | None = None
    target: Pose | None = None

    kind: ClassVar[str] = "relative"

    def __post_init__(self):
        object.__setattr__(self, "rows", checked_rows(self.rows, self.name))
        super().__post_init__()
        check_text(self, "frame", "other")
        if self.point and self.rows[:, 3:].any():
            raise ModelError(f"constraint {self.name!r} is between points, so its rows must not act on rotations")
        if self.other == self.frame:
            raise ModelError(f"constraint {self.name!r} is between {self.frame!r} and itself")
        if self.target is None and self.other != GROUND_FRAME:
            object.__setattr__(self, "target", Pose.identity())

    @property
    def size(self) -> int:
        return len(self.rows) + (self.crossed is not None)

    @property
    def has_position(self) -> bool:
        return self.target is not None

    @property
    def placed_frames(self) -> tuple[tuple[str, Pose | None], ...]:
        return (self.frame, None), (self.other, self.target)

    @property
    def changeable_rows(self) -> tuple[np.ndarray, ...]:
        """Position errors are measured in a way that depends on which rotations the rows hold."""
        return () if self.has_position else (self.rows,)

    @cached_property
    def held_rotations(self) -> int:
        """How many directions of rotation its rows hold."""
        return PivotedColumns(self.rows[:, 3:].T, _NO_ROTATION).rank

    @cached_property
    def turning_axis(self) -> np.ndarray | None:
        """The one axis it lets the frame turn about, in the frame; None if there is none, or more than one."""
        if self.held_rotations != 2:
            return None
        axis = np.cross(*PivotedColumns(self.rows[:, 3:].T, _NO_ROTATION).Q.T)
        return unit(np.where(np.abs(axis) < 1e-12, 0.0, axis))

    def bodies(self, model) -> tuple[int, ...]:
        first, second = frame_of(model, self, self.frame).body, frame_of(model, self, self.other).body
        if second and first in (0, second):
            where = "on the ground" if first == 0 else f"on body {model.bodies[first].name!r}, as is the second"
            raise InputError(
                f"constraint {self.name!r}: its first frame, {self.frame!r}, is {where}; expected a frame that moves "
                f"relative to the second"
            )
        return (first, second) if second else (first,)

    def renamed(self, prefix: str, ground: str) -> RelativeConstraint:
        frame, other = (renamed_frame(name, prefix, ground) for name in (self.frame, self.other))
        return replace(self, name=prefix + self.name, frame=frame, other=other)

    def to_dictionary(self) -> dict[str, Any]:
        target = self.target
        return {
            "frame": self.frame,
            "other": self.other,
            "rows": self.rows.tolist(),
            "point": self.point,
            "crossed": None if self.crossed is None else [axis.tolist() for axis in self.crossed],
            "target": None if target is None else [target.rotation.tolist(), target.translation.tolist()],
        }

    @classmethod
    def from_dictionary(cls, data: Mapping[str, Any]) -> RelativeConstraint:
        target, crossed = data["target"], data["crossed"]
        axes = None if crossed is None else tuple(np.array(axis, dtype=float) for axis in crossed)
        pose = None if target is None else Pose(*(np.array(x, dtype=float) for x in target))
        return cls(**{**data, "target": pose, "crossed": axes})


def weld(
    frame: str, other: str = GROUND_FRAME, *, name: str | None = None, directions=None, at: PoseLike = None, mu=None
) -> RelativeConstraint:
    """Hold a frame on the ground, or on another frame, in all six directions or in some of x y z rx ry rz, its axes."""
    label = name or frame
    rows = np.eye(6)[chosen_directions(directions, DIRECTIONS, label)]
    return RelativeConstraint(name=label, frame=frame, other=other, rows=rows, target=target_pose(at), mu=mu)


def connect(
    frame: str, other: str = GROUND_FRAME, *, name: str | None = None, at: PoseLike = None, mu=None
) -> RelativeConstraint:
    """Hold the origin of a frame on the ground, or on the origin of another frame; it may turn."""
    return RelativeConstraint(
        name=name or frame, frame=frame, other=other, rows=np.eye(6)[:3], point=True, target=target_pose(at), mu=mu
    )


def target_pose(at: PoseLike) -> Pose | None:
    return None if at is None else Pose.of(at)
