"""Numbers of the soft law that belong to no shape: cones, and the softness of limits, friction and equalities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...errors import ModelError
from ..pose import finite_array
from .softness import Softness

CONES = ("elliptic", "pyramidal")


@dataclass(frozen=True)
class JointSoftness:
    """Of one joint or tendon: its limit, the distance at which that begins to act, and its dry friction.

    inverse_weight   of each velocity of the joint, or of the length, in 1/inertia, if the file says
    """

    limit: Softness = field(default_factory=Softness)
    margin: float = 0.0
    friction: Softness = field(default_factory=Softness)
    inverse_weight: tuple[float, ...] | None = None

    def __post_init__(self):
        object.__setattr__(self, "margin", float(finite_array(self.margin, (), "margin of a joint's limit")))
        object.__setattr__(self, "inverse_weight", _checked_weight(self.inverse_weight, "joint"))


@dataclass(frozen=True)
class EqualitySoftness:
    """Of one constraint. inverse_weight: of its translations and rotations; torque_scale: of a weld, in metres."""

    softness: Softness = field(default_factory=Softness)
    inverse_weight: tuple[float, ...] | None = None
    torque_scale: float = 1.0

    def __post_init__(self):
        object.__setattr__(self, "torque_scale", float(finite_array(self.torque_scale, (), "torque scale of a weld")))
        object.__setattr__(self, "inverse_weight", _checked_weight(self.inverse_weight, "constraint"))


@dataclass(frozen=True, eq=False)
class ContactLaw:
    """cone       "elliptic" or "pyramidal": the shape of friction cones
    impratio   how much harder friction is than the normal direction
    refsafe    time constants are at least two time steps
    joints, equalities, tendons   by name; who is not named has MuJoCo's defaults
    watched    pairs of shapes whose contact is not computed: status 6 says that one may have occurred. None: all that
               may touch and are apart as drawn (`linkwright.watched_pairs`)
    excluded, listed   pairs of shapes that a file keeps from touching, or lets touch, whatever their masks say
    """

    cone: str = "elliptic"
    impratio: float = 1.0
    refsafe: bool = True
    joints: Mapping[str, JointSoftness] = field(default_factory=dict)
    equalities: Mapping[str, EqualitySoftness] = field(default_factory=dict)
    watched: tuple[tuple[str, str], ...] | None = None
    tendons: Mapping[str, JointSoftness] = field(default_factory=dict)
    excluded: tuple[tuple[str, str], ...] = ()
    listed: tuple[tuple[str, str], ...] = ()

    def __post_init__(self):
        if self.cone not in CONES:
            raise ModelError(f"cone is {self.cone!r}; expected one of {', '.join(CONES)}")
        object.__setattr__(self, "impratio", float(finite_array(self.impratio, (), "impratio")))
        if not self.impratio > 0.0:
            raise ModelError(f"impratio is {self.impratio!r}; expected a positive number")
        if not isinstance(self.refsafe, bool):
            raise ModelError(f"refsafe is {self.refsafe!r}; expected True or False")
        for name in ("watched", "excluded", "listed"):
            pairs = getattr(self, name)
            if pairs is not None:
                object.__setattr__(self, name, tuple((str(one), str(two)) for one, two in pairs))
        for name in ("joints", "equalities", "tendons"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def of_joint(self, name: str) -> JointSoftness:
        return self.joints.get(name, JointSoftness())

    def of_tendon(self, name: str) -> JointSoftness:
        return self.tendons.get(name, JointSoftness())

    def of_equality(self, name: str) -> EqualitySoftness:
        return self.equalities.get(name, EqualitySoftness())


def _checked_weight(weight, whose: str) -> tuple[float, ...] | None:
    if weight is None:
        return None
    numbers = finite_array(weight, (len(weight),), f"inverse weight of a {whose}").tolist()
    if min(numbers, default=0.0) < 0.0:
        raise ModelError(f"inverse weight of a {whose} is {numbers}; must not be negative")
    return tuple(numbers)


USUAL_LAW = ContactLaw()
"""What a model has whose file says nothing of contacts."""
