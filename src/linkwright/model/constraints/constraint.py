"""The contract of constraints: what every kind says of itself, and the table of kinds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from ...errors import InputError, ModelError
from ...scalar import Scalar
from ...trace import Program
from ..joints import JOINT_KINDS
from ..pose import LARGEST_NUMBER, Pose, real_array
from .at_state import ConstraintAtState
from .relative_poses import RelativePoses

if TYPE_CHECKING:
    from ..loops import Loop
    from ..model import Model
    from ..tree import Tree

GROUND_FRAME = "world"
DIRECTIONS = ("x", "y", "z", "rx", "ry", "rz")  # linear, then angular


@dataclass(frozen=True)
class ConstraintEnd:
    """Where a constraint takes hold of a body: a pose on it, the ground being body 0.

    is_pivot  on the ground, at a frame named for it, as pivots of linkages are; feet on the floor have none
    """

    constraint: str
    body: int
    pose: Pose
    is_pivot: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Constraint:
    """Rows that are linear in the velocities of some bodies: sum of K_l v_l = 0 ([Sathya2025] eq. 36).

    What a kind of constraint must have raises `NotImplementedError` here; the rest says "nothing of that sort". A kind
    makes itself known with `@constraint_kind`, and is then stored, solved, drawn and inspected by what it says here.

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

    # What it is

    @property
    def size(self) -> int:
        """Number of rows."""
        raise NotImplementedError

    @property
    def has_position(self) -> bool:
        """Whether it says where things should be, so that stabilization has something to pull to."""
        raise NotImplementedError

    def bodies(self, model: Model) -> tuple[int, ...]:
        """The moving bodies it acts on, that of its first frame first; refuses what makes no sense on this model."""
        raise NotImplementedError

    def at(self, tree: Tree, q: Sequence[Scalar], poses: RelativePoses) -> ConstraintAtState:
        """Its rows, their drift and its error at a state."""
        raise NotImplementedError

    def is_internal(self, model: Model) -> bool:
        """Whether moving the whole mechanism as one rigid body makes no difference to it."""
        return False

    @classmethod
    def check_together(cls, every: Sequence[Constraint]) -> None:
        """Refuse constraints of this kind that contradict one another wherever the mechanism is."""

    # As data

    def to_dictionary(self) -> dict[str, Any]:
        """As plain data, without name, kind and mu."""
        raise NotImplementedError

    @classmethod
    def from_dictionary(cls, data: Mapping[str, Any]) -> Constraint:
        return cls(**data)

    def renamed(self, prefix: str, ground: str) -> Constraint:
        """For the model as part of another: names get a prefix, and what was the ground is the frame `ground`."""
        raise NotImplementedError

    def with_locked(self, fixed: Mapping[str, float]) -> Constraint | None:
        """When joints become rigid at the coordinates given; None if nothing is left to constrain."""
        return self

    # Which of its numbers may be inputs of a call (constraint_parameters.py)

    @property
    def placed_frames(self) -> tuple[tuple[str, Pose | None], ...]:
        """Frames whose places on their bodies matter, each with a pose relative to it if it is not meant itself."""
        return ()

    @property
    def changeable_rows(self) -> tuple[np.ndarray, ...]:
        """Constant matrices K that could as well be others, one per frame."""
        return ()

    @property
    def gear_ratios(self) -> tuple[tuple[str, float], ...]:
        """(joint, turns of the first joint per turn of this one), where it is a gear."""
        return ()

    @property
    def changeable_lengths(self) -> tuple[float, ...]:
        """Distances that could as well be others."""
        return ()

    functions: ClassVar[tuple[Program, ...]] = ()
    """Traced programs that are part of it."""

    # If it is about coordinates of joints, not about places

    @property
    def tied_joints(self) -> tuple[str, ...]:
        """Joints with one velocity each that it ties, the first one first."""
        return ()

    @property
    def is_linear(self) -> bool:
        """Whether its rows on the tied joints are the same everywhere."""
        return False

    @property
    def followers(self) -> tuple[str, ...]:
        """Joints it is written for ..."""
        return ()

    @property
    def leaders(self) -> tuple[str, ...]:
        """... and joints that these are a function of."""
        return ()

    def joint_rows(
        self, tree: Tree, x: Sequence[Scalar], rates: Sequence[Scalar]
    ) -> tuple[list[Scalar], list[list[Scalar]], list[Scalar]]:
        """(error, K by rows, K-dot v) at the coordinates of the tied joints."""
        raise NotImplementedError

    def given(self, known: Collection[str]) -> tuple[str, ...]:
        """The tied joints that a formula gives once those in `known` are known; none if there is no formula."""
        return ()

    def formula(self, tree: Tree, x: Sequence[Scalar], rates: Sequence[Scalar], wanted: Sequence[str]):
        """(q, G by rows, g) of the joints wanted: their coordinates, and dq/dt = G dx/dt with dG/dt dx/dt = g, from
        those of the other tied joints."""
        raise NotImplementedError

    # As other libraries have it

    @property
    def constant_rows(self) -> np.ndarray | None:
        """K (m, 6) on the velocity of its first placed frame relative to its second, if that is all there is to it."""
        return None

    @property
    def equality(self) -> Literal["connect", "weld", "joint", "tendon"] | None:
        """The equality of MuJoCo's that it is."""
        return None

    # As it is shown

    def ends(self, model: Model) -> tuple[ConstraintEnd, ...]:
        """Where it takes hold of bodies, as far as that can be drawn; one end where the ground holds it anywhere."""
        return ()

    keeps_apart: ClassVar[bool] = False
    """Its ends stay at a distance, with something to be drawn between them."""

    def lengths(self, model: Model) -> np.ndarray:
        """(size,) which rows are in metres; the others are in radians. A row that mixes both counts as a length."""
        return np.ones(self.size, dtype=bool)

    @property
    def holds(self) -> str:
        """What it holds together, by name; empty if there is nothing to name."""
        return ""

    def cut(self, model: Model, loop: Loop) -> str:
        """What speaks for closing the loop where it is closed."""
        return f"a {self.kind.replace('_', ' ')} over {len(loop.ends)} bodies"


