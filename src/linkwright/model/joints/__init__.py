"""How each kind of joint moves, in a frame whose axes the joint is aligned with. One class per kind.

`JOINT_KINDS` maps the name of a kind to its class; `model.joint` describes joints as users see them.
"""

from .floating import FreeFlyer, Spherical
from .joint_motion import JointMotion
from .multiple import Cylindrical, Planar, Translational, Universal
from .single import Continuous, Helical, Prismatic, Revolute

JOINT_KINDS: dict[str, type[JointMotion]] = {
    cls.kind: cls
    for cls in (
        Revolute, Continuous, Prismatic, Helical, Cylindrical, Universal, Spherical, Planar, Translational, FreeFlyer,
    )
}  # fmt: skip

__all__ = ["JOINT_KINDS", "JointMotion", *(cls.__name__ for cls in JOINT_KINDS.values())]
