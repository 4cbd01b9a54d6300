"""What acts of itself in a MuJoCo model: fixed tendons, and gravity compensation of bodies."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...model.passive import GravityCompensation, Passive, Tendon
from ..ignoring import Ignoring, advice
from .mujoco_blame import Blame
from .mujoco_names import Names
from .mujoco_refusals import is_disabled, is_passive_disabled, is_spatial

# Forces of a tendon that are not understood, whatever its kind, and the word to ignore them by.
_NOT_LINEAR = {
    "tendon_armature": "armature", "tendon_stiffnesspoly": "tendon", "tendon_dampingpoly": "tendon",
}  # fmt: skip
_FIXED = "only those of fixed tendons are understood"


def passive_of(
    source: Any, names: Names, blame: Blame, ignore: Ignoring
) -> tuple[list[Passive], list[str]]:  # fmt: skip
    """(What acts, warnings). Raises on forces of tendons that are not understood, unless they are to be ignored."""
    warnings: list[str] = []
    return [*_compensations(source, names, blame, ignore, warnings), *_tendons(source, names, blame, ignore)], warnings


def _compensations(
    source: Any, names: Names, blame: Blame, ignore: Ignoring, warnings: list[str]
) -> list[Passive]:  # fmt: skip
    found: list[Passive] = []
    if is_passive_disabled(source):
        return found
    powered = source.nu > 0 and not is_disabled(source, "ACTUATION")
    by_actuators = getattr(source, "jnt_actgravcomp", np.zeros(source.njnt))
    limited: dict[str, None] = {}
    for i in np.flatnonzero(source.body_gravcomp):
        name, share, mass = names.bodies[i], float(source.body_gravcomp[i]), float(source.body_mass[i])
        if not source.body_weldid[i] or not mass:  # fixed to the ground, or weightless: nothing to lift
            continue
        if ignore.takes("gravcomp", f"body {name!r} has {share:g} of its weight compensated"):
            continue
        carrying = _carrying(source, int(i))
        driven = [j for j in carrying if by_actuators[j]]
        if driven and not powered:  # MuJoCo's actuators give no compensation where there are none
            if len(driven) < len(carrying):
                what = "is lifted by actuators at some of its joints, and the file has none; that is not understood"
                raise blame.error("body", name, what + advice("gravcomp"))
            warnings.append(f"the weight of {name!r} is to be compensated by actuators, of which none acts: it is not")
            continue
        limited |= {names.joints[j]: None for j in driven if source.jnt_actfrclimited[j]}
        found.append(GravityCompensation(name, share * mass, tuple(source.body_ipos[i])))
    if limited:
        told = "actuators lift weight within that range in the file; here that comes on top"
        what = f"force range of {', '.join(map(repr, limited))} for compensated weight"
        ignore.leave("gravcomp", what, told, about=limited)
    return found


def _carrying(source: Any, body: int) -> list[int]:
    """The joints between a body and the ground."""
    joints: list[int] = []
    while body:
        first = int(source.body_jntadr[body])
        joints += range(first, first + int(source.body_jntnum[body]))
        body = int(source.body_parentid[body])
    return joints


def _tendons(source: Any, names: Names, blame: Blame, ignore: Ignoring) -> list[Passive]:
    found: list[Passive] = []
    for t, name in enumerate(names.tendons):
        for array, word in _NOT_LINEAR.items():
            if np.any(getattr(source, array, np.zeros(source.ntendon))[t]):
                _refuse(word, name, f"has {array[7:]}, which is not understood", blame, ignore)
        stiffness = 0.0 if is_disabled(source, "SPRING") else float(source.tendon_stiffness[t])
        damping = 0.0 if is_disabled(source, "DAMPER") else float(source.tendon_damping[t])
        friction = 0.0 if is_disabled(source, "FRICTIONLOSS") else float(source.tendon_frictionloss[t])
        lower, upper = -math.inf, math.inf
        if source.tendon_limited[t] and not is_disabled(source, "LIMIT"):
            lower, upper = map(float, source.tendon_range[t])
        if not (stiffness or damping or friction or math.isfinite(lower)):
            continue
        if is_spatial(source, t):
            if friction:
                _refuse("friction", name, f"is spatial and has frictionloss {friction:g}; {_FIXED}", blame, ignore)
            if stiffness or damping:
                has = f"is spatial and has stiffness {stiffness:g} and damping {damping:g}"
                _refuse("tendon", name, f"{has}; {_FIXED}", blame, ignore)
            continue
        ratios: dict[str, float] = {}
        for w in range(int(source.tendon_adr[t]), int(source.tendon_adr[t]) + int(source.tendon_num[t])):
            joint = names.joints[int(source.wrap_objid[w])]
            ratios[joint] = ratios.get(joint, 0.0) + float(source.wrap_prm[w])
        shortest, longest = map(float, source.tendon_lengthspring[t])
        numbers = (stiffness, damping, shortest, longest, friction, lower, upper)
        with blame.on("tendon", name):
            found.append(Tendon(name, tuple(ratios.items()), *numbers))
    return found


def _refuse(word: str, name: str, message: str, blame: Blame, ignore: Ignoring) -> None:
    if not ignore.takes(word, f"tendon {name!r} {message}"):
        raise blame.error("tendon", name, message + advice(word))
