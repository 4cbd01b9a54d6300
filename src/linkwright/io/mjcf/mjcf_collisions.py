"""Which geoms of an MJCF can collide, before MuJoCo has resolved its defaults: those must be kept for it to compile."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..text.xml import Element
from ..text.xml_values import shortened
from .mjcf_defaults import Defaults
from .mjcf_elements import LIKE_BODY

# Kinds whose contact is computed from their size alone. Meshes and height fields need files, and are left out.
_WITH_SIZE = {"plane", "sphere", "capsule", "ellipsoid", "cylinder", "box"}
_ASKED = ("type", "contype", "conaffinity", "mesh")


def colliding_geoms(root: Element, meshes: Collection[str] = ()) -> tuple[list[Element], list[str]]:
    """(geoms of a kind that is computed which may collide, warnings about others); `meshes` that can be read."""
    defaults = Defaults(root, "geom", _ASKED)
    listed = {
        pair.attributes.get(key) for section in root.named("contact") for pair in section for key in ("geom1", "geom2")
    }
    kept, left_out = [], []
    for geom, childclass in geoms_of(root):
        asked = defaults.of(geom, childclass)
        masks = (asked.get("contype", "1").strip(), asked.get("conaffinity", "1").strip())
        if masks == ("0", "0") and geom.attributes.get("name") not in listed:
            continue
        kind = asked.get("type", "sphere")
        if (kind in _WITH_SIZE and "mesh" not in asked) or (kind == "mesh" and asked.get("mesh") in meshes):
            kept.append(geom)
        else:
            left_out.append(repr(shortened(geom.attributes.get("name", geom.attributes.get("mesh", kind)))))
    if not left_out:
        return kept, []
    more = f", ... ({len(left_out)} in all)" if len(left_out) > 10 else ""
    told = f"geoms of meshes and height fields have no contact here: {', '.join(left_out[:10])}{more}"
    told += " (meshes=True takes the hulls of meshes whose files are there)"
    return kept, [told]


def geoms_of(root: Element) -> Iterator[tuple[Element, str | None]]:
    """Geoms of bodies with the class that the elements around them give to their children."""
    waiting: list[tuple[Element, str | None]] = [(body, None) for body in root.named("worldbody")]
    while waiting:
        element, childclass = waiting.pop()
        childclass = element.attributes.get("childclass", childclass)
        for child in element:
            if child.tag == "geom":
                yield child, childclass
            elif child.tag in LIKE_BODY:
                waiting.append((child, childclass))
