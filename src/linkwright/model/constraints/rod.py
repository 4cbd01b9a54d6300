"""A rod of no mass between two points: their distance is constant."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

from ...call_errors import names_arguments
from ...errors import InputError, ModelError
from ...scalar import Scalar
from ...spatial import Force, Vector
from ..pose import LARGEST_NUMBER
from .at_state import ConstraintAtState, Motions, Terms
from .constraint import (
    GROUND_FRAME,
    Constraint,
    ConstraintEnd,
    check_text,
    constraint_kind,
    end_at,
    frame_of,
    renamed_frame,
)


@constraint_kind
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

    @property
    def changeable_lengths(self) -> tuple[float, ...]:
        return (self.length,)

    def renamed(self, prefix: str, ground: str) -> Rod:
        frame, other = (renamed_frame(name, prefix, ground) for name in (self.frame, self.other))
        return replace(self, name=prefix + self.name, frame=frame, other=other)

    def to_dictionary(self) -> dict[str, Any]:
        return {"frame": self.frame, "other": self.other, "length": self.length}

    def at(self, tree, q, poses) -> RodAtState:
        return RodAtState(tree, q, poses, self)

    def is_internal(self, model) -> bool:
        return len(self.bodies(model)) > 1

    keeps_apart: ClassVar[bool] = True

    @property
    def equality(self) -> Literal["tendon"]:
        return "tendon"

    def ends(self, model) -> tuple[ConstraintEnd, ...]:
        return end_at(model, self, self.frame), end_at(model, self, self.other, pivot=True)

    @property
    def holds(self) -> str:
        return f"{self.frame} - {self.other}"

    def cut(self, model, loop) -> str:
        return "a rod, which is no joint"


class RodAtState(ConstraintAtState):
    """d' d = length^2 with d from the second end to the first, in the first frame's coordinates."""

    @cached_property
    def _ends(self):
        return tuple(self.tree.constraint_frame(self.constraint, k) for k in range(2))

    @cached_property
    def _between(self):
        return self.poses.between(*self._ends)

    @cached_property
    def _length(self) -> Scalar:
        return self.tree.constraint_lengths(self.constraint)[0]

    @property
    def _direction(self) -> Vector:
        """d / length, a unit vector where the constraint is met."""
        return self._between[1] * (-1.0 / self._length)

    def rows(self) -> list[Force]:
        return [Force(Vector.zero(), self._direction)]

    def terms(self) -> Terms:
        (body, frame), (other, other_frame) = self._ends
        terms: Terms = [(body, (frame.T @ Force(Vector.zero(), self._direction),))]
        if other:
            back = -(self._between[0].T @ self._direction)
            terms.append((other, (other_frame.T @ Force(Vector.zero(), back),)))
        return terms

    def motion(self, motions: Motions) -> tuple[list[Scalar], list[Scalar]]:
        R = self._between[0]
        one, two = self._ends
        moving, acceleration = motions.velocity(one).linear, motions.felt(one).linear
        if two[0]:
            moving = moving - R @ motions.velocity(two).linear
            acceleration = acceleration - R @ motions.felt(two).linear
        else:
            acceleration = acceleration + motions.gravity(one)
        speed = (moving @ moving) * (1.0 / self._length)
        return [self._direction @ moving], [self._direction @ acceleration + speed]

    def error(self) -> list[Scalar]:
        p, length = self._between[1], self._length
        return [(p @ p - length * length) * (0.5 / length)]


@names_arguments
def rod(frame: str, other: str = GROUND_FRAME, *, length: float, name: str | None = None, mu=None) -> Rod:
    """Keep the origins of two frames (or of one and the world) at a distance of `length` metres."""
    return Rod(name=name or frame, frame=frame, other=other, length=length, mu=mu)
