"""Faces and colours of mesh files: STL, OBJ and DAE, through trimesh, which opens no other file but materials."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ...errors import LoadError, MissingExtraError
from ..text.reading import read_bytes
from ..text.xml import parse_xml

KINDS = (".stl", ".obj", ".dae")
MOST_BYTES = 100 * 2**20
_MOST_KEPT = 256  # files
_MATERIALS = ("library_materials", "library_effects", "library_images", "bind_material")  # of DAE


@dataclass(frozen=True, eq=False)
class MeshPart:
    """Triangles (m, 3) of vertices (n, 3) in one colour: red, green and blue from 0 to 1, None if the file has none.

    `without` says why its colours were left out although the file has some.
    """

    vertices: np.ndarray
    faces: np.ndarray
    colour: tuple[float, float, float] | None = None
    without: str = ""


def read_surfaces(path: Path) -> tuple[MeshPart, ...]:
    """The parts of a mesh file, in metres where it says what its units are (DAE), else in its units."""
    told = path.stat()
    return _read(path, (told.st_mtime_ns, told.st_size))  # clocks of file systems tick slowly


@lru_cache(_MOST_KEPT)
def _read(path: Path, changed: tuple[int, int]) -> tuple[MeshPart, ...]:
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise LoadError(f"is a mesh of kind {kind or 'unknown'!r}; drawn are {', '.join(KINDS)}", file=path)
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise LoadError(f"has {size >> 20} MiB; meshes of at most {MOST_BYTES >> 20} are drawn", file=path)
    trimesh = _trimesh(kind)
    data = read_bytes(path)
    if kind == ".dae":
        parse_xml(data, path)  # refuses document types and entities, whatever the encoding
    try:
        parts = _collada(trimesh, data, path) if kind == ".dae" else _parts(trimesh, data, path)
    except Exception as error:  # whatever a stranger's file makes a parser do
        raise LoadError(f"is not understood: {type(error).__name__}: {str(error)[:200]}", file=path) from None
    found = tuple(part for part in parts if np.isfinite(part.vertices).all())
    if not found:
        raise LoadError("is a mesh without faces", file=path)
    return found


def _parts(trimesh: Any, data: bytes, path: Path, **options: Any) -> list[MeshPart]:
    scene = trimesh.load_scene(
        io.BytesIO(data), file_type=path.suffix.lower()[1:], process=False, resolver=_Materials(path.parent), **options
    )
    unit = _unit(scene)
    return [_part(mesh, unit) for mesh in scene.dump() if len(getattr(mesh, "faces", ()))]


def _collada(trimesh: Any, data: bytes, path: Path) -> list[MeshPart]:
    """Where something in it is broken, pycollada leaves out whatever refers to it without a word: if that costs faces,
    the shapes alone are read."""
    try:
        return _parts(trimesh, data, path, ignore_broken=False)
    except Exception as error:
        told = f"its materials are not understood ({type(error).__name__}: {str(error)[:200]})"
    alone = [replace(part, without=told) for part in _parts(trimesh, _without_materials(data), path)]
    try:
        coloured = _parts(trimesh, data, path)
    except Exception:
        return alone
    faces = [sum(len(part.faces) for part in parts) for parts in (coloured, alone)]
    return coloured if faces[0] >= faces[1] else alone


def _without_materials(data: bytes) -> bytes:
    """A DAE with nothing but shapes: one broken colour would lose them all."""
    root = ElementTree.fromstring(data)
    for element in root.iter():
        for child in [child for child in element if str(child.tag).rpartition("}")[2] in _MATERIALS]:
            element.remove(child)
    return ElementTree.tostring(root)


def _trimesh(kind: str) -> Any:
    try:
        import trimesh

        if kind == ".dae":
            import collada  # noqa: F401  which trimesh reads these with
    except ImportError as error:
        package = "pycollada" if error.name == "collada" else "trimesh"
        raise MissingExtraError(package, "view", f"drawing {kind} meshes") from None
    return trimesh


class _Materials:
    """Gives trimesh the materials beside an OBJ, and no pictures, nor anything of another folder."""

    def __init__(self, folder: Path):
        self._folder = folder

    def get(self, name: str) -> bytes:
        path = (self._folder / name.strip()).resolve()
        if path.suffix.lower() != ".mtl" or not path.is_relative_to(self._folder.resolve()):
            raise FileNotFoundError(name)
        return read_bytes(path)

    def keys(self) -> list[str]:
        return []


def _unit(scene: Any) -> float:
    """Metres; trimesh tells those of DAE and applies none."""
    told = re.match(r"([\d.eE+-]+) \* meters", str(scene.units or ""))
    return float(told[1]) if told else 1.0


def _part(mesh: Any, unit: float) -> MeshPart:
    if np.shape(mesh.vertices)[1:] != (3,) or np.shape(mesh.faces)[1:] != (3,):
        raise ValueError(f"vertices of shape {np.shape(mesh.vertices)}, faces of shape {np.shape(mesh.faces)}")
    colour = _colour(mesh)
    mesh.merge_vertices(merge_tex=True, merge_norm=True)  # an STL has three for each face
    return MeshPart(np.asarray(mesh.vertices, dtype=float) * unit, np.asarray(mesh.faces, dtype=np.int64), colour)


def _colour(mesh: Any) -> tuple[float, float, float] | None:
    material = getattr(mesh.visual, "material", None)
    if material is None or getattr(material, "image", None) is not None:
        return None
    red, green, blue = (float(x) / 255.0 for x in material.main_color[:3])
    return red, green, blue
