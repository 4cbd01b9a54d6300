"""Collision meshes of URDF and SDF files as convex shapes, or to be watched. Every mesh that is not read is listed as
not computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np

from ...errors import LinkwrightError, LoadError
from ...model import Model, NotComputed, Pose
from ...model.contact import Shape, convex
from ...model.contact.arrangement import floor_pairs
from ..links.collisions import geometry_of, named_collisions, named_mesh, read_pose_on
from ..sdf.sdf_scopes import SEPARATOR
from ..text.xml import Element
from ..urdf.urdf_parts import read_origin
from .convex_hull import HULL_POINTS
from .mesh_corners import corners_of
from .mesh_files import read_vertices
from .mesh_hull import hull
from .mesh_places import first_there, mesh_places

_UNREAD = "meshes of such files are not read unasked, and nothing tells where they touch"
_ASK = "load(..., meshes=True) takes their hulls"
_SHOWN = 6  # links by name


def with_mesh_shapes(model: Model, root: Element, *, watched: bool = False) -> Model:
    """`model` with the meshes in the <collision>s of a <robot> or <sdf>: hulls that floors touch as they do other
    shapes, or, `watched`, corners of meshes whose contact is not computed."""
    if not isinstance(root.file, Path):
        told = "collision meshes of a text, which has no folder: load it from a file"
        return _lacking(model, [NotComputed("contact of collision meshes", told, "", "contact")])
    shapes: list[Shape] = []
    unread: list[NotComputed] = []
    taken = {shape.name for shape in model.shapes}
    for name, label, collision in _mesh_collisions(root):
        while label in taken:
            label += "'"
        try:
            model.frame(name)
            shapes.append(_shape(label, name, collision, root.file.resolve().parent, watched))
            taken.add(label)
        except LinkwrightError as error:
            told = f"the mesh is left out: {str(error)[:300]}"
            unread.append(NotComputed(f"contact of the collision mesh of link {name!r}", told, "", "contact"))
    model = _lacking(replace(model, shapes=(*model.shapes, *shapes)), unread)
    return replace(model, pairs=(*model.pairs, *floor_pairs(model)))


def with_untold_meshes(model: Model, root: Element) -> Model:
    """`model` with what it lacks where collision meshes are not read."""
    links = list(dict.fromkeys(name for name, _, _ in _mesh_collisions(root)))
    if not links:
        return model
    more = f" and {len(links) - _SHOWN} more" if len(links) > _SHOWN else ""
    what = f"contact of collision meshes of links {', '.join(map(repr, links[:_SHOWN]))}{more}"
    return _lacking(model, [NotComputed(what, _UNREAD, _ASK, "contact", tuple(links))])


def _lacking(model: Model, entries: Sequence[NotComputed]) -> Model:
    return model.with_not_computed(*entries) if entries else model


def _mesh_collisions(root: Element) -> Iterator[tuple[str, str, Element]]:
    """(link, label, <collision>) of each that is a mesh; links are named as readers name them."""
    if root.tag == "robot":
        waiting = [(root, "")]
    else:
        worlds = root.named("world")
        models = [*root.named("model"), *(model for world in worlds for model in world.named("model"))]
        alone = len(models) == 1
        waiting = [(model, "" if alone else model.attributes.get("name", "") + SEPARATOR) for model in models]
    while waiting:
        model, prefix = waiting.pop(0)
        waiting += [(inner, prefix + inner.attributes.get("name", "") + SEPARATOR) for inner in model.named("model")]
        for link in model.named("link"):
            name = prefix + link.attributes.get("name", "")
            for label, collision in named_collisions(name, link):
                what = geometry_of(collision)
                if what is not None and what.tag == "mesh":
                    yield name, label, collision


def _shape(label: str, link: str, collision: Element, folder: Path, watched: bool) -> Shape:
    mesh = cast(Element, geometry_of(collision))
    at = read_pose_on(link, collision) if mesh.only("uri") is not None else read_origin(collision)
    uri, scale = named_mesh(mesh)
    file = _file(uri, folder, mesh)
    if watched:
        points, slack = corners_of(read_vertices(file) * np.array(scale))
        return Shape(label, "mesh", link, (slack,), Pose.of(at).snapped(), points=points)
    return convex(link, list(hull(file, scale=scale, most=HULL_POINTS)), at=at, name=label)


def _file(uri: str, folder: Path, asking: Element) -> Path:
    found = first_there(mesh_places(uri, folder))
    if found is None:
        raise LoadError(f"its file {uri!r} is not there", file=asking.file, line=asking.line, element=asking.tag)
    return found
