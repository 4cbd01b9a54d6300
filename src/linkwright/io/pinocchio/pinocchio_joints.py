"""Pinocchio's joint models and ours, kind by kind."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ...errors import UnsupportedError
from ...model import Joint, Pose
from ...model.joint import rotation_to

_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_ALIGNED = {"R": "revolute", "RUB": "continuous", "P": "prismatic", "H": "helical"}
_UNALIGNED = {
    "RevoluteUnaligned": "revolute",
    "RevoluteUnboundedUnaligned": "continuous",
    "PrismaticUnaligned": "prismatic",
    "HelicalUnaligned": "helical",
}
_WITHOUT_AXIS = {
    "FreeFlyer": "free_flyer", "Spherical": "spherical", "Translation": "translational", "Planar": "planar",
}  # fmt: skip


@dataclass(frozen=True)
class SimpleJoint:
    """A joint of ours that is, or is part of, a joint of Pinocchio."""

    kind: str
    axis: tuple[float, float, float] | np.ndarray = (0.0, 0.0, 1.0)
    second_axis: tuple[float, float, float] | np.ndarray = (0.0, 1.0, 0.0)
    pitch: float = 0.0
    placement: Pose = field(default_factory=Pose.identity)


def pose_of(se3) -> Pose:
    return Pose(np.array(se3.rotation), np.array(se3.translation))


def simple_joints(joint_model, name: str) -> list[SimpleJoint]:
    """The chain of our joints that moves like one of Pinocchio's; one joint, unless it is composite or Euler angles."""
    joint = joint_model.extract() if hasattr(joint_model, "extract") else joint_model
    kind = joint.shortname().removeprefix("JointModel")
    if kind[:-1] in _ALIGNED and kind[-1:] in _AXES:
        return [SimpleJoint(_ALIGNED[kind[:-1]], _AXES[kind[-1]], pitch=float(getattr(joint, "pitch", 0.0)))]
    if kind in _UNALIGNED:
        return [SimpleJoint(_UNALIGNED[kind], _axis(joint), pitch=float(getattr(joint, "pitch", 0.0)))]
    if kind in _WITHOUT_AXIS:
        return [SimpleJoint(_WITHOUT_AXIS[kind])]
    if kind == "Universal":
        return [SimpleJoint("universal", np.array(joint.axis1), np.array(joint.axis2))]
    if kind == "SphericalZYX":
        return [SimpleJoint("revolute", _AXES[axis]) for axis in "ZYX"]
    if kind == "Composite":
        return _composite(joint, name)
    if kind == "Mimic":
        raise UnsupportedError(
            f"joint {name!r} is a mimic joint, which has no coordinate of its own in Pinocchio; load the robot with "
            "mimic=False there, or give its URDF to linkwright.load, which keeps mimic joints as data"
        )
    raise UnsupportedError(
        f"joint {name!r} is a {kind} joint of Pinocchio, which linkwright does not have; it has "
        f"{', '.join(sorted({*_ALIGNED.values(), *_WITHOUT_AXIS.values(), 'universal', 'cylindrical'}))}"
    )


def _composite(joint, name: str) -> list[SimpleJoint]:
    parts: list[SimpleJoint] = []
    for part, placement in zip(joint.joints, joint.jointPlacements, strict=True):
        first, *rest = simple_joints(part, name)
        parts += [replace(first, placement=pose_of(placement) @ first.placement), *rest]
    if [part.kind for part in parts] == ["revolute", "prismatic"]:
        turn, slide = parts
        if np.allclose(turn.axis, slide.axis, atol=1e-12) and slide.placement.is_close(Pose.identity(), 1e-12):
            return [SimpleJoint("cylindrical", turn.axis, placement=turn.placement)]
    return parts


def _axis(joint) -> np.ndarray:
    if hasattr(joint, "axis"):
        return np.array(joint.axis)
    # Pinocchio's Python interface does not show the axis of this kind: take it from a quarter turn
    data = joint.createData()
    joint.calc(data, np.array([0.0, 1.0]))
    R = np.array(data.M.rotation)
    return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2


def joint_model(pin, joint: Joint):
    """(Pinocchio's model of a joint of ours, its child's frame in the frame of ours).

    The frames differ where Pinocchio only has the joint about coordinate axes.
    """
    axis = np.array(joint.axis)
    k = int(np.argmax(np.abs(axis)))
    name, same = "XYZ"[k], Pose.identity()
    aligned = axis[k] == 1.0
    if joint.kind == "revolute":
        return getattr(pin, f"JointModelR{name}")() if aligned else pin.JointModelRevoluteUnaligned(axis), same
    if joint.kind == "prismatic":
        return getattr(pin, f"JointModelP{name}")() if aligned else pin.JointModelPrismaticUnaligned(axis), same
    if joint.kind == "helical":
        pitch = float(joint.pitch)
        return (
            getattr(pin, f"JointModelH{name}")(pitch) if aligned else pin.JointModelHelicalUnaligned(axis, pitch)
        ), same
    if joint.kind == "continuous":
        if aligned:
            return getattr(pin, f"JointModelRUB{name}")(), same
        return pin.JointModelRUBZ(), Pose(rotation_to(axis), np.zeros(3))
    if joint.kind == "planar":
        return pin.JointModelPlanar(), Pose(joint.alignment(), np.zeros(3))
    if joint.kind == "cylindrical":
        both = pin.JointModelComposite(pin.JointModelRevoluteUnaligned(axis))
        both.addJoint(pin.JointModelPrismaticUnaligned(axis))
        return both, same
    if joint.kind == "universal":
        return pin.JointModelUniversal(axis, np.array(joint.second_axis)), same
    plain = {"spherical": "Spherical", "translational": "Translation", "free_flyer": "FreeFlyer"}
    return getattr(pin, f"JointModel{plain[joint.kind]}")(), same
