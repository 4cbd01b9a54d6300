"""`Actuator`: a force on joints that follows a command, as MuJoCo's `general` has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...errors import ModelError, unknown_name
from ..pose import finite_array

if TYPE_CHECKING:
    from ..model import Model

ACTIVATIONS = ("integrator", "filter", "filterexact")
Range = tuple[float, ...]


@dataclass(frozen=True)
class Actuator:
    """Made by `motor`, `position_servo`, `velocity_servo`, `damper`, `actuator`.

        length = offset + sum of gear times coordinate        rate = sum of gear times velocity
        force  = (gain[0] + gain[1] length + gain[2] rate) u + bias[0] + bias[1] length + bias[2] rate
        torque of a joint = gear times force

    drives       (joint, gear) of each joint that it acts on. A joint of one velocity has one gear; a ball has three
                 (torques in the child's frame), a free-flyer six (forces along the parent's axes, then torques in the
                 child's frame); such a joint is the only one, and the length of a free-flyer is zero
    in_parent    the torques of a ball or free-flyer are along the parent's axes
    ctrl_range   what the command is cut to, None if nothing
    activation   None: u is the command. Else u is a state of its own: "integrator" (its rate is the command), "filter"
                 and "filterexact" (it follows the command with the time constant; exactly, if the command stays)
    act_range    what that state is cut to
    early        the force is that of the state at the end of the step
    force_range  what the force is cut to
    offset       what joints that were locked have added to the length
    """

    name: str
    drives: tuple[tuple[str, tuple[float, ...]], ...]
    gain: tuple[float, ...] = (1.0, 0.0, 0.0)
    bias: tuple[float, ...] = (0.0, 0.0, 0.0)
    ctrl_range: Range | None = None
    force_range: Range | None = None
    activation: str | None = None
    time_constant: float = 1.0
    act_range: Range | None = None
    early: bool = False
    in_parent: bool = False
    offset: float = 0.0

    def __post_init__(self):
        if not isinstance(self.name, str) or not self.name:
            raise ModelError(f"an actuator's name is {self.name!r}; expected a non-empty string")
        what = f"of actuator {self.name!r}"
        drives = tuple((joint, _gear(gear, joint, what)) for joint, gear in self.drives)
        object.__setattr__(self, "drives", drives)
        if not drives or len(dict(drives)) != len(drives):
            raise ModelError(f"the joints {what} are {[joint for joint, _ in drives]}; expected names, each once")
        for name in ("gain", "bias"):
            numbers = finite_array(getattr(self, name), (3,), f"{name} {what}")
            object.__setattr__(self, name, tuple(numbers.tolist()))
        for name in ("ctrl_range", "force_range", "act_range"):
            object.__setattr__(self, name, _range(getattr(self, name), f"{name} {what}"))
        for name in ("time_constant", "offset"):
            object.__setattr__(self, name, float(finite_array(getattr(self, name), (), f"{name} {what}")))
        if self.activation is not None and self.activation not in ACTIVATIONS:
            raise ModelError(f"actuator {self.name!r}: {unknown_name('activation', self.activation, ACTIVATIONS)}")
        if self.activation is None and (self.act_range is not None or self.early):
            raise ModelError(f"actuator {self.name!r} has no activation, so neither a range nor a time for it")
        if self.time_constant < 0.0:
            raise ModelError(f"time_constant {what} is {self.time_constant:g}; must not be negative")
        for name in ("early", "in_parent"):
            if not isinstance(getattr(self, name), bool):
                raise ModelError(f"{name} {what} is {getattr(self, name)!r}; expected True or False")

    def check(self, model: Model) -> None:
        """Raises if the joints are not there, or the gears do not fit them."""
        for name, gear in self.drives:
            try:
                joint = model.bodies[model.joint_index(name)].joint
            except Exception as error:
                raise ModelError(f"actuator {self.name!r} acts on a missing joint: {error}") from None
            assert joint is not None
            turns = joint.moves.has_quaternion
            if len(gear) != joint.nv or (joint.nv > 1 and len(self.drives) > 1):
                raise ModelError(
                    f"actuator {self.name!r} has gear {list(gear)} on joint {name!r}, which is {joint.kind}; expected "
                    f"{joint.nv} numbers{', and no further joint' if joint.nv > 1 else ''}"
                )
            if not turns and not joint.may_have_springs:
                raise ModelError(
                    f"actuator {self.name!r} acts on joint {name!r}, which is {joint.kind}: its velocities are not the "
                    f"rates of its coordinates, so there is no length that it could change"
                )
            if self.in_parent and not turns:
                raise ModelError(
                    f"actuator {self.name!r} is to act along the axes of the parent of joint {name!r}, which is "
                    f"{joint.kind}; that is for balls and free-flyers"
                )

    def renamed(self, prefix: str) -> Actuator:
        return replace(self, name=prefix + self.name, drives=tuple((prefix + j, gear) for j, gear in self.drives))

    def with_locked(self, locked: Mapping[str, float | None]) -> Actuator | None:
        """Without the joints that are locked, at these coordinates; None if none is left."""
        left = tuple((joint, gear) for joint, gear in self.drives if joint not in locked)
        wound = sum(gear[0] * (locked[joint] or 0.0) for joint, gear in self.drives if joint in locked)
        return replace(self, drives=left, offset=self.offset + wound) if left else None

    def to_dictionary(self) -> dict[str, Any]:
        own: dict[str, Any] = {"name": self.name, "drives": [[joint, list(gear)] for joint, gear in self.drives]}
        for name, field in Actuator.__dataclass_fields__.items():
            value = getattr(self, name)
            if name not in own and value != field.default:
                own[name] = list(value) if isinstance(value, tuple) else value
        return own

    @classmethod
    def from_dictionary(cls, data: Mapping[str, Any]) -> Actuator:
        unknown = set(data) - set(cls.__dataclass_fields__)
        if unknown:
            raise ModelError(f"actuator {data.get('name')!r} has unknown entries {sorted(unknown)}")
        return cls(**data)


def _gear(gear: Any, joint: Any, what: str) -> tuple[float, ...]:
    numbers = [gear] if not isinstance(gear, Sequence) else gear
    if not isinstance(joint, str) or len(numbers) not in (1, 2, 3, 6):
        raise ModelError(f"joint and gear {what} are {joint!r}, {gear!r}; expected a name and one number per velocity")
    return tuple(finite_array(numbers, (len(numbers),), f"gear {what} on joint {joint!r}").tolist())


def _range(value: Any, what: str) -> Range | None:
    if value is None:
        return None
    low, high = finite_array(value, (2,), what).tolist()
    if not low <= high:
        raise ModelError(f"{what} is {[low, high]}; the lower end comes first")
    return (low, high)
