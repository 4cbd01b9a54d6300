"""Which geoms of an MJCF can collide, before MuJoCo has resolved its defaults: those must be kept for it to compile."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import partial

from ..text.xml import Element
from ..text.xml_values import shortened
from .mjcf_defaults import Defaults
from .mjcf_elements import LIKE_BODY
from .mjcf_stand_ins import Corners, MeshCorners, corners_or_why

# Kinds whose contact is computed from their size alone. Meshes and height fields need files, and are watched.
_WITH_SIZE = {"plane", "sphere", "capsule", "ellipsoid", "cylinder", "box"}
_ASKED = ("type", "contype", "conaffinity")


@dataclass
class Colliding:
    """What of a file may collide.

    kept       geoms of a kind that is computed, or of meshes that MuJoCo shall read
    watched    the others: id of the geom -> kind of shape, and the corners by which it is watched
    unread     those whose mesh cannot be read: (what it is, why)
    """

    kept: list[Element] = field(default_factory=list)
    watched: dict[int, tuple[str, Corners]] = field(default_factory=dict)
    unread: list[tuple[str, str]] = field(default_factory=list)


def colliding_geoms(root: Element, corners: MeshCorners, meshes: Collection[str] = ()) -> Colliding:
    """Geoms that may collide; `meshes`: names of those that MuJoCo shall read."""
    _write_out_meshes(root)
    defaults = Defaults(root, "geom", _ASKED)
    listed = {
        pair.attributes.get(key) for section in root.named("contact") for pair in section for key in ("geom1", "geom2")
    }
    found = Colliding()
    for geom, childclass in geoms_of(root):
        asked = defaults.of(geom, childclass)
        masks = (asked.get("contype", "1").strip(), asked.get("conaffinity", "1").strip())
        if masks == ("0", "0") and geom.attributes.get("name") not in listed:
            continue
        kind, mesh = asked.get("type", "sphere"), geom.attributes.get("mesh")
        if (kind in _WITH_SIZE and mesh is None) or (kind == "mesh" and mesh in meshes):
            found.kept.append(geom)
            continue
        shape = "height_field" if kind == "hfield" else "mesh"
        name = geom.attributes.get("hfield" if kind == "hfield" else "mesh", "")
        read = corners.of_height_field if kind == "hfield" else corners.of_mesh
        points, why = corners_or_why(partial(read, name))
        if points is not None:
            found.watched[id(geom)] = shape, points
        else:
            what = repr(shortened(geom.attributes.get("name", name or kind)))
            found.unread.append((f"geom {what}", why))
    return found


def _write_out_meshes(root: Element) -> None:
    """A geom whose class names a mesh names it itself: what stands in for one must have none."""
    defaults = Defaults(root, "geom", ("mesh",))
    for geom, childclass in geoms_of(root):
        geom.attributes.update(defaults.of(geom, childclass))
    waiting = list(root.named("default"))
    while waiting:
        one = waiting.pop()
        waiting += one.named("default")
        for geom in one.named("geom"):
            geom.attributes.pop("mesh", None)


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
