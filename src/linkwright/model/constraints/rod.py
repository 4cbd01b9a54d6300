"""A rod of no mass between two points: their distance is constant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ...errors import InputError, ModelError
from ..pose import LARGEST_NUMBER
from .constraint import GROUND_FRAME, Constraint, check_text, frame_of, renamed_frame


@dataclass(frozen=True, eq=False, kw_only=True)
class Rod(Constraint):
    """|p1 - p2| = length, as (|d|^2 - length^2) / (2 length) = 0, which is smooth everywhere. One row, d/length."""

    frame: str
    other: str
    length: float

    kind: ClassVar[str] = "rod"
    size: ClassVar[int] = 1  # type: ignore[assignment]
    has_position: ClassVar[bool] = True  # type: ignore[assignment]

    def __post_init__(self):
        super().__post_init__()
        check_text(self, "frame", "other")
        if not isinstance(self.length, int | float) or not 0 < self.length <= LARGEST_NUMBER:
            raise ModelError(
                f"length of rod {self.name!r} is {self.length!r}; expected a positive number of metres, up to "
                f"{LARGEST_NUMBER:g}"
            )
        object.__setattr__(self, "length", float(self.length))

    def bodies(self, model) -> tuple[int, ...]:
        first, second = frame_of(model, self, self.frame).body, frame_of(model, self, self.other).body
        if first in (0, second):
            where = "the ground" if first == 0 else f"body {model.bodies[first].name!r}, as is its other end"
            raise InputError(
                f"constraint {self.name!r}: the first end of the rod, {self.frame!r}, is on {where}; expected a frame "
                f"that moves relative to the second"
            )
        return (first, second) if second else (first,)

    @property
    def placed_frames(self):
        return (self.frame, None), (self.other, None)

    def renamed(self, prefix: str, ground: str) -> Rod:
        frame, other = (renamed_frame(name, prefix, ground) for name in (self.frame, self.other))
        return replace(self, name=prefix + self.name, frame=frame, other=other)

    def to_dictionary(self) -> dict[str, Any]:
        return {"frame": self.frame, "other": self.other, "length": self.length}


def rod(frame: str, other: str = GROUND_FRAME, *, length: float, name: str | None = None, mu=None) -> Rod:
    """Keep the origins of two frames (or of one and the world) at a distance of `length` metres."""
    return Rod(name=name or frame, frame=frame, other=other, length=length, mu=mu)
