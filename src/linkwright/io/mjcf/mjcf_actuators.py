"""Actuators of a `Model` as MJCF: all of them <general>, those on several joints through fixed tendons of their own."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable

from ...errors import UnsupportedError
from ...model import Joint, Model
from ...model.actuators import Actuator
from .mjcf_words import numbers

_SEVERAL = ("cylindrical", "universal", "translational")  # written as several joints of one body


def add_actuators(root: ElementTree.Element, model: Model, joint_names: Callable[[Joint], list[str]]) -> None:
    """`joint_names` says what the parts of a joint are called in the file."""
    if not model.actuators:
        return
    section = ElementTree.Element("actuator")
    taken = {element.get("name") for tendons in root.findall("tendon") for element in tendons}
    for one in model.actuators:
        if one.offset and (one.gain[1] or one.bias[1]):
            raise UnsupportedError(
                f"actuator {one.name!r} counts {one.offset:g} of its length that locked joints have wound up, which "
                f"MJCF has no word for; save the model as .json"
            )
        ElementTree.SubElement(section, "general", {**_target(root, one, model, joint_names, taken), **_numbers(one)})
    root.append(section)


def _target(root, one: Actuator, model: Model, joint_names, taken: set[str | None]) -> dict[str, str]:
    joints = [(model.bodies[model.joint_index(name)].joint, gear) for name, gear in one.drives]
    parts = [(part, ratio) for joint, gear in joints if joint.nv == 1 or joint.kind in _SEVERAL
             for part, ratio in zip(joint_names(joint), gear, strict=True)]  # fmt: skip
    if not parts:  # a ball or a free-flyer
        (joint, gear), = joints
        return {"jointinparent" if one.in_parent else "joint": joint.name, "gear": numbers(gear)}
    if len(parts) == 1:
        return {"joint": parts[0][0], "gear": numbers([parts[0][1]])}
    name = one.name
    while name in taken:
        name += "'"
    taken.add(name)
    tendons = root.find("tendon")
    tendons = ElementTree.SubElement(root, "tendon") if tendons is None else tendons
    fixed = ElementTree.SubElement(tendons, "fixed", name=name)
    for part, ratio in parts:
        ElementTree.SubElement(fixed, "joint", joint=part, coef=numbers([ratio]))
    return {"tendon": name}


def _numbers(one: Actuator) -> dict[str, str]:
    result = {
        "name": one.name, "dyntype": one.activation or "none", "dynprm": numbers([one.time_constant]),
        "gaintype": "affine", "gainprm": numbers(one.gain), "biastype": "affine", "biasprm": numbers(one.bias),
    }  # fmt: skip
    for what in ("ctrl", "force", "act"):
        bounds = getattr(one, f"{what}_range")
        result[f"{what}limited"] = "false" if bounds is None else "true"
        if bounds is not None:
            result[f"{what}range"] = numbers(bounds)
    if one.early:
        result["actearly"] = "true"
    return result
