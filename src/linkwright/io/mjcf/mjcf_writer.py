"""A `Model` as MJCF. What the format cannot say is refused by name; what only it lacks words for stands in a <text>.

Bodies, joints with everything they carry, frames (as sites), constraints (as equalities), mimics (as equalities that
are not active), actuators, keyframes and named configurations (as keyframes). Reading the file gives the same
mechanism; joints of several degrees of freedom that MuJoCo does not have come back as chains of simple ones.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from typing import Any, cast

import numpy as np

from ...errors import UnsupportedError
from ...fixed_order import product
from ...model import Body, Joint, Model, NotComputed, Pose
from ...model.pose import SNAP
from ..mujoco.mujoco_model import REFERENCE
from ..mujoco.mujoco_simulation import option_words
from ..mujoco.mujoco_state import MujocoCoordinates
from .mjcf_actuators import add_actuators
from .mjcf_compiling import is_harmless
from .mjcf_equalities import add_equalities
from .mjcf_notes import NAME, note_text
from .mjcf_passive import add_passive
from .mjcf_words import numbers, placed

# Each kind of joint as the joints of one MuJoCo body, in order; axes are fields of ours, or coordinate axes.
_JOINTS: dict[str, list[tuple[str, str | np.ndarray | None]]] = {
    "revolute": [("hinge", "axis")],
    "continuous": [("hinge", "axis")],
    "prismatic": [("slide", "axis")],
    "cylindrical": [("hinge", "axis"), ("slide", "axis")],
    "universal": [("hinge", "axis"), ("hinge", "second_axis")],
    "translational": [("slide", axis) for axis in np.eye(3)],
    "spherical": [("ball", None)],
    "free_flyer": [("free", None)],
}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def to_mjcf(model: Model) -> str:
    """The text of an MJCF file."""
    root = mjcf_element(model)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def mjcf_element(model: Model) -> ElementTree.Element:
    """The <mujoco> element; sections in a fixed order: compiler, option, worldbody, equality, ..."""
    root = ElementTree.Element("mujoco", model=model.name)
    ElementTree.SubElement(root, "compiler", angle="radian", autolimits="false", inertiafromgeom="false")
    ElementTree.SubElement(root, "option", {"gravity": numbers(model.gravity), **option_words(model.simulation)})
    elements = _add_bodies(ElementTree.SubElement(root, "worldbody"), model)
    lost = []
    for frame in model.frames.values():
        element = elements[frame.body]
        if element is None:
            lost.append(frame.name)
        else:
            ElementTree.SubElement(element, "site", {"name": frame.name, **placed(frame.placement)})
    add_passive(root, elements, model)
    add_equalities(root, elements, model)
    add_actuators(root, model, joint_names)
    _add_configurations(root, model)
    _add_rest(root, model, lost)
    _refuse_what_xml_cannot_say(root)
    return root


def joint_names(joint: Joint) -> list[str]:
    """What the parts of a joint are called in MJCF."""
    parts = _JOINTS[joint.kind]
    return [joint.name] if len(parts) == 1 else [f"{joint.name}/{k}" for k in range(len(parts))]


def _add_bodies(world: ElementTree.Element, model: Model) -> list[ElementTree.Element | None]:
    """One element for each body; None for one without mass, whose joints its only child has got.

    MuJoCo wants every body that moves to have mass, and lets a body have several joints instead.
    """
    elements: list[ElementTree.Element | None] = [world]
    # of bodies without an element: that of their nearest ancestor, their placement there, and their joints' frames
    pending: dict[int, tuple[Any, Pose, list[tuple[Joint, Pose]]]] = {}
    for i, body in enumerate(model.bodies[1:], start=1):
        parent, on, before = pending.get(body.parent, (elements[body.parent], Pose.identity(), []))
        seen_from_here = body.placement.inverse()
        joints = [*((joint, seen_from_here @ at) for joint, at in before), (body.joint, Pose.identity())]
        placement = on @ body.placement
        if body.inertia.mass or body.inertia.tensor.any():
            elements.append(_add_body(parent, body, placement, joints))
            continue
        if len(model.graph.children[i]) != 1:
            raise UnsupportedError(
                f"body {body.name!r} has no mass and carries {len(model.graph.children[i])} bodies; what has no mass "
                "can be written only if it carries one"
            )
        elements.append(None)
        pending[i] = parent, placement, joints
    return elements


def _add_body(
    parent: ElementTree.Element, body: Body, placement: Pose, joints: list[tuple[Joint, Pose]]
) -> ElementTree.Element:
    """`joints` come with their frames in the body's."""
    inertia = body.inertia
    element = ElementTree.SubElement(parent, "body", {"name": body.name, **placed(placement)})
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertia.tensor
    full = numbers([xx, yy, zz, xy, xz, yz])
    ElementTree.SubElement(element, "inertial", pos=numbers(inertia.com), mass=repr(inertia.mass), fullinertia=full)
    for joint, at in joints:
        _add_joint(element, parent, joint, at)
    return element


