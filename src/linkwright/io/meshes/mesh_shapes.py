"""Collision meshes of URDF and SDF files as convex shapes. Every mesh that is not read is named in a warning."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ...errors import LinkwrightError, LoadError
from ...model import Model
from ...model.contact import Shape, convex
from ...model.contact.arrangement import floor_pairs
from ..links.collisions import geometry_of, named_collisions, named_mesh, read_pose_on
from ..text.xml import Element
from ..urdf.urdf_parts import read_origin
from .convex_hull import HULL_POINTS
from .mesh_hull import hull
from .mesh_places import first_there, mesh_places


def with_mesh_shapes(model: Model, root: Element) -> Model:
    """`model` with hulls of the meshes in the <collision>s of a <robot> or <sdf>; floors touch them as other shapes."""
    if not isinstance(root.file, Path):
        told = "collision meshes are not read of a text, which has no folder: load it from a file"
        return replace(model, warnings=(*model.warnings, told))
    models = [root] if root.tag == "robot" else [m for m in root.children if m.tag == "model"]
    shapes: list[Shape] = []
    warnings: list[str] = []
    taken = {shape.name for shape in model.shapes}
    for link in (link for one in models for link in one.named("link")):
        name = link.attributes.get("name", "")
        for label, collision in named_collisions(name, link):
            what = geometry_of(collision)
            if what is None or what.tag != "mesh":
                continue
            while label in taken:
                label += "'"
            try:
                model.frame(name)
                shapes.append(_shape(label, name, collision, what, root.file.resolve().parent))
                taken.add(label)
            except LinkwrightError as error:
                warnings.append(f"the collision mesh of link {name!r} is left out: {str(error)[:300]}")
    model = replace(model, shapes=(*model.shapes, *shapes), warnings=(*model.warnings, *warnings))
    return replace(model, pairs=(*model.pairs, *floor_pairs(model)))


def _shape(label: str, link: str, collision: Element, mesh: Element, folder: Path) -> Shape:
    at = read_pose_on(link, collision) if mesh.only("uri") is not None else read_origin(collision)
    uri, scale = named_mesh(mesh)
    points = hull(_file(uri, folder, mesh), scale=scale, most=HULL_POINTS)
    return convex(link, list(points), at=at, name=label)


def _file(uri: str, folder: Path, asking: Element) -> Path:
    found = first_there(mesh_places(uri, folder))
    if found is None:
        raise LoadError(f"its file {uri!r} is not there", file=asking.file, line=asking.line, element=asking.tag)
    return found
