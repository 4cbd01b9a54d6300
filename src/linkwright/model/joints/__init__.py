"""How each kind of joint moves, in a frame whose axes the joint is aligned with. One class per kind.

`JOINT_KINDS` maps the name of a kind to its class, `joint_kind` adds one; `model.joint` describes joints as users
see them.
"""

from ...errors import ModelError
from .floating import FreeFlyer, Spherical
from .joint_motion import FIXED, JointMotion, Rigid
from .multiple import Cylindrical, Planar, Translational, Universal
from .single import Continuous, Helical, Prismatic, Revolute

JOINT_KINDS: dict[str, type[JointMotion]] = {
    cls.kind: cls
    for cls in (
        Revolute, Continuous, Prismatic, Helical, Cylindrical, Universal, Spherical, Planar, Translational, FreeFlyer,
    )
}  # fmt: skip

_NEEDED = ("kind", "nq", "nv", "transform", "subspace")
_PLAIN = ("integrate", "difference", "coordinate_rates", "velocities_of")


def joint_kind(cls: type[JointMotion]) -> type[JointMotion]:
    """Make a kind of joint known; it is refused with a list of what it lacks (docs/adding/joint.md)."""
    missing = [what for what in _NEEDED if getattr(cls, what, None) is getattr(JointMotion, what, None)]
    if not missing and not cls.velocity_is_rate:
        missing = [what for what in _PLAIN if getattr(cls, what) is getattr(JointMotion, what)]
    if not missing and cls.kind in JOINT_KINDS:
        raise ModelError(f"joint kind {cls.kind!r} of {cls.__name__} is taken by {JOINT_KINDS[cls.kind].__name__}")
    if missing:
        raise ModelError(f"joint kind {cls.__name__} lacks {', '.join(missing)} (docs/adding/joint.md)")
    JOINT_KINDS[cls.kind] = cls
    return cls


__all__ = [
    "FIXED", "JOINT_KINDS", "JointMotion", "Rigid", "joint_kind", *(cls.__name__ for cls in JOINT_KINDS.values()),
]  # fmt: skip