CONSTRAINT_KINDS: dict[str, type[Constraint]] = {}
"""Every kind by its word."""

_NEEDED = ("size", "has_position", "bodies", "at", "to_dictionary", "renamed")


def constraint_kind(cls: type[Any]) -> type[Any]:
    """Make a kind of constraint known; it is refused with a list of what it lacks."""
    missing = [what for what in _NEEDED if getattr(cls, what) is getattr(Constraint, what)]
    missing += ["kind"] * (not isinstance(cls.__dict__.get("kind"), str))
    if cls.tied_joints is not Constraint.tied_joints and cls.joint_rows is Constraint.joint_rows:
        missing.append("joint_rows")
    if cls.given is not Constraint.given and cls.formula is Constraint.formula:
        missing.append("formula")
    if missing:
        raise ModelError(f"constraint kind {cls.__name__} lacks {', '.join(missing)} (docs/adding/constraint.md)")
    if CONSTRAINT_KINDS.get(cls.kind, cls) is not cls:
        raise ModelError(f"constraint kind {cls.kind!r} of {cls.__name__} is taken by {CONSTRAINT_KINDS[cls.kind]}")
    CONSTRAINT_KINDS[cls.kind] = cls
    return cls


def frame_of(model: Model, constraint: Constraint, name: str):
    """A frame that the constraint names."""
    try:
        return model.frame(name)
    except InputError as error:
        raise InputError(f"constraint {constraint.name!r}: {error}") from None


def end_at(
    model: Model, constraint: Constraint, frame: str, offset: Pose | None = None, *, pivot: bool = False
) -> ConstraintEnd:
    """The end at a frame that the constraint names, or at a pose relative to it."""
    found = frame_of(model, constraint, frame)
    pose = found.placement if offset is None else found.placement @ offset
    return ConstraintEnd(constraint.name, found.body, pose, pivot and frame in model.frames)


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
        array = real_array(rows)
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
        array = real_array(mu)
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
