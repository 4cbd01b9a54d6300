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
_PART_OF = {what: ("CONSTRAINT",) for what in ("EQUALITY", "FRICTIONLOSS", "LIMIT", "CONTACT")}
_FREE, _BALL = 0, 1
_WRAP_JOINT = 1  # mjtWrap
_NAMED = 6  # geoms
# Bits of enableflags (mjtEnableBit) that change the motion, and what is computed instead.
_ENABLED = {
    "sleep": (4, "what rests goes on moving as the dynamics say, however little"),
    "diagexact": (5, "how easily rows move is taken from the drawn pose, as MuJoCo does without it"),
    "speculative": (7, "contacts act where shapes touch, as in MuJoCo without it"),
}
_SURFACES = (
    ("geom_surfacevel", "velocity of the surface", "surfaces move with their bodies"),
    ("geom_adhesion", "adhesion", "contacts do not pull"),
    ("pair_adhesion", "adhesion", "contacts do not pull"),
)
# Sizes that are zero in a model of rigid bodies and joints, and the word to ignore them by.
_COUNTS = {
    "nflex": ("deformable", "deformable bodies (flex)"),
    "nplugin": ("plugin", "plugins"),
    "nplastic": ("spring", "springs that yield"),
}


def is_disabled(source: Any, what: str) -> bool:
    """Whether <flag> switches off e.g. "GRAVITY"."""
    return any(source.opt.disableflags & (1 << _DISABLE_BITS[flag]) for flag in (what, *_PART_OF.get(what, ())))


def is_passive_disabled(source: Any) -> bool:
    """Whether nothing acts of itself: where neither springs nor dampers act MuJoCo leaves out compensated weight and
    fluids too."""
    return is_disabled(source, "SPRING") and is_disabled(source, "DAMPER")


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
            if given and not is_passive_disabled(source):
                self._refuse("fluid", "option", option, f"is {given:g}; forces of a fluid are not understood")
        self._joints()
        self._tendon_limits()
        if not is_disabled(source, "CONSTRAINT"):
            self._solver_options()
        if not is_disabled(source, "CONTACT") and "contact" not in ignore.words:
            self._surfaces()
        self._mocap_keyframes()

    def _solver_options(self) -> None:
        source = self.source
        for flag, (bit, why) in _ENABLED.items():
            if source.opt.enableflags & (1 << bit):
                self.ignore.leave("option", f"<flag {flag}>", why)
        rubbing = source.npair or np.any(source.geom_contype) or np.any(source.dof_frictionloss)
        if source.opt.noslip_iterations and (rubbing or np.any(source.tendon_frictionloss)):
            self.ignore.leave(
                "option", f"noslip_iterations = {source.opt.noslip_iterations}",
                "friction is that of MuJoCo without these passes, and creeps a little", "a larger impratio creeps less",
            )  # fmt: skip

    def _surfaces(self) -> None:
        """What geoms do where they touch, beyond the law of contacts."""
        source = self.source
        for array, what, why in _SURFACES:
            found = [k for k, row in enumerate(getattr(source, array, ())) if np.any(row)]
            if found and array.startswith("geom"):
                names = [source.geom(g).name or f"{self.names.bodies[source.geom_bodyid[g]]}/geom_{g}" for g in found]
                more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
                listed = ", ".join(map(repr, names[:_NAMED]))
                self.ignore.leave("option", f"{what} of geom {listed}{more}", why, about=names)
            elif found:
                self.ignore.leave("option", f"{what} of {len(found)} listed pairs of geoms", why)

    def _mocap_keyframes(self) -> None:
        """A reset to a keyframe puts mocap bodies in its places; here they are part of the ground."""
        source = self.source
        bodies = [i for i in range(source.nbody) if source.body_mocapid[i] >= 0]
        drawn = np.array([[*source.body_pos[i], *source.body_quat[i]] for i in bodies]).reshape(-1)
        for k, name in enumerate(self.names.keys):
            parts = (np.array(source.key_mpos[k]).reshape(-1, 3), np.array(source.key_mquat[k]).reshape(-1, 4))
            if bodies and not np.allclose(np.concatenate(parts, axis=1).reshape(-1), drawn, rtol=0.0, atol=1e-12):
                why = "mocap bodies stand still where they are drawn"
                self.ignore.leave("option", f"places of mocap bodies in keyframe {name!r}", why)

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
