"""The joints of an SDF between links, as joints of ours in the frames where they are drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...fixed_order import product
from ...model import GROUND, Joint, Pose
from ..text.xml import Element
from .sdf_axes import AxisPart
from .sdf_parts import GEARBOX, JointPart
from .sdf_scopes import Scope


@dataclass(frozen=True, eq=False)
class SdfJoint:
    joint: Joint
    parent: str
    child: str
    pose: Pose
    """Of the joint's frame in the world, as drawn."""
    mimics: tuple[Element, ...]
    prefix: str
    element: Element = field(repr=False)


def graph_of_joints(scopes: list[Scope]) -> list[SdfJoint]:
    """All joints in the order of the file; parents and children are full names of links, or the ground's."""
    parts = ((scope, part) for scope in scopes for part in scope.joints.values())
    return [_joint(scope, part) for scope, part in parts if part.kind != GEARBOX]


def _joint(scope: Scope, part: JointPart) -> SdfJoint:
    element = part.element
    with element.blamed():
        parent, child = scope.link(part.parent, element), scope.link(part.child, element)
        if parent == child:
            raise element.error(f"joint {part.name!r} joins {parent!r} with itself")
        pose = scope.pose(part.name, element) if child != GROUND else _at_world(scope, part)
        axes = [direction(scope, pose, axis) for axis in part.axes]
        quantities: dict[str, Any] = {**part.quantities}
        if part.axes:
            for key in {key for axis in part.axes for key in axis.quantities}:
                values = [axis.quantities.get(key, 0.0) for axis in part.axes]
                quantities[key] = values[0] if len(values) == 1 else values
        if part.kind == "fixed":
            quantities = {}
        given: dict[str, Any] = {"axis": axes[0] if axes else "z", "second_axis": axes[1] if len(axes) > 1 else "y"}
        joint = Joint(name=scope.prefix + part.name, kind=part.kind, pitch=part.pitch, **given, **quantities)
    mimics = tuple(axis.mimic for axis in part.axes if axis.mimic is not None)
    return SdfJoint(joint, parent, child, pose, mimics, scope.prefix, element)


def _at_world(scope: Scope, part: JointPart) -> Pose:
    """A joint whose child is the world is drawn relative to it."""
    if part.pose.relative_to:
        return scope.pose(part.pose.relative_to, part.element) @ part.pose.pose
    return part.pose.pose


def direction(scope: Scope, pose: Pose, axis: AxisPart) -> np.ndarray:
    """The axis in the joint's frame."""
    if axis.expressed_in is None:
        return axis.xyz
    frame = scope.pose(axis.expressed_in, axis.element)
    return product(product(pose.rotation.T, frame.rotation), axis.xyz)
