"""Looks of URDF and SDF links: what their <visual>s say. One that makes no sense is left out and told of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...errors import LinkwrightError
from ...model import Look, Model
from ..meshes.mesh_places import mesh_places
from ..text.xml import Element
from ..text.xml_values import number, shortened, text_number, text_numbers, vector
from ..urdf.urdf_parts import read_origin
from .collisions import geometry_of, named_mesh, read_pose_on

_ROUND = ("cylinder", "capsule")
Colour = tuple[float, float, float]


def with_urdf_looks(model: Model, robot: Element, links: Mapping[str, Element]) -> Model:
    named = {m.attributes.get("name", ""): m for m in robot.named("material") if m.only("color") is not None}

    def read(link: str, visual: Element, what: Element) -> Look:
        material = visual.only("material")
        if material is not None and material.only("color") is None:
            material = named.get(material.attributes.get("name", ""))
        colour = None if material is None else _rgb(material.only("color"), _attribute_numbers)
        own: dict[str, Any] = {"at": read_origin(visual), "colour": colour}
        if what.tag == "box":
            return Look(link, "box", size=_halves(vector(what, "size", (0.0, 0.0, 0.0))), **own)
        if what.tag == "sphere":
            return Look(link, "sphere", size=(number(what, "radius"),), **own)
        if what.tag in _ROUND:
            return Look(link, what.tag, size=(number(what, "radius"), number(what, "length") / 2), **own)
        return _mesh(link, what, {**own, "own": True})

    return _with_looks(model, links, read)


def with_sdf_looks(model: Model, links: Mapping[str, Element]) -> Model:
    def read(link: str, visual: Element, what: Element) -> Look:
        material = visual.only("material")
        colour = None if material is None else _rgb(material.only("diffuse"), lambda e: e.text.split())
        own: dict[str, Any] = {"at": read_pose_on(link, visual), "colour": colour}
        if what.tag == "box":
            return Look(link, "box", size=_halves(_numbers(what, "size")), **own)
        if what.tag == "ellipsoid":
            return Look(link, "ellipsoid", size=tuple(_numbers(what, "radii")), **own)
        if what.tag == "sphere":
            return Look(link, "sphere", size=(_number(what, "radius"),), **own)
        if what.tag in _ROUND:
            return Look(link, what.tag, size=(_number(what, "radius"), _number(what, "length") / 2), **own)
        return _mesh(link, what, own)

    return _with_looks(model, links, read)


def in_folder(model: Model, folder: Path | None) -> Model:
    """With the places where meshes may be, seen from the folder of the robot's file."""
    if folder is None or not any(look.mesh for look in model.looks):
        return model
    folder = folder.resolve()
    places = {look.mesh: mesh_places(look.mesh, folder) for look in model.looks if look.mesh}
    return replace(model, looks=tuple(replace(look, places=places.get(look.mesh, ())) for look in model.looks))


def _with_looks(
    model: Model, links: Mapping[str, Element], read: Callable[[str, Element, Element], Look]
) -> Model:
    looks, warnings = [], []
    for link, element in links.items():
        for visual in element.named("visual"):
            try:
                what = geometry_of(visual)
                if what is None or what.tag not in ("box", "sphere", *_ROUND, "ellipsoid", "mesh"):
                    continue  # planes, height maps, texts: nothing that moves is made of them
                with what.blamed():
                    looks.append(read(link, visual, what))
            except LinkwrightError as error:
                warnings.append(f"a look of link {shortened(link)!r} is left out: {str(error)[:300]}")
    return replace(model, looks=tuple(looks), warnings=(*model.warnings, *warnings))


def _mesh(link: str, mesh: Element, own: dict[str, Any]) -> Look:
    uri, scale = named_mesh(mesh)
    return Look(link, "mesh", mesh=uri, scale=(scale[0], scale[1], scale[2]), **own)


def _attribute_numbers(colour: Element) -> list[str]:
    return colour.attributes.get("rgba", "").split()


def _rgb(colour: Element | None, words: Callable[[Element], list[str]]) -> Colour | None:
    """What is no colour is none: looks matter too little to refuse them for it."""
    if colour is None:
        return None
    try:
        r, g, b = (min(1.0, max(0.0, float(word))) for word in words(colour)[:3])
    except ValueError:
        return None
    return (r, g, b)


def _halves(size: list[float]) -> tuple[float, ...]:
    return tuple(x / 2 for x in size)


def _number(element: Element, tag: str) -> float:
    found = element.only(tag)
    return 0.0 if found is None else text_number(found)


def _numbers(element: Element, tag: str) -> list[float]:
    found = element.only(tag)
    return [0.0] * 3 if found is None else list(text_numbers(found, 3))
