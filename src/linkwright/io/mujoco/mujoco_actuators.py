"""Actuators and keyframes of a compiled MuJoCo model."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...model import Model
from ...model.actuators import Actuator, Keyframe
from ..ignoring import Ignoring, advice
from .mujoco_blame import Blame
from .mujoco_names import Names
from .mujoco_refusals import is_disabled
from .mujoco_state import MujocoCoordinates

_TRANSMISSIONS = ("joint", "jointinparent", "slidercrank", "tendon", "site", "body", "so3")  # mjtTrn
_DYNAMICS = ("none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "pid", "user")  # mjtDyn
_GAINS = ("fixed", "affine", "muscle", "dcmotor", "so3", "pid", "user")  # mjtGain
_BIASES = ("none", "affine", "muscle", "dcmotor", "so3", "user")  # mjtBias
_UNDERSTOOD = {"trntype": 4, "dyntype": 4, "gaintype": 2, "biastype": 2}  # the first of each, but for slider-cranks
_WORDS = {"trntype": _TRANSMISSIONS, "dyntype": _DYNAMICS, "gaintype": _GAINS, "biastype": _BIASES}
# Numbers of an actuator that are zero in what is understood.
_ZERO = ("damping", "dampingpoly", "armature", "delay", "history")
_WRAP_JOINT = 1  # mjtWrap
_BALL, _FREE = 1, 0  # mjtJoint
_VELOCITIES = (6, 3, 1, 1)


class Actuators:
    """Those that are taken over, and which of the file's they are; raises on others unless they are to be ignored."""

    def __init__(self, source: Any, names: Names, blame: Blame, ignore: Ignoring):
        self.source, self.names, self.blame = source, names, blame
        self.actuators: list[Actuator] = []
        self.warnings: list[str] = []
        self._kept: list[int] = []
        if names.actuators and is_disabled(source, "ACTUATION"):
            self.warnings.append("actuators are switched off in the file and are left out")
            return
        for k, name in enumerate(names.actuators):
            problem = self._problem(k)
            if problem:
                if ignore.takes("actuator", f"actuator {name!r} {problem}"):
                    continue
                raise blame.error("actuator", name, problem + advice("actuator"))
            with blame.on("actuator", name):
                self.actuators.append(self._actuator(k, name))
            self._kept.append(k)

    def _problem(self, k: int) -> str | None:
        """Why an actuator is not understood."""
        source = self.source
        for attribute, words in _WORDS.items():
            kind = int(getattr(source, f"actuator_{attribute}")[k])
            word = words[kind] if 0 <= kind < len(words) else "unknown"
            if kind >= _UNDERSTOOD[attribute] or word == "slidercrank":
                known = [w for w in words[: _UNDERSTOOD[attribute]] if w != "slidercrank"]
                return f"has {attribute} {word}; understood are {', '.join(known)}"
        if int(source.actuator_plugin[k]) >= 0:
            return "is a plugin, which is not understood"
        if int(source.actuator_actnum[k]) > 1 or len(source.actuator_ctrlrange) != len(self.names.actuators):
            return "has, or stands beside one that has, several commands or activations; that is not understood"
        for quantity in _ZERO:
            if np.any(getattr(source, f"actuator_{quantity}", np.zeros(k + 1))[k]):
                return f"has {quantity}, which is not understood"
        group = int(source.actuator_group[k])
        if 0 <= group < 31 and source.opt.disableactuator & (1 << group):
            return f"is of group {group}, which is switched off"
        if _TRANSMISSIONS[int(source.actuator_trntype[k])] == "tendon":
            return self._tendon_problem(int(source.actuator_trnid[k][0]))
        return None

    def _tendon_problem(self, t: int) -> str | None:
        source, name = self.source, self.names.tendons[t]
        if any(int(source.wrap_type[w]) != _WRAP_JOINT for w in self._wraps(t)):
            return f"pulls on tendon {name!r}, which is spatial; only fixed ones are understood"
        if source.tendon_actfrclimited[t]:
            return f"pulls on tendon {name!r}, which limits the sum of all forces on it; that is not understood"
        return None

    def _wraps(self, t: int) -> range:
        first = int(self.source.tendon_adr[t])
        return range(first, first + int(self.source.tendon_num[t]))

    def _actuator(self, k: int, name: str) -> Actuator:
        source = self.source
        kind = _TRANSMISSIONS[int(source.actuator_trntype[k])]
        gain, bias = (np.array(getattr(source, f"actuator_{what}prm")[k][:3]) for what in ("gain", "bias"))
        if _GAINS[int(source.actuator_gaintype[k])] == "fixed":
            gain[1:] = 0.0
        if _BIASES[int(source.actuator_biastype[k])] == "none":
            bias[:] = 0.0
        dynamics = _DYNAMICS[int(source.actuator_dyntype[k])]
        drives = self._drives(k, kind)
        return Actuator(
            name, drives, tuple(gain), tuple(bias),
            None if is_disabled(source, "CLAMPCTRL") else self._range(k, "ctrl"), self._range(k, "force"),
            None if dynamics == "none" else dynamics,
            1.0 if dynamics in ("none", "integrator") else float(source.actuator_dynprm[k][0]),
            self._range(k, "act") if dynamics != "none" else None,
            bool(source.actuator_actearly[k]) and dynamics != "none", kind == "jointinparent" and len(drives[0][1]) > 1,
        )  # fmt: skip

    def _drives(self, k: int, kind: str) -> tuple[tuple[str, tuple[float, ...]], ...]:
        source, target = self.source, int(self.source.actuator_trnid[k][0])
        gear = source.actuator_gear[k]
        if kind != "tendon":
            count = _VELOCITIES[int(source.jnt_type[target])]
            return ((self.names.joints[target], tuple(gear[:count].tolist())),)
        shares: dict[str, float] = {}
        for w in self._wraps(target):
            joint = self.names.joints[int(source.wrap_objid[w])]
            shares[joint] = shares.get(joint, 0.0) + float(source.wrap_prm[w]) * float(gear[0])
        return tuple((joint, (share,)) for joint, share in shares.items())

    def _range(self, k: int, what: str) -> tuple[float, ...] | None:
        if not getattr(self.source, f"actuator_{what}limited")[k]:
            return None
        return tuple(getattr(self.source, f"actuator_{what}range")[k].tolist())

    def keyframes(self, model: Model) -> dict[str, Keyframe]:
        """In our coordinates, with the commands and activations of the actuators that were taken over."""
        source, coordinates, found = self.source, MujocoCoordinates(model), {}
        states = [int(source.actuator_actadr[k]) for k in self._kept if source.actuator_actnum[k]]
        for n, name in enumerate(self.names.keys):
            q = coordinates.from_qpos(np.array(source.key_qpos[n]))
            v = coordinates.from_qvel(q, np.array(source.key_qvel[n]))
            found[name] = Keyframe(q, v, np.array(source.key_act[n])[states], np.array(source.key_ctrl[n])[self._kept])
        return found
