"""How one frame may move relative to another, or to the ground: welds, points, and closures by joints.

Rows act on the velocity of the first frame relative to the second, written in the first frame's coordinates as
[linear; angular]: `rows @ (v1 - X12 v2) = 0`. For a point it is the difference of the two origins' velocities,
R1' (p1dot - p2dot), and nothing more. These are the rows of a joint whose free directions are fixed in the child.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from ...call_errors import names_arguments
from ...errors import InputError, ModelError
from ...fixed_order import PivotedColumns, unit
from ...scalar import Scalar, maximum, sqrt, where
from ...spatial import Force, Matrix, Motion, Vector
from ..pose import Pose, PoseLike, real_array
from .at_state import ConstraintAtState, Motions, Terms
from .constraint import (
    DIRECTIONS,
    GROUND_FRAME,
    Constraint,
    ConstraintEnd,
    check_text,
    checked_rows,
    chosen_directions,
    constraint_kind,
    end_at,
    frame_of,
    renamed_frame,
)

_NO_ROTATION = 1e-9  # what rows hold of a direction below this is rounding
_OPPOSITE = 1e-12  # one and the cosine of an angle, below which it is half a turn
_JOINT_ROWS = 6  # of two bodies that cannot move relative to one another


@constraint_kind
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
        axes = None if crossed is None else tuple(real_array(axis) for axis in crossed)
        pose = None if target is None else Pose(*(real_array(x) for x in target))
        return cls(**{**data, "target": pose, "crossed": axes})

    def at(self, tree, q, poses) -> RelativeAtState:
        return RelativeAtState(tree, q, poses, self)

    def is_internal(self, model) -> bool:
        return len(self.bodies(model)) > 1

    @property
    def constant_rows(self) -> np.ndarray | None:
        return self.rows if self.crossed is None else None

    @property
    def equality(self) -> Literal["connect", "weld"] | None:
        if self.crossed is not None:
            return None
        if self.point:
            return "connect" if np.array_equal(self.rows, np.eye(6)[:3]) else None
        return "weld" if np.array_equal(self.rows, np.eye(6)) else None

    def ends(self, model) -> tuple[ConstraintEnd, ...]:
        first = end_at(model, self, self.frame)
        return (first,) if self.target is None else (first, end_at(model, self, self.other, self.target, pivot=True))

    def lengths(self, model) -> np.ndarray:
        crossed = [False] * (self.crossed is not None)
        return np.array([*(bool(np.any(row[:3])) for row in self.rows), *crossed])

    @property
    def holds(self) -> str:
        return f"{self.frame} - {self.other}"

    def cut(self, model, loop) -> str:
        if self.other == GROUND_FRAME and len(self.bodies(model)) == 1:
            return f"held by the ground in {self.size} directions"
        joints = [model.bodies[model.joint_index(name)].joint for name in loop.joints]
        freest = max(joints, key=lambda joint: joint.nv)
        root = loop.bodies.index(loop.root)
        ways = f"{root} and {len(loop.bodies) - root - 1} joints from {loop.root} to its ends"
        if freest.nv > _JOINT_ROWS - self.size and freest.nv < _JOINT_ROWS:
            fewer = f"cutting {freest.name} ({freest.kind}) instead would leave {_JOINT_ROWS - freest.nv}"
            return f"leaves {self.size} rows; {fewer}; {ways}"
        return f"leaves {self.size} rows, and no joint around the loop would leave fewer; {ways}"


class RelativeAtState(ConstraintAtState):
    """All is expressed in the first frame."""

    @cached_property
    def _first(self):
        return self.tree.constraint_frame(self.constraint, 0)

    @cached_property
    def _second(self):
        """Where the first frame should be, on the second body."""
        return self.tree.constraint_frame(self.constraint, 1)

    @cached_property
    def _between(self) -> tuple[Matrix, Vector]:
        return self.poses.between(self._first, self._second)

    def _crossed(self) -> tuple[Vector, Vector]:
        """(the axis in the first frame, the second's axis seen from there); they are to be perpendicular."""
        own, its = (Vector.of(axis.tolist()) for axis in self.constraint.crossed)
        return own, self._between[0] @ its

    def _constant_rows(self) -> list[Force]:
        return self.tree.constraint_matrix(self.constraint, 0, self.constraint.rows)

    def rows(self) -> list[Force]:
        rows = self._constant_rows()
        if self.constraint.crossed is not None:
            own, seen = self._crossed()
            rows.append(Force(own.cross(seen), Vector.zero()))
        return rows

    def terms(self) -> Terms:
        (body, frame), (other, other_frame) = self._first, self._second
        rows = self.rows()
        terms: Terms = [(body, tuple(frame.T @ row for row in rows))]
        if other:
            terms.append((other, tuple(other_frame.T @ -self._moved(row) for row in rows)))
        return terms

    def _moved(self, row: Force) -> Force:
        """row X12, on the second frame; of a point only its origin's velocity counts."""
        R, p = self._between
        moment = row.angular if self.constraint.point else row.angular - p.cross(row.linear)
        return Force(R.T @ moment, R.T @ row.linear)

    def motion(self, motions: Motions) -> tuple[list[Scalar], list[Scalar]]:
        moving, change = self._relative_motion(motions)
        constant = self._constant_rows()
        velocity = [row.dot(moving) for row in constant]
        rate = [row.dot(change) for row in constant]
        if self.constraint.crossed is not None:
            own, seen = self._crossed()
            across, w = own.cross(seen), moving.angular
            velocity.append(across @ w)
            rate.append(across @ change.angular + own.cross(seen.cross(w)) @ w)
        return velocity, rate

    def _relative_motion(self, motions: Motions) -> tuple[Motion, Motion]:
        """(velocity, rate of it when the joints do not accelerate) of the first frame relative to the second.

        The rate is d/dt in the first frame's coordinates: of v1 - X12 v2 it is a1 - X12 a2 + v1 x X12 v2, and of
        R1' (p1dot - p2dot) the difference of the origins' accelerations less omega1 x itself. Gravity drops out.
        """
        v1 = motions.velocity(self._first)
        if not self._second[0]:
            return v1, motions.acceleration(self._first)
        R, p = self._between
        v2 = motions.velocity(self._second)
        felt1, felt2 = motions.felt(self._first), motions.felt(self._second)
        w, alpha = R @ v2.angular, R @ felt2.angular
        turning = felt1.angular - alpha + v1.angular.cross(w)
        if self.constraint.point:
            moving = v1.linear - R @ v2.linear
            rate = felt1.linear - R @ felt2.linear - v1.angular.cross(moving)
            return Motion(v1.angular - w, moving), Motion(turning, rate)
        seen = Motion(w, R @ v2.linear + p.cross(w))  # X12 v2
        spatial1 = Motion(felt1.angular, felt1.linear - v1.angular.cross(v1.linear))
        spatial2 = Motion(alpha, R @ (felt2.linear - v2.angular.cross(v2.linear)) + p.cross(alpha))
        return v1 - seen, spatial1 - spatial2 + v1.cross(seen)

    def error(self) -> list[Scalar]:
        turned, offset = self._rotation_error(), -self._between[1]
        if self.constraint.held_rotations > 1:
            # rows measure displacements along the second frame's axes, which the first's are turned from
            offset = offset + turned.cross(offset)
        small = Motion(turned, offset)
        errors = [row.dot(small) for row in self._constant_rows()]
        if self.constraint.crossed is not None:
            own, seen = self._crossed()
            errors.append(own @ seen)
        return errors

    def _rotation_error(self) -> Vector:
        """The rotation vector from the second frame to the first to first order.

        Where the frame may turn about an axis, how far that axis is tilted: a hinge does not mind which way its axis is
        drawn. Else twice the sine of half the angle, times the axis: the sine of the angle would be zero, and push away
        from where it is, for frames that are back to front.
        """
        seen = self._between[0]
        axis = self.constraint.turning_axis
        if axis is not None:
            own = Vector.of(axis.tolist())
            other = seen @ own
            return other.cross(own) * where(other @ own < 0.0, -1.0, 1.0)
        turned = Vector(seen[1, 2] - seen[2, 1], seen[2, 0] - seen[0, 2], seen[0, 1] - seen[1, 0]) * 0.5
        if self.constraint.held_rotations < 3:  # to first order only: such rows do not say where the frame is
            return turned
        cosine_and_one = (seen[0, 0] + seen[1, 1] + seen[2, 2] + 1.0) * 0.5
        share = 1.0 / sqrt(maximum(cosine_and_one * 0.5, _OPPOSITE))
        return Vector(*(where(cosine_and_one < _OPPOSITE, 2.0, x * share) for x in turned))


@names_arguments
def weld(
    frame: str, other: str = GROUND_FRAME, *, name: str | None = None, directions=None, at: PoseLike = None, mu=None
) -> RelativeConstraint:
    """Hold a frame on the ground, or on another frame, in all six directions or in some of x y z rx ry rz, its axes."""
    label = name or frame
    rows = np.eye(6)[chosen_directions(directions, DIRECTIONS, label)]
    return RelativeConstraint(name=label, frame=frame, other=other, rows=rows, target=target_pose(at), mu=mu)


@names_arguments
def connect(
    frame: str, other: str = GROUND_FRAME, *, name: str | None = None, at: PoseLike = None, mu=None
) -> RelativeConstraint:
    """Hold the origin of a frame on the ground, or on the origin of another frame; it may turn."""
    return RelativeConstraint(
        name=name or frame, frame=frame, other=other, rows=np.eye(6)[:3], point=True, target=target_pose(at), mu=mu
    )


def target_pose(at: PoseLike) -> Pose | None:
    return None if at is None else Pose.of(at)
