"""What the joints of an SDF carry: axes with their limits and dynamics, pitches, gears, rotors."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..text.xml import Element
from ..text.xml_values import text_flag, text_name, text_number, text_numbers
from .sdf_vocabulary import check_vocabulary

_UNLIMITED = 1e16  # SDF's way to write infinity


@dataclass(frozen=True)
class AxisPart:
    xyz: np.ndarray
    expressed_in: str | None
    """A frame; None means the joint's, "__model__" the model's."""
    quantities: dict[str, float]
    mimic: Element | None
    element: Element = field(repr=False)


def read_axis(element: Element, joint: str, version: tuple[int, ...]) -> AxisPart:
    check_vocabulary(element, "axis")
    xyz = element.only("xyz")
    direction = np.array([0.0, 0.0, 1.0]) if xyz is None else np.array(text_numbers(xyz, 3))
    if not direction.any():
        raise (xyz or element).error(f"axis of joint {joint!r} is {direction.tolist()}, which has no direction")
    expressed_in = (xyz.attributes.get("expressed_in") or None) if xyz is not None else None
    in_model = text_flag(element.only("use_parent_model_frame"), version < (1, 5))
    quantities = {**_dynamics(element), **_limits(element, joint)}
    mimic = element.only("mimic")
    return AxisPart(direction, "__model__" if in_model else expressed_in, quantities, mimic, element)


def read_armature(joint: Element) -> float:
    """Drake's extension: the rotor's inertia behind a gear."""
    rotor, gear = joint.only("drake:rotor_inertia"), joint.only("drake:gear_ratio")
    return 0.0 if rotor is None else text_number(rotor) * (1.0 if gear is None else text_number(gear)) ** 2


def read_gear(joint: Element, name: str) -> tuple[str, float]:
    body, ratio = joint.only("gearbox_reference_body"), joint.only("gearbox_ratio")
    if body is None:
        raise joint.error(f"gearbox {name!r} has no <gearbox_reference_body>")
    return text_name(body), 1.0 if ratio is None else text_number(ratio)


def read_pitch(joint: Element, name: str) -> float:
    """Metres per radian, right-handed. SDF: metres per turn, or in older files radians per metre and left-handed."""
    new, old = joint.only("screw_thread_pitch"), joint.only("thread_pitch")
    if new is not None:
        return text_number(new) / (2 * np.pi)
    if old is None:
        raise joint.error(f"screw joint {name!r} has no <screw_thread_pitch>")
    value = text_number(old)
    if not value:
        raise old.error(f"thread pitch of joint {name!r} is 0")
    return -1.0 / value


def _dynamics(axis: Element) -> dict[str, float]:
    element = axis.only("dynamics")
    result = {"damping": 0.0, "friction": 0.0, "stiffness": 0.0, "spring_reference": 0.0}
    if element is None:
        return result
    check_vocabulary(element, "dynamics")
    for tag, key in (
        ("damping", "damping"), ("friction", "friction"), ("spring_stiffness", "stiffness"),
        ("spring_reference", "spring_reference"),
    ):  # fmt: skip
        found = element.only(tag)
        if found is not None:
            result[key] = text_number(found, 0.0)
            if result[key] < 0 and key != "spring_reference":
                raise found.error(f"is {result[key]:g}; must not be negative")
    return result


def _limits(axis: Element, joint: str) -> dict[str, float]:
    element = axis.only("limit")
    result = {"lower": -np.inf, "upper": np.inf, "effort_limit": np.inf, "velocity_limit": np.inf}
    if element is None:
        return result
    check_vocabulary(element, "limit")
    for tag, key in (
        ("lower", "lower"), ("upper", "upper"), ("effort", "effort_limit"), ("velocity", "velocity_limit"),
    ):  # fmt: skip
        found = element.only(tag)
        if found is None:
            continue
        value = text_number(found, result[key], infinite=True)
        if key.endswith("_limit") and value < 0:
            value = np.inf  # the format's word for no limit is -1
        result[key] = value if abs(value) < _UNLIMITED else np.copysign(np.inf, value)
    if result["lower"] > result["upper"]:
        raise element.error(f"joint {joint!r} has its lower limit, {result['lower']:g}, above {result['upper']:g}")
    return result
