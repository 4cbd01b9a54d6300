"""A compiled MuJoCo model into a `Model`.

Coordinates are MuJoCo's one by one (`mujoco_state.py` converts states): a joint's `ref` goes into the placement. A
body with several joints becomes a chain of bodies of which the last has the inertia. Sites become frames, equalities
constraints, keyframes `model.keyframes` and their poses `model.configurations`, the as-drawn pose (or a keyframe named
so) `model.drawn`. What would change the motion and is not understood is refused by name (mujoco_refusals.py).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...algorithms.contact.watching import with_told_pairs
from ...model import GROUND, Inertia, Joint, Model, ModelBuilder, Pose
from ...model.joint import free_flyer, prismatic, revolute, spherical
from ...model.not_computed import warn
from ..ignoring import Ignoring
from ..links.placing import add_link
from .mujoco_actuators import Actuators
from .mujoco_blame import Blame
from .mujoco_equality import constraints_of
from .mujoco_names import Names
from .mujoco_passive import passive_of
from .mujoco_refusals import check_understood, is_disabled
from .mujoco_shapes import StandIn, with_shapes
from .mujoco_simulation import simulation_of, told_of_law
from .mujoco_state import MujocoCoordinates

_FREE, _BALL, _SLIDE, _HINGE = range(4)  # mjtJoint
REFERENCE = "reference"  # the keyframe that our writer gives a model's reference to


def is_mujoco_model(value: object) -> bool:
    return type(value).__module__.split(".")[0] == "mujoco" and type(value).__name__ == "MjModel"


def from_mujoco_model(
    model: Any, *, inactive: bool = False, blame: Blame | None = None, ignore: Ignoring | None = None,
    options: Collection[str] | None = None, meshes: bool = False,
) -> Model:  # fmt: skip
    """A model from a `mujoco.MjModel`.

    inactive   True takes over equalities that are not active at the start too
    meshes     True takes hulls of meshes that collide as shapes
    options    attributes of <option> that its file writes, if that is known: others are not the file's choice
    """
    taken = Ignoring() if ignore is None else ignore
    blame = Blame() if blame is None else blame
    return warn(converted(model, taken, blame, inactive=inactive, options=options, meshes=meshes))


def converted(
    model: Any, ignore: Ignoring, blame: Blame, *, inactive: bool, options: Collection[str] | None, meshes: bool,
    stand_ins: Sequence[StandIn] = (),
) -> Model:  # fmt: skip
    """The same without a Python warning; what is left out is noted in `ignore` and on the model. `stand_ins`: kinds and
    corners of geoms that others stand in for, by their `user` numbers."""
    with np.errstate(all="ignore"):
        found = _Conversion(model, inactive, blame, ignore, options, meshes, stand_ins).model()
        return found.with_not_computed(*ignore.left_out)


class _Conversion:
    def __init__(
        self, source: Any, inactive: bool, blame: Blame, ignore: Ignoring, options: Collection[str] | None,
        meshes: bool, stand_ins: Sequence[StandIn],
    ):  # fmt: skip
        self.source, self.inactive, self.blame, self.ignore, self.meshes = source, inactive, blame, ignore, meshes
        self.stand_ins = stand_ins
        self.names = Names(source)
        self.expected: set[str] = set()  # warnings about bodies that are not the file's
        self.warnings = check_understood(source, self.names, blame, ignore)
        self.simulation, told = simulation_of(source, options)
        self.warnings += told
        gravity = np.zeros(3) if is_disabled(source, "GRAVITY") else source.opt.gravity
        with blame.whole():
            self.builder = ModelBuilder(self.names.model, gravity)

    def model(self) -> Model:
        source, names = self.source, self.names
        with self.blame.on("body", GROUND):
            self.builder.add_inertia(GROUND, self._inertia(0))
        for i in range(1, source.nbody):
            with self.blame.on("body", names.bodies[i]):
                self._add_body(i)
        for i in range(source.nsite):
            with self.blame.on("site", names.sites[i]):
                pose = _pose(source.site_pos[i], source.site_quat[i])
                self.builder.add_frame(names.sites[i], names.bodies[source.site_bodyid[i]], pose)
        constraints, told = constraints_of(source, names, self.builder, self.blame, self.inactive, self.ignore)
        passive, of_passive = passive_of(source, names, self.blame, self.ignore)
        self.builder.add_passive(*passive)
        told += of_passive
        driving = Actuators(source, names, self.blame, self.ignore)
        touching = self._touching()
        with self.blame.whole():
            model = self.builder.build().with_constraints(*constraints)
            if touching:
                model = with_shapes(model, source, names, self.blame, self.ignore, self.meshes, self.stand_ins)
            # the massless bodies between several joints of one body are ours, not the file's
            told += [warning for warning in model.warnings if warning not in self.expected]
            told += told_of_law(model)
            model = replace(
                model, warnings=(*self.warnings, *driving.warnings, *told), motors=names.motors,
                simulation=self.simulation, actuators=tuple(driving.actuators),
            )  # fmt: skip
            keyframes = driving.keyframes(model)
            drawn = MujocoCoordinates(model).from_qpos(np.array(source.qpos0))
            reference = keyframes.pop(REFERENCE).q if REFERENCE in keyframes else drawn
            poses = {name: frame.q for name, frame in keyframes.items()}
            model = replace(model, drawn=reference, configurations=poses, keyframes=keyframes)
            return with_told_pairs(model)

    def _touching(self) -> bool:
        """Whether contacts are taken over."""
        colliding = int(np.count_nonzero((self.source.geom_contype != 0) | (self.source.geom_conaffinity != 0)))
        return not (colliding and self.ignore.takes("contact", f"{colliding} geoms that collide"))

    def _add_body(self, i: int) -> None:
        source, name = self.source, self.names.bodies[i]
        parent, pose = self.names.bodies[source.body_parentid[i]], _pose(source.body_pos[i], source.body_quat[i])
        first, count = int(source.body_jntadr[i]), int(source.body_jntnum[i])
        if not count:
            if source.body_mocapid[i] >= 0:
                self.warnings.append(f"mocap body {name!r} stands still where it is drawn")
            self.builder.add_frame(name, parent, pose)
            self.builder.add_inertia(name, self._inertia(i))
            return
        on = parent
        for j in range(first, first + count):
            last = j == first + count - 1
            joint, at, offset = self._joint(j)
            link = name if last else f"{name}/{joint.name}"
            inertia = self._inertia(i) if last else Inertia.zero()
            at = at if joint.kind == "free_flyer" else pose @ at
            body = add_link(self.builder, link, joint, on, at, offset, inertia, avoiding=self.names.taken)
            if not last:
                self.expected.add(f"body {body!r} has no mass")
            on, pose = link, Pose.identity()

    def _joint(self, j: int) -> tuple[Joint, Pose, Pose]:
        """A joint, its frame (at zero) in the body as drawn, and the body's frame in it."""
        source, name, kind = self.source, self.names.joints[j], int(self.source.jnt_type[j])
        quantities = self._quantities(j)
        if kind == _FREE:
            return free_flyer(name, **quantities), Pose.identity(), Pose.identity()
        anchor = Pose.of(source.jnt_pos[j])
        if kind == _BALL:
            return spherical(name, **quantities), anchor, anchor.inverse()
        axis = np.array(source.jnt_axis[j])
        ref = float(source.qpos0[source.jnt_qposadr[j]])
        joint = (revolute if kind == _HINGE else prismatic)(name, axis=axis, **quantities)
        return joint, anchor @ joint.displacement([-ref]), anchor.inverse()

    def _quantities(self, j: int) -> dict[str, Any]:
        source, kind = self.source, int(self.source.jnt_type[j])
        dofs = slice(int(source.jnt_dofadr[j]), int(source.jnt_dofadr[j]) + (6, 3, 1, 1)[kind])
        result: dict[str, Any] = {}
        if kind != _FREE:  # refused there, unless it is to be ignored
            result["armature"] = source.dof_armature[dofs]
        for quantity, array, flag in (
            ("damping", "dof_damping", "DAMPER"), ("friction", "dof_frictionloss", "FRICTIONLOSS"),
        ):  # fmt: skip
            values = getattr(source, array)[dofs]
            # what differs by direction of the world is refused, unless it is to be ignored
            if not is_disabled(source, flag) and not (kind == _FREE and np.ptp(values[:3])):
                result[quantity] = values
        if kind not in (_SLIDE, _HINGE):
            return result
        if source.jnt_stiffness[j] and not is_disabled(source, "SPRING"):
            result["stiffness"] = source.jnt_stiffness[j]
            result["spring_reference"] = source.qpos_spring[source.jnt_qposadr[j]]
        if source.jnt_limited[j] and not is_disabled(source, "LIMIT"):
            result["lower"], result["upper"] = source.jnt_range[j]
        if source.jnt_actfrclimited[j]:
            result["effort_limit"] = np.abs(source.jnt_actfrcrange[j]).max()
        return result

    def _inertia(self, i: int) -> Inertia:
        source = self.source
        about_com = Inertia(float(source.body_mass[i]), np.zeros(3), np.diag(source.body_inertia[i]))
        return about_com.moved(_pose(source.body_ipos[i], source.body_iquat[i]))


def _pose(position, quaternion) -> Pose:
    """MuJoCo's quaternions have w first."""
    return Pose.from_quaternion(position, np.roll(np.array(quaternion), -1))
