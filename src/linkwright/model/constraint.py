"""Constraints on the motion of a frame, relative to the ground or to another frame.

A constraint fixes some combinations of the velocity of its first frame relative to its second one, written in the first
frame's coordinates as [linear; angular]: `rows @ (v1 - X12 v2) = 0`. For a point it is the difference of the two
origins' velocities, R1' (p1dot - p2dot), and nothing more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..errors import ModelError
from .pose import Pose, PoseLike

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")  # linear, then angular, in the first frame
GROUND_FRAME = "world"


@dataclass(frozen=True, eq=False, kw_only=True)
class Constraint:
    """Made by `weld`, `connect` and `constrain`.

    rows    (m, 6), acting on the [linear; angular] velocity of `frame` relative to `other`, in `frame`'s coordinates
    point   compare the velocities of the two origins, not of the bodies at one place
    target  where `frame` should be in `other`; needed for stabilization only
    mu      penalty of each row for the proximal solvers; None lets them choose
    """

    name: str
    frame: str
    other: str
    rows: np.ndarray
    point: bool = False
    target: Pose | None = None
    mu: np.ndarray | None = None

    def __post_init__(self):
        for what in ("name", "frame", "other"):
            if not isinstance(getattr(self, what), str) or not getattr(self, what):
                raise ModelError(f"{what} of a constraint is {getattr(self, what)!r}; expected a non-empty string")
        try:
            rows = np.array(self.rows, dtype=float)
        except (TypeError, ValueError):
            raise ModelError(f"K of constraint {self.name!r} is {self.rows!r}; expected numbers (m, 6)") from None
        if rows.ndim != 2 or rows.shape[1] != 6 or not len(rows):
            raise ModelError(f"K of constraint {self.name!r} has shape {rows.shape}; expected (m, 6) with m >= 1")
        if not np.all(np.isfinite(rows)):
            raise ModelError(f"K of constraint {self.name!r} is {rows.tolist()}; every number must be finite")
        rows.flags.writeable = False
        object.__setattr__(self, "rows", rows)
        if self.mu is not None:
            object.__setattr__(self, "mu", _penalties(self.mu, len(rows), self.name))
        if self.point and self.rows[:, 3:].any():
            raise ModelError(f"constraint {self.name!r} is between points, so its rows must not act on rotations")
        if self.other == self.frame:
            raise ModelError(f"constraint {self.name!r} is between {self.frame!r} and itself")
        if self.target is None and self.closes_a_loop:
            object.__setattr__(self, "target", Pose.identity())

    @property
    def size(self) -> int:
        return len(self.rows)

    @property
    def closes_a_loop(self) -> bool:
        """Whether it is between two bodies, and not a body and the ground."""
        return self.other != GROUND_FRAME

    def renamed(self, prefix: str) -> Constraint:
        other = self.other if self.other == GROUND_FRAME else prefix + self.other
        return replace(self, name=prefix + self.name, frame=prefix + self.frame, other=other)


def weld(
    frame: str, other: str = GROUND_FRAME, *, name: str | None = None, directions=None, at: PoseLike = None, mu=None
) -> Constraint:
    """Hold a frame on the ground, or on another frame, in all six directions or in some of x y z rx ry rz, its axes."""
    label = name or frame
    if directions is None:
        directions = DIRECTIONS
    listed = directions.split() if isinstance(directions, str) else list(directions)
    for direction in listed:
        if direction not in DIRECTIONS:
            raise ModelError(
                f"constraint {label!r} has direction {direction!r}; expected some of {' '.join(DIRECTIONS)}"
            )
    rows = np.eye(6)[[DIRECTIONS.index(direction) for direction in listed]] if listed else np.zeros((0, 6))
    return Constraint(name=label, frame=frame, other=other, rows=rows, target=_target(at), mu=mu)


def connect(
    frame: str, other: str = GROUND_FRAME, *, name: str | None = None, at: PoseLike = None, mu=None
) -> Constraint:
    """Hold the origin of a frame on the ground, or on the origin of another frame; it may turn."""
    return Constraint(
        name=name or frame, frame=frame, other=other, rows=np.eye(6)[:3], point=True, target=_target(at), mu=mu
    )


def constrain(frame: str, K, *, name: str | None = None, mu=None) -> Constraint:
    """K times the frame's [linear; angular] acceleration in its own coordinates is a desired value (zero)."""
    return Constraint(name=name or frame, frame=frame, other=GROUND_FRAME, rows=K, mu=mu)


def _target(at: PoseLike) -> Pose | None:
    return None if at is None else Pose.of(at)


def _penalties(mu, count: int, name: str) -> np.ndarray:
    try:
        array = np.array(mu, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"mu of constraint {name!r} is {mu!r}; expected one number or {count}") from None
    if array.ndim == 0:
        array = np.full(count, float(array))
    if array.shape != (count,):
        raise ModelError(f"mu of constraint {name!r} has shape {array.shape}; expected one number or {count}")
    if not np.all(np.isfinite(array)) or np.any(array <= 0):
        raise ModelError(f"mu of constraint {name!r} is {array.tolist()}; a penalty must be positive and finite")
    array.flags.writeable = False
    return array
