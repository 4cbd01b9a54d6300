"""Links and joints of a URDF as plain descriptions, each read on its own. How they hang together: urdf_tree.py."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...errors import unknown_name
from ...model import Inertia, Joint, Pose
from ..text.xml import Element
from ..text.xml_values import name_of, number, required, shortened, vector
from .urdf_vocabulary import check_vocabulary

# URDF's name of a joint type -> ours.
KINDS = {
    "revolute": "revolute",
    "continuous": "continuous",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free_flyer",
    "planar": "planar",
}
_WITH_POSITION_LIMITS = ("revolute", "prismatic")
_DEFAULT_AXIS = (1.0, 0.0, 0.0)
_NO_OFFSET = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class UrdfLink:
    name: str
    inertia: Inertia
    element: Element = field(repr=False)


@dataclass(frozen=True)
class UrdfJoint:
    joint: Joint
    parent: str
    child: str
    placement: Pose
    mimic: Element | None
    independent: bool | None
    """URDF+: whether its coordinate is declared independent of the others'; None if nothing is said."""
    warnings: tuple[str, ...]
    element: Element = field(repr=False)

    @property
    def name(self) -> str:
        return self.joint.name

    @property
    def has_no_range(self) -> bool:
        """Whether it may have limits, and its <limit> gives efforts or speeds only."""
        return self.element.attributes.get("type") in _WITH_POSITION_LIMITS and _is_without_range(self.element)


def read_link(element: Element) -> UrdfLink:
    name = name_of(element)
    check_vocabulary(element, "link")
    offset = element.only("origin")
    if offset is not None and any(vector(offset, "xyz", _NO_OFFSET) + vector(offset, "rpy", _NO_OFFSET)):
        raise offset.error(f"link {name!r} has an <origin>, which URDF does not have; move the offset to its joint")
    inertial = element.only("inertial")
    if inertial is None:
        return UrdfLink(name, Inertia.zero(), element)
    check_vocabulary(inertial, "inertial")
    mass = inertial.only("mass")
    if mass is None:
        raise inertial.error(f"link {name!r} has an <inertial> without <mass value=.../>")
    value = number(mass, "value")
    if value < 0:
        raise mass.error(f"mass of link {name!r} is {value:g}; a mass must not be negative")
    with inertial.blamed():
        about_com = Inertia(value, np.zeros(3), _tensor(inertial.only("inertia")))
        return UrdfLink(name, about_com.moved(read_origin(inertial)), element)


def read_joint(element: Element) -> UrdfJoint:
    name = name_of(element)
    check_vocabulary(element, "joint")
    given = required(element, "type")
    if given not in KINDS:
        raise element.error(f"joint {name!r}: {unknown_name('joint type', shortened(given), KINDS)}")
    kind = KINDS[given]
    ends = []
    for tag in ("parent", "child"):
        end = element.only(tag)
        if end is None:
            raise element.error(f"joint {name!r} has no <{tag} link=.../>")
        ends.append(name_of(end, "link"))
    quantities, warnings = _limits(element, name, kind)
    if kind != "fixed":
        quantities |= _dynamics(element)
    axis = element.only("axis")
    direction = vector(axis, "xyz", _DEFAULT_AXIS)
    if kind in ("fixed", "free_flyer"):  # have no axis; what the file says there is of no consequence
        direction = list(_DEFAULT_AXIS)
    if axis is not None and not any(direction):
        raise axis.error(f"axis of joint {name!r} is {direction}, which has no direction")
    with element.blamed():
        joint = Joint(name=name, kind=kind, axis=direction, second_axis="y", **quantities)  # type: ignore[arg-type]  # numbers become arrays
    return UrdfJoint(
        joint, ends[0], ends[1], read_origin(element), element.only("mimic"), _independent(element), tuple(warnings),
        element,
    )  # fmt: skip


def read_origin(element: Element) -> Pose:
    """The pose in the <origin> child of an element; none means no offset."""
    origin = element.only("origin")
    with element.blamed():
        return Pose.from_rpy(vector(origin, "xyz", _NO_OFFSET), vector(origin, "rpy", _NO_OFFSET))


def _independent(element: Element) -> bool | None:
    if "independent" not in element.attributes:
        return None
    value = element.attributes["independent"].strip().lower()
    if value not in ("true", "false", "1", "0"):
        raise element.error(f"attribute 'independent' is {shortened(value)!r}; expected true or false")
    return value in ("true", "1")


def _limits(element: Element, name: str, kind: str) -> tuple[dict[str, float], list[str]]:
    """A missing <limit> is no limit; where only one of lower and upper is missing it is 0, as the format defines. Where
    both are, the format's 0 to 0 would hold the joint for good: writers that leave them out mean no limit."""
    limit = element.only("limit")
    if kind == "fixed":
        return {}, []
    if limit is None:
        missing = [f"joint {name!r} is {kind} but has no <limit>"] if kind in _WITH_POSITION_LIMITS else []
        return {}, missing
    result, warnings = {}, []
    for attribute, quantity in (("velocity", "velocity_limit"), ("effort", "effort_limit")):
        value = number(limit, attribute, np.inf, infinite=True)
        if value < 0:
            warnings.append(f"joint {name!r} has a negative {attribute} limit ({value:g}); taken as unlimited")
            value = np.inf
        result[quantity] = value
    if kind in _WITH_POSITION_LIMITS and not _is_without_range(element):
        result["lower"] = number(limit, "lower", 0.0, infinite=True)
        result["upper"] = number(limit, "upper", 0.0, infinite=True)
    return result, warnings


def _is_without_range(joint: Element) -> bool:
    """Whether its <limit> gives efforts or speeds only."""
    limit = joint.only("limit")
    return limit is not None and not limit.attributes.keys() & {"lower", "upper"}


def _dynamics(element: Element) -> dict[str, float]:
    """Damping and friction; onshape-to-robot calls the element joint_properties. Armature is a common extension."""
    dynamics = element.only("dynamics", "joint_properties")
    if dynamics is None:
        return {}
    return {quantity: number(dynamics, quantity, 0.0) for quantity in ("damping", "friction", "armature")}


def _tensor(element: Element | None) -> np.ndarray:
    if element is None:
        return np.zeros((3, 3))
    xx, xy, xz, yy, yz, zz = (number(element, key) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz"))
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

