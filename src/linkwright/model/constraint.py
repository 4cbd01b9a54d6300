"""Constraints on the motion of a frame.

A constraint fixes some combinations of the velocity of its first frame relative to its second one, written in the first
frame's coordinates as [linear; angular]: `rows @ (v1 - v2) = 0`. The second frame is the ground so far.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..errors import ModelError, UnsupportedError
from .pose import Pose, PoseLike

DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")  # linear, then angular, in the first frame
GROUND_FRAME = "world"


@dataclass(frozen=True, eq=False, kw_only=True)
class Constraint:
    """Made by `weld`, `connect` and `constrain`.

    rows    (m, 6), acting on the [linear; angular] velocity of `frame` in its own coordinates
    target  where `frame` should be in the world; needed for stabilization only
    mu      penalty of each row for the proximal solvers; None lets them choose
    """

    name: str
    frame: str
    other: str
    rows: np.ndarray
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
        if self.other != GROUND_FRAME:
            raise UnsupportedError(
                f"constraint {self.name!r} is between {self.frame!r} and {self.other!r}; only constraints to the "
                f"ground are there so far: leave the second frame out"
            )

    @property
    def size(self) -> int:
        return len(self.rows)

    def renamed(self, prefix: str) -> Constraint:
        other = self.other if self.other == GROUND_FRAME else prefix + self.other
        return replace(self, name=prefix + self.name, frame=prefix + self.frame, other=other)


def weld(
    frame: str, other: str = GROUND_FRAME, *, name: str | None = None, directions=None, at: PoseLike = None, mu=None
) -> Constraint:
    """Hold a frame still in all six directions, or in the given ones of x y z rx ry rz, its own axes."""
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
    """Hold the origin of a frame still; it may turn."""
    return Constraint(
        name=name or frame, frame=frame, other=other, rows=np.eye(6)[:3], target=_target(at), mu=mu
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
