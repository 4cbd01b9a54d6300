"""What every constraint has: a name, a number of rows, and penalties for the proximal solvers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ...errors import InputError, ModelError
from ..joints import JOINT_KINDS
from ..pose import LARGEST_NUMBER

if TYPE_CHECKING:
    from ..model import Model
    from ..pose import Pose

GROUND_FRAME = "world"
DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")  # linear, then angular


@dataclass(frozen=True, eq=False, kw_only=True)
class Constraint:
    """Rows that are linear in the velocities of some bodies: sum of K_l v_l = 0 ([Sathya2025] eq. 36).

    mu   penalty of each row for the proximal solvers; None lets them choose
    """

    name: str
    mu: np.ndarray | None = None

    kind: ClassVar[str]
    """The word for it in files."""

    def __post_init__(self):
        if not isinstance(self.name, str) or not self.name:
            raise ModelError(f"name of a constraint is {self.name!r}; expected a non-empty string")
        if self.mu is not None:
            object.__setattr__(self, "mu", _penalties(self.mu, self.size, self.name))

    @property
    def size(self) -> int:
        """Number of rows."""
        raise NotImplementedError

    def bodies(self, model: Model) -> tuple[int, ...]:
        """The moving bodies it acts on, that of its first frame first; refuses what makes no sense on this model."""
        raise NotImplementedError

    def renamed(self, prefix: str, ground: str) -> Constraint:
        """For the model as part of another: names get a prefix, and what was the ground is the frame `ground`."""
        raise NotImplementedError

    def with_locked(self, fixed: Mapping[str, float]) -> Constraint | None:
        """When joints become rigid at the coordinates given; None if nothing is left to constrain."""
        return self

    @property
    def placed_frames(self) -> tuple[tuple[str, Pose | None], ...]:
        """Frames whose places on their bodies matter, each with a pose relative to it if it is not meant itself."""
        return ()

    @property
    def changeable_rows(self) -> tuple[np.ndarray, ...]:
        """Constant matrices K that could as well be others, one per frame."""
        return ()

    @property
    def has_position(self) -> bool:
        """Whether it says where things should be, so that stabilization has something to pull to."""
        raise NotImplementedError

    def to_dictionary(self) -> dict[str, Any]:
        """As plain data, without name, kind and mu."""
        raise NotImplementedError

    @classmethod
    def from_dictionary(cls, data: Mapping[str, Any]) -> Constraint:
        return cls(**data)


def frame_of(model: Model, constraint: Constraint, name: str):
    """A frame that the constraint names."""
    try:
        return model.frame(name)
    except InputError as error:
        raise InputError(f"constraint {constraint.name!r}: {error}") from None


def bodies_of_joints(model: Model, constraint: Constraint, joints: Iterable[str]) -> tuple[int, ...]:
    """Of joints with one velocity each: the bodies they carry, and those that carry these."""
    carried = []
    for name in joints:
        try:
            i = model.joint_index(name)
        except InputError as error:
            raise InputError(f"constraint {constraint.name!r}: {error}") from None
        joint = model.bodies[i].joint
        if joint.nv != 1:
            single = [kind for kind, motion in JOINT_KINDS.items() if motion.nv == 1]
            raise InputError(
                f"constraint {constraint.name!r}: joint {name!r} is {joint.kind}, with {joint.nv} velocities; expected "
                f"one of {', '.join(single)}"
            )
        carried.append(i)
    parents = [model.bodies[i].parent for i in carried]
    return tuple(dict.fromkeys([*carried, *(p for p in parents if p)]))


def renamed_frame(name: str, prefix: str, ground: str) -> str:
    return ground if name == GROUND_FRAME else prefix + name


def check_text(constraint: Constraint, *fields: str) -> None:
    for what in fields:
        value = getattr(constraint, what)
        if not isinstance(value, str) or not value:
            raise ModelError(f"{what} of constraint {constraint.name!r} is {value!r}; expected a non-empty string")


def checked_rows(rows, name: str) -> np.ndarray:
    try:
        array = np.array(rows, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"K of constraint {name!r} is {rows!r}; expected numbers (m, 6)") from None
    if array.ndim != 2 or array.shape[1] != 6 or not len(array):
        raise ModelError(f"K of constraint {name!r} has shape {array.shape}; expected (m, 6) with m >= 1")
    if not np.all(np.abs(array) <= LARGEST_NUMBER):
        raise ModelError(
            f"K of constraint {name!r} is {array.tolist()}; every number must be finite, up to {LARGEST_NUMBER:g}"
        )
    array.flags.writeable = False
    return array


def chosen_directions(directions, known: tuple[str, ...], name: str) -> list[int]:
    """Indices of directions given as "x z" or ["x", "z"]; None means all."""
    listed = known if directions is None else directions.split() if isinstance(directions, str) else list(directions)
    for direction in listed:
        if direction not in known:
            raise ModelError(f"constraint {name!r} has direction {direction!r}; expected some of {' '.join(known)}")
    if not listed or len(set(listed)) != len(listed):
        raise ModelError(f"constraint {name!r} has directions {list(listed)}; expected at least one, each once")
    return [known.index(direction) for direction in listed]


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
