"""A URDF whose root link is called "world", as many are, loaded with a floating base.

"world" is what the ground is called here, so the link that floats needs another name.
"""

from __future__ import annotations

from ...model import GROUND
from ..text.xml import Element


def is_ground_of_floating_joints(robot: Element) -> bool:
    """Whether the link "world" weighs nothing and only floating joints are on it: the robot floats already."""
    carried = [joint for joint in robot.named("joint") if _parent(joint) == GROUND]
    weighs = any(link.named("inertial") for link in robot.named("link") if link.attributes.get("name") == GROUND)
    return bool(carried) and not weighs and all(joint.attributes.get("type") == "floating" for joint in carried)


def rename_world(robot: Element) -> str | None:
    """Give the link "world" another name, in place, wherever the file refers to it. Returns the name, or None."""
    names = {link.attributes.get("name", "") for link in robot.named("link")}
    if GROUND not in names:
        return None
    name = f"{GROUND}_link"
    while name in names:
        name += "'"
    waiting = list(robot.children)
    while waiting:
        element = waiting.pop()
        called = "name" if element.tag == "link" or element.tag.startswith("drake:ball_constraint_body") else "link"
        if element.attributes.get(called) == GROUND:
            element.attributes[called] = name
        waiting.extend(element.children)
    return name


def _parent(joint: Element) -> str:
    return next((part.attributes.get("link", "") for part in joint.named("parent")), "")
