"""Joints as users describe them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..call_errors import names_arguments
from ..errors import ModelError, unknown_name
from ..fixed_order import dot, norm, product
from ..scalar import Numbers
from ..spatial import Placement
from .joints import FIXED, JOINT_KINDS, JointMotion, Rigid
from .pose import LARGEST_NUMBER, SNAP, Pose, finite_array, real_array, scaled_down

_AXIS_NAMES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}

# Quantities a joint may carry, how many numbers each has, and its value when nobody says otherwise.
_PER_VELOCITY = {"armature": 0.0, "damping": 0.0, "stiffness": 0.0, "friction": 0.0}
_PER_VELOCITY_LIMIT = {"velocity_limit": np.inf, "effort_limit": np.inf}
_PER_COORDINATE_LIMIT = {"lower": -np.inf, "upper": np.inf}


@names_arguments
@dataclass(frozen=True, eq=False, kw_only=True)
class Joint:
    """A joint between a parent body and a child body. Scalars given for many-dof joints apply to each direction.

    axis       (3,) in the joint's frame on the parent, or a name: "x", "-y"; second_axis likewise, of joints with two
    armature   rotor inertia felt at the joint (kg m^2 or kg), part of the dynamics
    damping    torque per velocity, part of the dynamics
    stiffness  torque per displacement from `spring_reference`, part of the dynamics
    friction   Coulomb friction, and the limits: used by simulation only
    """

    name: str
    kind: str
    axis: Any  # (3,) of length one; names ("x", "-y") and other sequences are turned into that
    second_axis: Any  # as axis
    pitch: float = 0.0
    armature: np.ndarray = 0.0  # type: ignore[assignment]
    damping: np.ndarray = 0.0  # type: ignore[assignment]
    stiffness: np.ndarray = 0.0  # type: ignore[assignment]
    spring_reference: np.ndarray = None  # type: ignore[assignment]
    friction: np.ndarray = 0.0  # type: ignore[assignment]
    lower: np.ndarray = -np.inf  # type: ignore[assignment]
    upper: np.ndarray = np.inf  # type: ignore[assignment]
    velocity_limit: np.ndarray = np.inf  # type: ignore[assignment]
    effort_limit: np.ndarray = np.inf  # type: ignore[assignment]

    def __post_init__(self):
        if not isinstance(self.name, str) or not self.name:
            raise ModelError(f"a joint's name is {self.name!r}; expected a non-empty string")
        if self.kind != FIXED and self.kind not in JOINT_KINDS:
            raise ModelError(str(unknown_name("joint kind", self.kind, [FIXED, *JOINT_KINDS])))
        for field in ("axis", "second_axis"):
            object.__setattr__(self, field, _unit_axis(getattr(self, field), f"{field} of joint {self.name!r}"))
        if self.aligned_with == "both_axes" and abs(dot(self.axis, self.second_axis)) > 1e-9:
            raise ModelError(
                f"the axes of {self.kind} joint {self.name!r} are not perpendicular; use two revolute joints instead"
            )
        if isinstance(self.pitch, bool) or not abs(self.pitch) <= LARGEST_NUMBER:
            raise ModelError(
                f"pitch of joint {self.name!r} is {self.pitch}; expected a finite number up to {LARGEST_NUMBER:g}"
            )
        for names, count in (
            ({**_PER_VELOCITY, **_PER_VELOCITY_LIMIT}, self.nv),
            (_PER_COORDINATE_LIMIT, self.nq),
        ):
            for field, default in names.items():
                object.__setattr__(self, field, self._spread(field, count, finite=default == 0.0))
        for field in _PER_VELOCITY:
            if np.any(getattr(self, field) < 0):
                given = getattr(self, field).tolist()
                raise ModelError(f"{field} of joint {self.name!r} is {given}; must not be negative")
        if np.any(self.lower > self.upper):
            raise ModelError(
                f"joint {self.name!r} has lower limit {self.lower.tolist()} above its upper limit {self.upper.tolist()}"
            )
        if not self.may_have_springs and np.any(self.stiffness):
            raise ModelError(
                f"joint {self.name!r} is {self.kind}; only joints whose velocities are rates of their coordinates have "
                f"springs"
            )
        if self.spring_reference is None:
            object.__setattr__(self, "spring_reference", 0.0)
        reference = self._spread("spring_reference", self.nq if self.may_have_springs else 0, finite=True)
        object.__setattr__(self, "spring_reference", reference)

    def _spread(self, field: str, count: int, *, finite: bool) -> np.ndarray:
        what = f"{field} of joint {self.name!r}"
        value = getattr(self, field)
        try:
            array = real_array(value)
        except (TypeError, ValueError):
            raise ModelError(f"{what} is {value!r}; expected a number or {count} numbers") from None
        if array.ndim == 0:
            array = np.full(count, float(array))
        if array.shape != (count,):
            raise ModelError(f"{what} has shape {array.shape}; expected one number or {count}")
        if np.any(np.isnan(array)) or (finite and not np.all(np.isfinite(array))):
            raise ModelError(f"{what} is {array.tolist()}; every number must be finite")
        if finite and np.any(np.abs(array) > LARGEST_NUMBER):
            raise ModelError(f"{what} is {array.tolist()}; no number may be larger than {LARGEST_NUMBER:g}")
        array.flags.writeable = False
        return array

    @property
    def moves(self) -> type[JointMotion]:
        """What its kind says of itself (model/joints/joint_motion.py): `joint.moves.is_free`, `.slides`, `.turns`."""
        return Rigid if self.kind == FIXED else JOINT_KINDS[self.kind]

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.moves.nq

    @property
    def nv(self) -> int:
        """Number of velocities."""
        return self.moves.nv

    @property
    def aligned_with(self) -> str:
        """Which axes decide the frame its motion is written in."""
        return self.moves.aligned_with

    @property
    def may_have_springs(self) -> bool:
        """Whether its velocities are rates of its coordinates, so that a spring along these does work."""
        return self.moves.velocity_is_rate

    def renamed(self, name: str) -> Joint:
        """The same joint by another name."""
        return replace(self, name=name)

    def motion(self, k: int = 2) -> JointMotion:
        """How the joint moves, aligned with coordinate axis k."""
        return self.moves(k, self.pitch)

    def displacement(self, q: Numbers) -> Pose:
        """The child's pose in the joint's frame at its coordinates q (nq,), in rad and m."""
        C = self.alignment()
        moved = Placement.identity().after(self.motion().transform([float(x) for x in q]))
        pose = Pose(np.array(moved.rotation.rows, dtype=float), np.array(list(moved.position), dtype=float))
        return Pose(C, np.zeros(3)) @ pose @ Pose(C.T, np.zeros(3))

    def alignment(self) -> np.ndarray:
        """A rotation matrix whose columns are the frame the joint's motion is written in (z, or x and y: its axes)."""
        if self.aligned_with == "both_axes":
            return np.column_stack([self.axis, self.second_axis, np.cross(self.axis, self.second_axis)])
        return rotation_to(self.axis) if self.aligned_with == "axis" else np.eye(3)


