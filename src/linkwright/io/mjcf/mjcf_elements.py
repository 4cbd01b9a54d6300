"""Finding the elements of an MJCF that a thing in the compiled model came from."""

from __future__ import annotations

from collections.abc import Iterator

from ..text.xml import Element

LIKE_BODY = ("worldbody", "body", "frame", "replicate")
"""Elements in which bodies, joints, geoms and sites stand."""


def named_elements(root: Element) -> dict[tuple[str, str], Element]:
    """What errors about a compiled model can be traced to. Things without a name count as MuJoCo numbers them."""
    found: dict[tuple[str, str], Element] = {}
    bodies: list[Element] = []
    waiting = list(reversed(root.named("worldbody")))
    while waiting:
        element = waiting.pop()
        if element.tag in ("body", "worldbody"):
            bodies.append(element)
        waiting.extend(child for child in reversed(element.children) if child.tag in LIKE_BODY)
    joint = 0
    for i, body in enumerate(bodies):
        found.setdefault(("body", body.attributes.get("name") or f"body_{i}"), body)
        for part in parts_of(body):
            if part.tag in ("joint", "freejoint"):
                found.setdefault(("joint", part.attributes.get("name") or f"joint_{joint}"), part)
                joint += 1
            elif part.tag == "site" and "name" in part.attributes:
                found.setdefault(("site", part.attributes["name"]), part)
    for section in ("equality", "tendon", "actuator"):
        parts = [part for one in root.named(section) for part in one]
        for k, part in enumerate(parts):
            tag = f"equality {part.tag}" if section == "equality" else section
            found.setdefault((tag, part.attributes.get("name") or f"{section}_{k}"), part)
    for option in root.named("option"):
        found |= {("option", name): option for name in option.attributes}
    return found


def parts_of(body: Element) -> Iterator[Element]:
    """Joints and sites of a body, also those that stand in a <frame>."""
    for child in body:
        if child.tag in ("frame", "replicate"):
            yield from parts_of(child)
        elif child.tag not in ("body", "worldbody"):
            yield child
