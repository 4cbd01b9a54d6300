"""What acts on a mechanism of itself, beyond the springs and dampers of single joints.

Each is named by frames and joints, so that it survives what renames, merges and renumbers bodies.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from ..errors import ModelError
from .pose import LARGEST_NUMBER, finite_array

if TYPE_CHECKING:
    from .model import Model


@dataclass(frozen=True)
class GravityCompensation:
    """The weight of `mass` kilograms is taken off at `point` of `frame`, whatever gravity is (MuJoCo's gravcomp).

    More than the body weighs makes it rise, as in water; the motion's inertia is what it was.
    """

    frame: str
    mass: float
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)

    kind: ClassVar[str] = "gravity_compensation"

    def __post_init__(self):
        what = f"gravity compensation at {self.frame!r}"
        object.__setattr__(self, "mass", _number(self.mass, f"the mass of the {what}"))
        object.__setattr__(self, "point", tuple(finite_array(self.point, (3,), f"the point of the {what}").tolist()))

    def check(self, model: Model) -> None:
        model.frame(self.frame)

    def renamed(self, prefix: str, ground: str) -> GravityCompensation:
        return replace(self, frame=prefix + self.frame if self.frame != "world" else ground)

    def with_locked(self, fixed: Mapping[str, float]) -> GravityCompensation:
        return self

    def to_dictionary(self) -> dict[str, Any]:
        return {"kind": self.kind, "frame": self.frame, "mass": self.mass, "point": list(self.point)}


@dataclass(frozen=True)
class Tendon:
    """A length that joints wind up, the sum of ratio times coordinate, with a spring, a damper, dry friction, limits.

    The force is stiffness times how far the length is outside [shortest, longest], which are one number for an
    ordinary spring, and damping times its rate; a joint's torque is its ratio times the force. Dry friction, of at
    most `friction`, and the limits `lower` and `upper` of the length are the soft law's (docs/contact.md).
    """

    name: str
    ratios: tuple[tuple[str, float], ...]
    stiffness: float = 0.0
    damping: float = 0.0
    shortest: float = 0.0
    longest: float = 0.0
    friction: float = 0.0
    lower: float = -math.inf
    upper: float = math.inf

    kind: ClassVar[str] = "tendon"

    def __post_init__(self):
        what = f"of tendon {self.name!r}"
        ratios = tuple((str(joint), _number(ratio, f"the ratio of {joint!r} {what}")) for joint, ratio in self.ratios)
        object.__setattr__(self, "ratios", ratios)
        if not ratios or len(dict(ratios)) != len(ratios):
            raise ModelError(f"the joints {what} are {[joint for joint, _ in ratios]}; expected names, each once")
        for quantity in ("stiffness", "damping", "shortest", "longest", "friction"):
            object.__setattr__(self, quantity, _number(getattr(self, quantity), f"{quantity} {what}"))
        if self.stiffness < 0 or self.damping < 0 or self.longest < self.shortest:
            raise ModelError(
                f"tendon {self.name!r} has stiffness {self.stiffness:g}, damping {self.damping:g} and lengths "
                f"[{self.shortest:g}, {self.longest:g}]; expected none below zero, and the shortest length first"
            )
        if self.friction < 0:
            raise ModelError(f"tendon {self.name!r} has friction {self.friction:g}; must not be negative")
        for bound in ("lower", "upper"):
            given = getattr(self, bound)
            if given not in (-math.inf, math.inf):
                object.__setattr__(self, bound, _number(given, f"{bound} {what}"))
        if not (self.lower <= self.upper and self.lower < math.inf and self.upper > -math.inf):
            raise ModelError(
                f"tendon {self.name!r} has limits [{self.lower:g}, {self.upper:g}]; expected the lower one first"
            )

    @property
    def limited(self) -> bool:
        return math.isfinite(self.lower) or math.isfinite(self.upper)

    def check(self, model: Model) -> None:
        for joint, _ in self.ratios:
            carried = model.bodies[model.joint_index(joint)].joint
            if carried is None or carried.nq != 1 or carried.nv != 1:
                raise ModelError(
                    f"tendon {self.name!r} winds on joint {joint!r}, which has no single coordinate; expected joints "
                    f"that turn about or move along one axis"
                )

    def renamed(self, prefix: str, ground: str) -> Tendon:
        return replace(self, name=prefix + self.name, ratios=tuple((prefix + j, ratio) for j, ratio in self.ratios))

    def with_locked(self, fixed: Mapping[str, float]) -> Tendon | None:
        """What is wound on locked joints is no longer part of the length."""
        wound = sum(ratio * fixed[joint] for joint, ratio in self.ratios if joint in fixed)
        left = tuple((joint, ratio) for joint, ratio in self.ratios if joint not in fixed)
        if not left:
            return None
        lengths = {name: getattr(self, name) - wound for name in ("shortest", "longest", "lower", "upper")}
        return replace(self, ratios=left, **lengths)

    def to_dictionary(self) -> dict[str, Any]:
        content = {
            "kind": self.kind, "name": self.name, "ratios": [list(pair) for pair in self.ratios],
            "stiffness": self.stiffness, "damping": self.damping, "shortest": self.shortest, "longest": self.longest,
            "friction": self.friction,
        }  # fmt: skip
        bounds = {"lower": self.lower, "upper": self.upper}
        return {**content, **{name: x for name, x in bounds.items() if math.isfinite(x)}}


Passive = GravityCompensation | Tendon
_KINDS = {one.kind: one for one in (GravityCompensation, Tendon)}
_FORMER = {"tendon_spring": "tendon"}  # words of older files


def read_passive(data: Mapping[str, Any]) -> Passive:
    """Inverse of `to_dictionary`."""
    content = dict(data)
    kind = content.pop("kind")
    kind = _FORMER.get(kind, kind)
    if kind not in _KINDS:
        raise ModelError(f"{kind!r} acts on nothing that is known; expected {', '.join(_KINDS)}")
    if "ratios" in content:
        content["ratios"] = tuple((joint, ratio) for joint, ratio in content["ratios"])
    return _KINDS[kind](**content)


def _number(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ModelError(f"{what} is {value!r}; expected a number") from None
    if not math.isfinite(number) or abs(number) > LARGEST_NUMBER:
        raise ModelError(f"{what} is {value!r}; expected a finite number up to {LARGEST_NUMBER:g}")
    return number