def rotation_to(axis: np.ndarray) -> np.ndarray:
    """The smallest rotation that takes z to `axis`; for -z, half a turn about x."""
    cosine = float(axis[2])
    v = np.cross((0.0, 0.0, 1.0), axis)
    if not v.any():
        return np.diag([1.0, 1.0, 1.0] if cosine > 0 else [1.0, -1.0, -1.0])
    V = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    # (1 - cosine) / sine^2 = 1 / (1 + cosine), each where nothing cancels
    return np.eye(3) + V + product(V, V) * ((1 - cosine) / dot(v, v) if cosine < 0 else 1 / (1 + cosine))


def _unit_axis(axis, what: str) -> np.ndarray:
    if isinstance(axis, str):
        if axis not in _AXIS_NAMES:
            raise ModelError(f"{what} is {axis!r}; expected one of {', '.join(_AXIS_NAMES)} or three numbers")
        axis = _AXIS_NAMES[axis]
    array = scaled_down(finite_array(axis, (3,), what, largest=np.inf))
    if norm(array) < 1e-9:
        raise ModelError(f"{what} is {array.tolist()}, which has no direction")
    array = _normalised(array)
    array[np.abs(array) < SNAP] = 0.0  # an axis within rounding of a coordinate axis is meant to be it
    array = _normalised(array)
    array.flags.writeable = False
    return array


def _normalised(array: np.ndarray) -> np.ndarray:
    """Unit vectors stay as they are to the last bit, so that a model survives being written and read."""
    length = norm(array)
    return array if abs(length - 1) < 1e-15 else array / length


def first_axis(kind: str) -> str:
    """The axis of a joint of this kind whose axes nobody gives: z, or x of two."""
    return "x" if kind != FIXED and JOINT_KINDS[kind].aligned_with == "both_axes" else "z"


def _constructor(kind: str, doc: str):
    def make(name: str, axis="z", **quantities) -> Joint:
        quantities.setdefault("second_axis", "y")
        if isinstance(axis, str) and axis == "z" and quantities["second_axis"] == "y":
            axis = first_axis(kind)
        try:
            return Joint(name=name, kind=kind, axis=axis, **quantities)
        except TypeError as error:
            raise ModelError(f"{kind} joint {name!r}: {error}") from None

    make.__name__ = make.__qualname__ = kind
    make.__doc__ = doc
    return names_arguments(make)


fixed = _constructor(FIXED, "A rigid connection, without an axis; the child becomes part of its parent.")
revolute = _constructor("revolute", "Turns about `axis`: q = [angle].")
continuous = _constructor("continuous", "Turns about `axis` without limits: q = [angle].")
prismatic = _constructor("prismatic", "Slides along `axis`: q = [distance].")
helical = _constructor("helical", "A screw along `axis` advancing `pitch` metres per radian: q = [angle].")
cylindrical = _constructor("cylindrical", "Turns about and slides along `axis`: q = [angle, distance].")
universal = _constructor(
    "universal", "Turns about `axis` (x) fixed in the parent, then `second_axis` (y) fixed in the child."
)
spherical = _constructor(
    "spherical", "Turns freely, about no axis: q = quaternion x, y, z, w; v = angular velocity in the child."
)
planar = _constructor("planar", "Moves in the plane across `axis`: q = [x, y, angle], v in the child's frame.")
translational = _constructor("translational", "Slides along the axes x, y and z: q = [x, y, z].")
free_flyer = _constructor(
    "free_flyer", "Moves freely, along no axis: q = [position, quaternion], v = [linear; angular] in the child."
)
