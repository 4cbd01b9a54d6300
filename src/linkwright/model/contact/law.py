"""Numbers of the soft law that belong to no shape: cones, and the softness of limits, friction and equalities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...errors import ModelError
from .softness import Softness

CONES = ("elliptic", "pyramidal")


@dataclass(frozen=True)
class JointSoftness:
    """Of one joint: its limit, the distance at which that begins to act, and its dry friction.

    inverse_weight   of each velocity of the joint, in 1/inertia, if the file says
    """

    limit: Softness = field(default_factory=Softness)
    margin: float = 0.0
    friction: Softness = field(default_factory=Softness)
    inverse_weight: tuple[float, ...] | None = None


@dataclass(frozen=True)
class EqualitySoftness:
    """Of one constraint. inverse_weight: of its translations and rotations; torque_scale: of a weld, in metres."""

    softness: Softness = field(default_factory=Softness)
    inverse_weight: tuple[float, ...] | None = None
    torque_scale: float = 1.0


@dataclass(frozen=True, eq=False)
class ContactLaw:
    """cone       "elliptic" or "pyramidal": the shape of friction cones
    impratio   how much harder friction is than the normal direction
    refsafe    time constants are at least two time steps
    joints, equalities   by name; who is not named has MuJoCo's defaults
    """

    cone: str = "elliptic"
    impratio: float = 1.0
    refsafe: bool = True
    joints: Mapping[str, JointSoftness] = field(default_factory=dict)
    equalities: Mapping[str, EqualitySoftness] = field(default_factory=dict)

    def __post_init__(self):
        if self.cone not in CONES:
            raise ModelError(f"cone is {self.cone!r}; expected one of {', '.join(CONES)}")
        if not 0.0 < self.impratio < float("inf"):
            raise ModelError(f"impratio is {self.impratio!r}; expected a positive number")
        for name in ("joints", "equalities"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def of_joint(self, name: str) -> JointSoftness:
        return self.joints.get(name, JointSoftness())

    def of_equality(self, name: str) -> EqualitySoftness:
        return self.equalities.get(name, EqualitySoftness())
