"""Links, joints and frames of an SDF as plain descriptions, each read on its own. Where they are: sdf_scopes.py."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...errors import unknown_name
from ...model import Inertia, Pose
from ..ignoring import advice
from ..text.xml import Element
from ..text.xml_values import name_of, required, shortened, text_flag, text_name, text_number, text_numbers
from .sdf_axes import AxisPart, read_armature, read_axis, read_gear, read_pitch
from .sdf_vocabulary import IGNORED_BY, check_vocabulary

GEARBOX = "gearbox"  # not a kind of joint of ours: it couples two others
# SDF's name of a joint type -> ours, and how many axes it has.
KINDS = {
    "revolute": ("revolute", 1),
    "continuous": ("continuous", 1),
    "prismatic": ("prismatic", 1),
    "screw": ("helical", 1),
    "universal": ("universal", 2),
    "revolute2": ("universal", 2),
    "ball": ("spherical", 0),
    "fixed": ("fixed", 0),
    "gearbox": (GEARBOX, 2),
}


@dataclass(frozen=True)
class PosePart:
    """A pose as written: in the frame named `relative_to`, or where the format says if it is None."""

    pose: Pose
    relative_to: str | None
    element: Element = field(repr=False)


@dataclass(frozen=True)
class LinkPart:
    name: str
    inertia: Inertia
    weightless: bool
    """Gravity does not act on it."""
    pose: PosePart
    element: Element = field(repr=False)


@dataclass(frozen=True)
class FramePart:
    name: str
    attached_to: str | None
    pose: PosePart
    element: Element = field(repr=False)


@dataclass(frozen=True)
class JointPart:
    name: str
    kind: str
    parent: str
    child: str
    pose: PosePart
    axes: tuple[AxisPart, ...]
    pitch: float
    gear: tuple[str, float] | None
    """Of a gearbox: its reference body, and its ratio."""
    quantities: dict[str, float]
    """Of joints without axes."""
    element: Element = field(repr=False)


def read_pose(element: Element) -> PosePart:
    """The <pose> child of an element; none means no offset."""
    found = element.only("pose")
    if found is None:
        return PosePart(Pose.identity(), None, element)
    if not found.text:
        return PosePart(Pose.identity(), found.attributes.get("relative_to") or None, found)
    if found.attributes.get("frame", ""):
        raise found.error("attribute 'frame' of a pose was never defined by the format; write relative_to (SDF 1.7)")
    style = found.attributes.get("rotation_format", "euler_rpy")
    with found.blamed():
        if style == "quat_xyzw":
            numbers = text_numbers(found, 7)
            pose = Pose.from_quaternion(numbers[:3], numbers[3:])
        elif style == "euler_rpy":
            numbers = text_numbers(found, 6)
            degrees = found.attributes.get("degrees", "false").strip().lower() in ("true", "1")
            pose = Pose.from_rpy(numbers[:3], np.radians(numbers[3:]) if degrees else numbers[3:])
        else:
            raise found.error(f"rotation_format is {shortened(style)!r}; expected euler_rpy or quat_xyzw")
    return PosePart(pose, found.attributes.get("relative_to") or None, found)


def read_link(element: Element) -> LinkPart:
    name = name_of(element)
    check_vocabulary(element, "link")
    for tag in ("kinematic", "enable_wind"):
        found = element.only(tag)
        if found is not None and text_flag(found, False):
            hint = advice(IGNORED_BY[tag]) if tag in IGNORED_BY else ""
            raise found.error(f"link {name!r}: only false is understood{hint}")
    decay = element.only("velocity_decay")
    for rate in decay or ():
        if text_number(rate, 0.0):
            raise rate.error(f"link {name!r} has a velocity decay, which is not understood{advice('damping')}")
    weightless = not text_flag(element.only("gravity"), True)
    return LinkPart(name, _inertia(element.only("inertial"), name), weightless, read_pose(element), element)


def read_frame(element: Element) -> FramePart:
    for child in element:
        if child.tag != "pose":
            raise child.error(f"<{shortened(child.tag)}> in <frame> is not understood; expected <pose>")
    return FramePart(name_of(element), element.attributes.get("attached_to") or None, read_pose(element), element)


def read_joint(element: Element, version: tuple[int, ...]) -> JointPart:
    name = name_of(element)
    given = required(element, "type")
    if given not in KINDS:
        raise element.error(f"joint {name!r}: {unknown_name('joint type', shortened(given), KINDS)}")
    check_vocabulary(element, "joint")
    kind, count = KINDS[given]
    ends = []
    for tag in ("parent", "child"):
        end = element.only(tag)
        if end is None:
            raise element.error(f"joint {name!r} has no <{tag}>")
        ends.append(text_name(end))
    axes: list[AxisPart] = []
    for tag in ("axis", "axis2"):
        found = element.only(tag)
        if found is None and len(axes) < count:
            raise element.error(f"joint {name!r} is {given} and has no <{tag}>")
        if found is not None:
            axes.append(read_axis(found, name, version))
    armature = read_armature(element)
    if armature:
        for axis in axes[:1]:
            axis.quantities["armature"] = armature
    pitch = read_pitch(element, name) if kind == "helical" else 0.0
    loose = {"damping": axes[0].quantities["damping"]} if axes and kind == "spherical" else {}
    gear = read_gear(element, name) if kind == GEARBOX else None
    pose = read_pose(element)
    return JointPart(name, kind, ends[0], ends[1], pose, tuple(axes[:count]), pitch, gear, loose, element)


def _inertia(inertial: Element | None, name: str) -> Inertia:
    """What the format gives where nothing is written is a mass of one kilogram and unit moments."""
    if inertial is None:
        return Inertia(1.0, np.zeros(3), np.eye(3))
    if inertial.attributes.get("auto", "false").strip().lower() in ("true", "1"):
        raise inertial.error(f"link {name!r} asks for an inertia computed from its shapes; write <mass> and <inertia>")
    check_vocabulary(inertial, "inertial")
    mass, tensor = inertial.only("mass"), inertial.only("inertia")
    value = 1.0 if mass is None else text_number(mass)
    if mass is not None and value < 0:
        raise mass.error(f"mass of link {name!r} is {value:g}; a mass must not be negative")
    moments = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}
    for child in tensor or ():
        if child.tag not in moments:
            raise child.error(f"<{shortened(child.tag)}> in <inertia> is not understood; expected {', '.join(moments)}")
        tensor.only(child.tag)  # type: ignore[union-attr]  # it has a child
        moments[child.tag] = text_number(child)
    xx, xy, xz, yy, yz, zz = moments.values()
    pose = read_pose(inertial)
    if pose.relative_to:
        raise pose.element.error("the pose of an <inertial> is relative to its link; relative_to has no place here")
    with inertial.blamed():
        about_com = Inertia(value, np.zeros(3), np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        return about_com.moved(pose.pose)
