"""Sensors of an MJCF. They change no motion and are not read, but what they measure has to be there."""

from __future__ import annotations

from ..text.xml import Element
from ..text.xml_values import shortened

_OF = {
    "site": ("site",), "joint": ("joint", "freejoint"), "body": ("body",), "geom": ("geom",), "camera": ("camera",),
    "body1": ("body",), "body2": ("body",), "subtree1": ("body",), "subtree2": ("body",), "geom1": ("geom",),
    "geom2": ("geom",), "tendon": ("fixed", "spatial"),
}  # fmt: skip
"""What an attribute of a sensor may name, by tags."""
_MAKERS = {"replicate", "attach", "composite", "flexcomp"}  # of things with names that stand nowhere


def told_of_sensors(root: Element) -> list[str]:
    """A remark that there are some. Raises on one that measures what is not there, as MuJoCo does."""
    names: set[tuple[str, str]] = {("body", "world")}
    actuators: set[str] = set()
    made, waiting = False, [root]
    sensors: list[Element] = []
    while waiting:
        element = waiting.pop()
        if element.tag == "default":
            continue
        if element.tag == "sensor":
            sensors += element.children
            continue
        made = made or element.tag in _MAKERS
        if "name" in element.attributes:
            names.add((element.tag, element.attributes["name"]))
        if element.tag == "actuator":
            actuators |= {child.attributes.get("name", "") for child in element}
        waiting += element.children
    for sensor in sensors if not made else ():
        for attribute, value in sensor.attributes.items():
            tags = _OF.get(attribute, ())
            missing = tags and not any((tag, value) in names for tag in tags)
            if missing or (attribute == "actuator" and value not in actuators):
                raise sensor.error(f"measures {attribute} {shortened(value)!r}, which is not there")
    return [f"{len(sensors)} sensors are not read; linkwright.envs has some of its own"] if sensors else []