def _add_joint(element: ElementTree.Element, parent: ElementTree.Element, joint: Joint, at: Pose) -> None:
    if joint.kind not in _JOINTS:
        raise UnsupportedError(f"joint {joint.name!r} is {joint.kind}; MuJoCo has {', '.join(_JOINTS)}")
    if joint.kind == "free_flyer":
        _check_free(parent, joint)
    if joint.kind in ("free_flyer", "spherical") and np.abs(at.rotation - np.eye(3)).max() > SNAP:
        raise UnsupportedError(f"joint {joint.name!r} is {joint.kind}, with a massless body turned against the next")
    for k, ((kind, axis), name) in enumerate(zip(_JOINTS[joint.kind], joint_names(joint), strict=True)):
        attributes = {"name": name, "type": kind, **_quantities(joint, k)}
        if at.translation.any():
            attributes["pos"] = numbers(at.translation)
        if axis is not None:
            own = getattr(joint, axis) if isinstance(axis, str) else axis
            attributes["axis"] = numbers(product(at.rotation, own))
            attributes.update(_scalar_quantities(joint, k))
        ElementTree.SubElement(element, "joint", attributes)


def _check_free(parent: ElementTree.Element, joint: Joint) -> None:
    if parent.tag != "worldbody":
        raise UnsupportedError(f"free-flyer {joint.name!r} is carried by a body; MuJoCo has them on the ground only")
    if np.any(joint.armature):
        # it resists the rate of velocities that MuJoCo takes in the world and we in the body
        raise UnsupportedError(f"free-flyer {joint.name!r} has an armature, which means something else in MuJoCo")


def _quantities(joint: Joint, k: int) -> dict[str, str]:
    """What every MuJoCo joint has one number for."""
    result = {}
    alone = len(_JOINTS[joint.kind]) == 1
    for quantity, attribute in (("armature", "armature"), ("damping", "damping"), ("friction", "frictionloss")):
        values = getattr(joint, quantity) if alone else getattr(joint, quantity)[k : k + 1]
        if np.ptp(values):
            raise UnsupportedError(f"{quantity} of joint {joint.name!r} differs by direction; MuJoCo has one value")
        if values[0] or quantity != "friction":
            result[attribute] = numbers(values[:1])
    return result


def _scalar_quantities(joint: Joint, k: int) -> dict[str, str]:
    """What hinges and slides have."""
    result = {}
    if joint.stiffness[k]:
        result["stiffness"] = numbers([joint.stiffness[k]])
        result["springref"] = numbers([joint.spring_reference[k]])
    lower, upper = joint.lower[k], joint.upper[k]
    if np.isfinite(lower) or np.isfinite(upper):
        # MuJoCo knows ranges only; a missing side is far beyond what the joint reaches
        result["limited"] = "true"
        result["range"] = numbers([lower if np.isfinite(lower) else -1e10, upper if np.isfinite(upper) else 1e10])
    if np.isfinite(joint.effort_limit[k]) and joint.effort_limit[k] > 0:
        result["actuatorfrclimited"] = "true"
        result["actuatorfrcrange"] = numbers([-joint.effort_limit[k], joint.effort_limit[k]])
    return result


def _add_configurations(root: ElementTree.Element, model: Model) -> None:
    configurations = {**{name: frame.q for name, frame in model.keyframes.items()}, **model.configurations}
    if not np.array_equal(model.drawn, model.neutral()):
        configurations[REFERENCE] = model.drawn
    if not configurations:
        return
    keyframe = ElementTree.SubElement(root, "keyframe")
    coordinates = MujocoCoordinates(model)
    for name, q in configurations.items():
        key = ElementTree.SubElement(keyframe, "key", name=name, qpos=numbers(coordinates.to_qpos(q)))
        frame = model.keyframes.get(name)
        if frame is not None and np.array_equal(frame.q, q):
            qvel = coordinates.to_qvel(q, cast(np.ndarray, frame.v))
            of: dict[str, Any] = {"qvel": qvel, "act": frame.act, "ctrl": frame.ctrl}
            key.attrib.update({word: numbers(values) for word, values in of.items() if len(values)})


def _add_rest(root: ElementTree.Element, model: Model, lost: list[str]) -> None:
    """What MJCF has no place for, in words, so that nobody believes it was never there."""
    told = {}
    limited = [joint.name for joint in model.joints if np.isfinite(joint.velocity_limit).any()]
    if limited:
        told["velocity limits left out"] = ", ".join(limited)
    if lost:
        told["frames between joints left out"] = ", ".join(lost)
    for what in ("motors", "independent"):
        if getattr(model, what):
            told[what] = ", ".join(getattr(model, what))
    if model.bodies[0].inertia.mass:
        told["mass fixed to the ground left out"] = numbers([model.bodies[0].inertia.mass])
    missing = list(model.not_computed)
    if limited:
        missing.append(NotComputed("velocity limits", "MJCF has no words for them", "save the model as .json"))
    if model.shapes:
        what, why = f"contacts of {len(model.shapes)} shapes", "MJCF is written without shapes and contacts"
        missing.append(NotComputed(what, why, "save the model as .json", "contact"))
    if missing:
        told[NAME] = note_text(missing)
    if told:
        custom = ElementTree.SubElement(root, "custom")
        for name, data in told.items():
            ElementTree.SubElement(custom, "text", name=name, data=data)


def _refuse_what_xml_cannot_say(root: ElementTree.Element) -> None:
    """XML has no way to write control characters and halves of characters, which names of built models may have; and
    MuJoCo is not to be given what it takes for orders (mjcf_compiling.py)."""
    for element in root.iter():
        for value in element.attrib.values():
            if found := _NOT_IN_XML.search(value):
                raise UnsupportedError(
                    f"the name {value!r} has the character {found[0]!r}, which no XML file can hold; rename it to "
                    "write MJCF"
                )
            if not is_harmless(value):
                raise UnsupportedError(
                    f"the name {value!r} has a percent sign or a control character, which MuJoCo, reading the file, "
                    "would take for an order; rename it to write MJCF, or save the model as .json"
                )
