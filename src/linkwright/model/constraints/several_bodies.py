"""Constraints on several bodies at once: sums over frames ([Sathya2025] eq. 36), and the centre of mass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...errors import InputError, ModelError
from ..pose import finite_array
from .constraint import GROUND_FRAME, Constraint, checked_rows, chosen_directions, frame_of, renamed_frame
from .relative import RelativeConstraint


@dataclass(frozen=True, eq=False, kw_only=True)
class SumConstraint(Constraint):
    """The sum over frames of K times the frame's [linear; angular] velocity, in its own coordinates, is constant."""

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


@dataclass(frozen=True, eq=False, kw_only=True)
class CenterOfMass(Constraint):
    """The centre of mass of some bodies (all if None) does not move in some of the world's directions."""

    among: tuple[str, ...] | None
    directions: tuple[int, ...]
    target: np.ndarray | None = None

    kind: ClassVar[str] = "center_of_mass"

    def __post_init__(self):
        super().__post_init__()
        if self.among is not None:
            object.__setattr__(self, "among", tuple(self.among))
        if self.target is not None:
            object.__setattr__(self, "target", finite_array(self.target, (3,), f"position of {self.name!r}"))
        object.__setattr__(self, "directions", tuple(self.directions))

    @property
    def size(self) -> int:
        return len(self.directions)

    @property
    def has_position(self) -> bool:
        return self.target is not None

    def bodies(self, model) -> tuple[int, ...]:
        if self.among is None:
            chosen = list(range(1, model.nbodies))
        else:
            try:
                chosen = [model.body_index(name) for name in self.among]
            except InputError as error:
                raise InputError(f"constraint {self.name!r}: {error}") from None
        massive = tuple(dict.fromkeys(i for i in chosen if i and model.bodies[i].inertia.mass > 0))
        if not massive:
            raise InputError(f"constraint {self.name!r}: none of the bodies it names has mass, so they have no centre")
        return massive

    def renamed(self, prefix: str, ground: str) -> CenterOfMass:
        if ground != GROUND_FRAME or self.among is None:
            raise ModelError(
                f"constraint {self.name!r} is on a centre of mass in the world, which means something else in a larger "
                f"model; attach the model without it and add it again"
            )
        return replace(self, name=prefix + self.name, among=tuple(prefix + body for body in self.among))

    def to_dictionary(self) -> dict[str, Any]:
        return {
            "among": None if self.among is None else list(self.among),
            "directions": list(self.directions),
            "target": None if self.target is None else self.target.tolist(),
        }


def center_of_mass(
    bodies: Sequence[str] | None = None, *, directions="x y z", at=None, name: str = "center_of_mass", mu=None
) -> CenterOfMass:
    """Hold the centre of mass of the bodies (of all if None) in directions of the world; `at` is its position."""
    if isinstance(bodies, str):
        bodies = [bodies]
    chosen = chosen_directions(directions, ("x", "y", "z"), name)
    among = None if bodies is None else tuple(bodies)
    return CenterOfMass(name=name, among=among, directions=tuple(chosen), target=at, mu=mu)


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
