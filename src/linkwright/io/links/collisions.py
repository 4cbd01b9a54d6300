"""Collision shapes of URDF and SDF links. One that makes no sense is left out and told of: files are full of them.

Meshes are read where that is asked for, or where there are floors (io/meshes/mesh_shapes.py); else they are listed as
not computed. Height maps are skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import LinkwrightError
from ...model import Model, Pose
from ...model import contact as making
from ...model.contact import Shape
from ...model.contact.arrangement import floor_pairs
from ...model.joint import rotation_to
from ..ignoring import Ignoring
from ..sdf.sdf_parts import read_pose
from ..text.xml import Element
from ..text.xml_values import number, required, shortened, text_number, text_numbers, vector
from ..urdf.urdf_parts import read_origin


def with_urdf_collisions(model: Model, links: Mapping[str, Element], ignore: Ignoring) -> Model:
    return _with_shapes(model, _shapes(links, _urdf_shape, ignore), ignore)


def with_sdf_collisions(model: Model, links: Mapping[str, Element], ignore: Ignoring) -> Model:
    """Planes of links that stand still are floors, and touch every shape that moves."""
    return _with_shapes(model, _shapes(links, _sdf_shape, ignore), ignore)


def _with_shapes(model: Model, shapes: list[Shape], ignore: Ignoring) -> Model:
    if shapes and ignore.takes("contact", f"{len(shapes)} collision shapes"):
        return model
    kept = []
    for shape in shapes:
        if shape.kind == "plane" and model.body_of(shape.on):
            ignore.leave("contact", f"plane {shape.name!r}", "planes are part of the ground, and its link moves")
        else:
            kept.append(shape)
    model = replace(model, shapes=tuple(kept))
    return replace(model, pairs=tuple(floor_pairs(model)))


def _shapes(
    links: Mapping[str, Element], read: Callable[[str, str, Element], Shape | None], ignore: Ignoring
) -> list[Shape]:
    shapes: dict[str, Shape] = {}
    for link, element in links.items():
        for name, collision in named_collisions(link, element):
            while name in shapes:
                name += "'"
            try:
                shape = read(name, link, collision)
            except LinkwrightError as error:
                ignore.leave("contact", f"a collision shape of link {shortened(link)!r}", str(error)[:300])
                continue
            if shape is not None:
                shapes[name] = shape
    return list(shapes.values())


def named_collisions(link: str, element: Element) -> Iterator[tuple[str, Element]]:
    for k, collision in enumerate(element.named("collision")):
        given = collision.attributes.get("name", "").strip()
        yield (f"{link}/{given}" if given else f"{link}/collision_{k}"), collision


def geometry_of(collision: Element) -> Element | None:
    """The one thing in <geometry>."""
    outer = collision.only("geometry")
    inside = [] if outer is None else list(outer)
    return inside[0] if inside else None


def read_pose_on(link: str, element: Element) -> Pose:
    """Of something on an SDF's link."""
    pose = read_pose(element)
    if pose.relative_to is not None and pose.relative_to != link:
        raise element.error("its <pose> is relative to another frame, which is not read")
    return pose.pose


def named_mesh(mesh: Element) -> tuple[str, list[float]]:
    """(file as it is named, scale) of a URDF's or an SDF's <mesh>."""
    named, scaled = mesh.only("uri"), mesh.only("scale")
    if named is not None:  # SDF
        return named.text, [1.0] * 3 if scaled is None else list(text_numbers(scaled, 3))
    return required(mesh, "filename"), vector(mesh, "scale", (1.0, 1.0, 1.0))


def _urdf_shape(name: str, link: str, collision: Element) -> Shape | None:
    what = geometry_of(collision)
    if what is None or what.tag not in ("box", "sphere", "cylinder", "capsule"):
        return None
    at = read_origin(collision)
    with what.blamed():
        if what.tag == "box":
            required(what, "size")
            return making.box(link, vector(what, "size", (0.0, 0.0, 0.0)), at=at, name=name)
        if what.tag == "sphere":
            return making.sphere(link, number(what, "radius"), at=at, name=name)
        round_shape = making.cylinder if what.tag == "cylinder" else making.capsule
        return round_shape(link, number(what, "radius"), number(what, "length"), at=at, name=name)


def _sdf_shape(name: str, link: str, collision: Element) -> Shape | None:
    what = geometry_of(collision)
    if what is None or what.tag not in ("box", "sphere", "cylinder", "capsule", "ellipsoid", "plane"):
        return None
    own: dict[str, Any] = {"at": read_pose_on(link, collision), "name": name, "friction": _sdf_friction(collision)}
    with what.blamed():
        if what.tag == "box":
            return making.box(link, _numbers(what, "size"), **own)
        if what.tag == "ellipsoid":
            return making.ellipsoid(link, _numbers(what, "radii"), **own)
        if what.tag == "sphere":
            return making.sphere(link, _number(what, "radius"), **own)
        if what.tag == "plane":
            normal = np.array([0.0, 0.0, 1.0] if what.only("normal") is None else _numbers(what, "normal"))
            length = float(np.sqrt(sum(float(x) ** 2 for x in normal)))
            if not length > 0.0:
                raise what.error(f"its normal is {normal.tolist()}; expected a direction")
            turned = own["at"] @ Pose(rotation_to(normal / length), np.zeros(3))
            return making.plane(link, **{**own, "at": turned})
        round_shape = making.cylinder if what.tag == "cylinder" else making.capsule
        return round_shape(link, _number(what, "radius"), _number(what, "length"), **own)


def _sdf_friction(collision: Element) -> float | None:
    """surface / friction / ode / mu."""
    found: Element | None = collision
    for tag in ("surface", "friction", "ode", "mu"):
        found = None if found is None else found.only(tag)
    return None if found is None else text_number(found)


def _number(element: Element, tag: str) -> float:
    return text_number(_child(element, tag))


def _numbers(element: Element, tag: str) -> list[float]:
    return list(text_numbers(_child(element, tag), 3))


def _child(element: Element, tag: str) -> Element:
    found = element.only(tag)
    if found is None:
        raise element.error(f"<{element.tag}> has no <{tag}>")
    return found
