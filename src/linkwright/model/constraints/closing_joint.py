"""Closing a loop with a joint: the directions it leaves free are left out, the others become rows."""

from __future__ import annotations

import numpy as np

from ...call_errors import names_arguments
from ...errors import ModelError, unknown_name
from ...fixed_order import dot, unit
from ..joint import FIXED, Joint, first_axis
from ..joints import JOINT_KINDS
from ..pose import PoseLike
from .constraint import GROUND_FRAME
from .relative import RelativeConstraint, connect, target_pose, weld

_CARRIED = ("armature", "damping", "stiffness", "friction")


@names_arguments
def close_with(
    joint: str | Joint, frame: str, other: str = GROUND_FRAME, *, axis=None, second_axis=None, name: str | None = None,
    at: PoseLike = None, mu=None,
) -> RelativeConstraint:  # fmt: skip
    """Let `frame` move relative to `other` as if `joint` carried it there.

    `joint` is a kind of joint, whose axes then may be given (as for the joints of the same name, z, or x and y of a
    universal joint), or a joint, whose axes are used. `at` is where its frame sits on `other`.
    """
    made = _joint(joint, axis, second_axis, name or frame)
    label = name or (joint.name if isinstance(joint, Joint) else frame)
    if made.kind == FIXED:
        return weld(frame, other, name=label, at=at, mu=mu)
    if made.moves.holds_point and made.aligned_with != "both_axes":
        return connect(frame, other, name=label, at=at, mu=mu)
    if made.moves.holds_point:
        return RelativeConstraint(
            name=label, frame=frame, other=other, rows=np.eye(6)[:3], point=True,
            crossed=(made.second_axis, made.axis), target=target_pose(at), mu=mu,
        )  # fmt: skip
    linear, angular = (_directions(which, made.axis) for which in made.moves.held or ())
    rows = np.zeros((len(linear) + len(angular), 6))
    rows[: len(linear), :3], rows[len(linear) :, 3:] = linear, angular
    return RelativeConstraint(name=label, frame=frame, other=other, rows=rows, target=target_pose(at), mu=mu)


def closing_kinds() -> tuple[str, ...]:
    """Kinds of joints that a loop can be closed with."""
    return (FIXED, *(name for name, motion in JOINT_KINDS.items() if motion.held))


def _joint(joint: str | Joint, axis, second_axis, name: str) -> Joint:
    kind = joint.kind if isinstance(joint, Joint) else joint
    closing = closing_kinds()
    if kind not in closing:
        raise ModelError(
            f"closure {name!r}: {unknown_name('joint kind that can close a loop', kind, closing)} Close the loop at "
            f"another joint"
        )
    if not isinstance(joint, Joint):
        return Joint(
            name=name, kind=kind, axis=first_axis(kind) if axis is None else axis,
            second_axis="y" if second_axis is None else second_axis,
        )  # fmt: skip
    if axis is not None or second_axis is not None:
        raise ModelError(f"closure {name!r}: joint {joint.name!r} has its own axes; give a kind of joint, or no axis")
    carried = [what for what in _CARRIED if np.any(getattr(joint, what))]
    if np.any(np.isfinite(joint.lower)) or np.any(np.isfinite(joint.upper)):
        carried.append("limits")
    if carried:
        raise ModelError(
            f"closure {name!r}: joint {joint.name!r} has {', '.join(carried)}, which a loop closure cannot carry; "
            f"close the loop at another joint, or give only its kind and axis: close_with({kind!r}, ...)"
        )
    return joint


def _directions(which: str, axis: np.ndarray) -> np.ndarray:
    if which == "none":
        return np.zeros((0, 3))
    if which == "all":
        return np.eye(3)
    if which == "along":
        return axis[None]
    return across(axis)


def across(axis: np.ndarray) -> np.ndarray:
    """Two unit vectors perpendicular to an axis and to one another; coordinate axes where they serve."""
    k = int(np.argmax(np.abs(axis)))
    first = np.eye(3)[(k + 1) % 3]
    first = unit(first - axis * dot(axis, first))
    return np.array([first, np.cross(axis, first)])
