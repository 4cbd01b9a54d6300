"""What a MuJoCo model may have that would change the motion and is not understood: refused by name, or ignored."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ignoring import Ignoring, advice
from .mujoco_blame import Blame
from .mujoco_names import Names

_DISABLE_BITS = {
    "CONSTRAINT": 0, "EQUALITY": 1, "FRICTIONLOSS": 2, "LIMIT": 3, "CONTACT": 4, "SPRING": 5, "DAMPER": 6, "GRAVITY": 7,
    "CLAMPCTRL": 8, "FILTERPARENT": 10, "ACTUATION": 11, "REFSAFE": 12,
    "EULERDAMP": 15,
}  # fmt: skip
_FREE, _BALL = 0, 1
_WRAP_JOINT = 1  # mjtWrap
# Sizes that are zero in a model of rigid bodies and joints, and the word to ignore them by.
_COUNTS = {
    "nflex": ("deformable", "deformable bodies (flex)"),
    "nplugin": ("plugin", "plugins"),
    "nplastic": ("spring", "springs that yield"),
}


def is_disabled(source: Any, what: str) -> bool:
    """Whether <flag> switches off e.g. "GRAVITY"."""
    return bool(source.opt.disableflags & (1 << _DISABLE_BITS[what]))


def is_spatial(source: Any, t: int) -> bool:
    """Whether tendon t runs through space, and is no sum of joint coordinates."""
    wraps = slice(int(source.tendon_adr[t]), int(source.tendon_adr[t]) + int(source.tendon_num[t]))
    return bool(np.any(source.wrap_type[wraps] != _WRAP_JOINT))


def check_understood(source: Any, names: Names, blame: Blame, ignore: Ignoring) -> list[str]:
    """Raise on what is not understood; return remarks. What is left out of the motion is noted in `ignore`."""
    return _Check(source, names, blame, ignore).warnings


class _Check:
    def __init__(self, source: Any, names: Names, blame: Blame, ignore: Ignoring):
        self.source, self.names, self.blame, self.ignore = source, names, blame, ignore
        self.warnings: list[str] = []
        for count, (word, what) in _COUNTS.items():
            if getattr(source, count, 0):
                self._refuse(word, "mujoco", names.model, f"has {what}, which are not understood")
        for option in ("density", "viscosity"):
            given = getattr(source.opt, option)
            if given:
                self._refuse("fluid", "option", option, f"is {given:g}; forces of a fluid are not understood")
        self._joints()
        self._tendon_limits()

    def _refuse(self, word: str, tag: str, name: str, message: str) -> None:
        if not self.ignore.takes(word, f"{tag} {name!r} {message}"):
            raise self.blame.error(tag, name, message + advice(word))

    def _joints(self) -> None:
        source = self.source
        for j, name in enumerate(self.names.joints):
            kind = int(source.jnt_type[j])
            for array, what in (
                ("jnt_stiffnesspoly", "nonlinear stiffness"), ("jnt_springyield", "a spring that yields"),
            ):  # fmt: skip
                if np.any(getattr(source, array, np.zeros(source.njnt))[j]):
                    self._refuse("spring", "joint", name, f"has {what}, which is not understood")
            dofs = slice(int(source.jnt_dofadr[j]), int(source.jnt_dofadr[j]) + (6, 3, 1, 1)[kind])
            if hasattr(source, "dof_dampingpoly") and np.any(source.dof_dampingpoly[dofs]):
                self._refuse("damping", "joint", name, "has nonlinear damping, which is not understood")
            if kind in (_FREE, _BALL):
                if source.jnt_stiffness[j] and not is_disabled(source, "SPRING"):
                    self._refuse("spring", "joint", name, "has a spring on a rotation of three degrees of freedom")
                if source.jnt_limited[j] and not is_disabled(source, "LIMIT"):
                    why = "a ball has no coordinate that could be limited here"
                    self.ignore.leave("limit", f"limit of ball joint {name!r}", why, about=(name,))
            if kind == _FREE:
                self._free_joint(name, dofs)
            if source.jnt_actfrclimited[j] and source.jnt_actfrcrange[j].sum():
                why = "torques are limited alike in both directions, by the larger side of the range"
                self.ignore.leave("limit", f"smaller side of the force range of joint {name!r}", why, about=(name,))

    def _free_joint(self, name: str, dofs: slice) -> None:
        # armature resists the rate of velocities that MuJoCo takes in the world and we in the body
        if np.any(self.source.dof_armature[dofs]):
            self._refuse("armature", "joint", name, "is free and has an armature, which means something else here")
        for word, array in (("damping", "dof_damping"), ("friction", "dof_frictionloss")):
            if np.ptp(getattr(self.source, array)[dofs][:3]):
                self._refuse(word, "joint", name, f"is free and its {array} differs by direction of the world")

    def _tendon_limits(self) -> None:
        if is_disabled(self.source, "LIMIT"):
            return
        for t, name in enumerate(self.names.tendons):
            if self.source.tendon_limited[t] and is_spatial(self.source, t):
                why = "only lengths of fixed tendons are computed"
                self.ignore.leave("limit", f"limits of spatial tendon {name!r}", why)
