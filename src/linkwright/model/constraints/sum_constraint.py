"""A sum over frames of constant rows on their motions ([Sathya2025] eq. 36)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...call_errors import names_arguments
from ...errors import InputError, ModelError
from ...scalar import Scalar
from ...spatial import Force, sum_of
from .at_state import ConstraintAtState, Motions, Terms
from .constraint import GROUND_FRAME, Constraint, checked_rows, constraint_kind, frame_of, renamed_frame
from .relative import RelativeConstraint


@constraint_kind
@dataclass(frozen=True, eq=False, kw_only=True)
class SumConstraint(Constraint):
    """The sum over frames of K times the frame's [linear; angular] velocity, in its own coordinates, is constant.

    parts   (frame, K of shape (m, 6)) of each
    """

    parts: tuple[tuple[str, np.ndarray], ...]

    kind: ClassVar[str] = "sum"
    has_position: ClassVar[bool] = False  # type: ignore[assignment]

    def __post_init__(self):
        parts = tuple((frame, checked_rows(K, self.name)) for frame, K in self.parts)
        object.__setattr__(self, "parts", parts)
        if not parts or len({len(K) for _, K in parts}) != 1:
            sizes = {frame: len(K) for frame, K in parts}
            raise ModelError(f"constraint {self.name!r} has numbers of rows {sizes}; expected the same for each frame")
        super().__post_init__()

    @property
    def size(self) -> int:
        return len(self.parts[0][1])

    def bodies(self, model) -> tuple[int, ...]:
        found = tuple(dict.fromkeys(frame_of(model, self, frame).body for frame, _ in self.parts))
        if 0 in found:
            raise InputError(f"constraint {self.name!r} names a frame on the ground, which does not move; leave it out")
        return found

    @property
    def placed_frames(self):
        return tuple((frame, None) for frame, _ in self.parts)

    @property
    def changeable_rows(self) -> tuple[np.ndarray, ...]:
        return tuple(K for _, K in self.parts)

    def renamed(self, prefix: str, ground: str) -> SumConstraint:
        parts = tuple((renamed_frame(frame, prefix, ground), K) for frame, K in self.parts)
        return replace(self, name=prefix + self.name, parts=parts)

    def to_dictionary(self) -> dict[str, Any]:
        return {"parts": [[frame, K.tolist()] for frame, K in self.parts]}

    def at(self, tree, q, poses) -> SumAtState:
        return SumAtState(tree, q, poses, self)

    def lengths(self, model) -> np.ndarray:
        return np.array([bool(np.any(row[:3])) for row in self.parts[0][1]])

    @property
    def holds(self) -> str:
        return f"frames {', '.join(frame for frame, _ in self.parts)}"


class SumAtState(ConstraintAtState):
    def _parts(self):
        for k, (_, K) in enumerate(self.constraint.parts):
            yield self.tree.constraint_frame(self.constraint, k), self.tree.constraint_matrix(self.constraint, k, K)

    def rows(self) -> list[Force]:
        return next(self._parts())[1]

    def terms(self) -> Terms:
        merged: dict[int, tuple[Force, ...]] = {}
        for (body, frame), rows in self._parts():
            K = tuple(frame.T @ row for row in rows)
            merged[body] = tuple(a + b for a, b in zip(merged[body], K, strict=True)) if body in merged else K
        return list(merged.items())

    def motion(self, motions: Motions) -> tuple[list[Scalar], list[Scalar]]:
        velocity, rate = [], []
        for frame, rows in self._parts():
            moving, change = motions.velocity(frame), motions.acceleration(frame)
            velocity.append([row.dot(moving) for row in rows])
            rate.append([row.dot(change) for row in rows])
        return [sum_of(x) for x in zip(*velocity, strict=True)], [sum_of(x) for x in zip(*rate, strict=True)]


@names_arguments
def constrain(frame: str | Mapping[str, Any], K=None, *, name: str | None = None, mu=None) -> Constraint:
    """K times the frame's [linear; angular] acceleration in its own coordinates is a desired value (zero).

    With several frames, constrain({"a": Ka, "b": Kb}), the sum of all K times accelerations is.
    """
    if isinstance(frame, Mapping):
        if K is not None:
            raise ModelError("constrain({frame: K, ...}) takes each K in the mapping, not as a second argument")
        parts = tuple(frame.items())
        return SumConstraint(name=name or "_".join(map(str, frame)) or "sum", parts=parts, mu=mu)
    return RelativeConstraint(name=name or frame, frame=frame, other=GROUND_FRAME, rows=K, mu=mu)
