"""What a MuJoCo model may have that would change the motion and is not understood: refused by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from .mujoco_blame import Blame
from .mujoco_names import Names

_DISABLE_BITS = {
    "CONSTRAINT": 0, "EQUALITY": 1, "FRICTIONLOSS": 2, "LIMIT": 3, "CONTACT": 4, "SPRING": 5, "DAMPER": 6, "GRAVITY": 7,
    "FILTERPARENT": 10, "REFSAFE": 12,
}  # fmt: skip
_FREE, _BALL = 0, 1
# Sizes that are zero in a model of rigid bodies and joints.
_COUNTS = {
    "nflex": "deformable bodies (flex)", "nplugin": "plugins", "nplastic": "springs that yield",
}  # fmt: skip


def is_disabled(source: Any, what: str) -> bool:
    """Whether <flag> switches off e.g. "GRAVITY"."""
    return bool(source.opt.disableflags & (1 << _DISABLE_BITS[what]))


def check_understood(source: Any, names: Names, blame: Blame) -> list[str]:
    """Raise on what is not understood; return warnings about what is left out and does not change the motion."""
    for count, what in _COUNTS.items():
        if getattr(source, count, 0):
            raise blame.error("mujoco", names.model, f"has {what}, which are not understood")
    for option in ("density", "viscosity"):
        if getattr(source.opt, option):
            given = getattr(source.opt, option)
            raise blame.error("option", option, f"is {given:g}; forces of a fluid are not understood")
    _check_bodies(source, names, blame)
    warnings = _check_joints(source, names, blame)
    warnings += _check_tendons(source, names, blame)
    if source.nu:
        listed = ", ".join(repr(source.actuator(k).name or f"actuator_{k}") for k in range(min(source.nu, 20)))
        warnings.append(f"actuators are left out, joint torques are inputs here: {listed}")
    return warnings


def _check_bodies(source: Any, names: Names, blame: Blame) -> None:
    for i in np.flatnonzero(source.body_gravcomp):
        raise blame.error("body", names.bodies[i], "has gravity compensation (gravcomp), which is not understood")


def _check_joints(source: Any, names: Names, blame: Blame) -> list[str]:
    warnings = []
    for j, name in enumerate(names.joints):
        kind = int(source.jnt_type[j])
        for array, what in (("jnt_stiffnesspoly", "nonlinear stiffness"), ("jnt_springyield", "a spring that yields")):
            if np.any(getattr(source, array, np.zeros(source.njnt))[j]):
                raise blame.error("joint", name, f"has {what}, which is not understood")
        dofs = slice(int(source.jnt_dofadr[j]), int(source.jnt_dofadr[j]) + (6, 3, 1, 1)[kind])
        if hasattr(source, "dof_dampingpoly") and np.any(source.dof_dampingpoly[dofs]):
            raise blame.error("joint", name, "has nonlinear damping, which is not understood")
        if kind in (_FREE, _BALL):
            if source.jnt_stiffness[j] and not is_disabled(source, "SPRING"):
                raise blame.error("joint", name, "has a spring on a rotation of three degrees of freedom")
            if source.jnt_limited[j]:
                warnings.append(f"the limit of joint {name!r} is left out: a ball has no coordinate that it limits")
        if kind == _FREE:
            # it resists the rate of velocities that MuJoCo takes in the world and we in the body
            if np.any(source.dof_armature[dofs]):
                raise blame.error("joint", name, "is free and has an armature, which means something else here")
            for array in ("dof_damping", "dof_frictionloss"):
                if np.ptp(getattr(source, array)[dofs][:3]):
                    raise blame.error("joint", name, f"is free and its {array} differs by direction of the world")
        if source.jnt_actfrclimited[j] and source.jnt_actfrcrange[j].sum():
            warnings.append(f"the force range of joint {name!r} is not symmetric; its larger side is the effort limit")
    return warnings


def _check_tendons(source: Any, names: Names, blame: Blame) -> list[str]:
    warnings = []
    for t, name in enumerate(names.tendons):
        for array in (
            "tendon_stiffness", "tendon_damping", "tendon_frictionloss", "tendon_armature", "tendon_stiffnesspoly",
            "tendon_dampingpoly",
        ):  # fmt: skip
            if np.any(getattr(source, array, np.zeros(source.ntendon))[t]):
                raise blame.error("tendon", name, f"has {array[7:]}; forces of tendons are not understood")
        if source.tendon_limited[t]:
            warnings.append(f"the limit of tendon {name!r} is left out")
    return warnings
