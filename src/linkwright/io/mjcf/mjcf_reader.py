"""MJCF into a `Model`, by way of MuJoCo's own compiler: the one complete reading of defaults, frames and equalities.

The XML is parsed here first: it is refused if it is dangerous, its includes are put in place, and what neither moves
nor weighs anything (looks, contacts, sensors, actuators) is taken out, so that no mesh is needed that only shows. How
bodies look is read apart from that (mjcf_looks.py).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from ...errors import LoadError
from ...model import Model
from ...model.not_computed import warn
from ..ignoring import Ignoring
from ..mujoco.mujoco_blame import Blame
from ..mujoco.mujoco_model import converted
from ..text.reading import read_bytes
from ..text.xml import Element, check_parts, parse_xml
from .mjcf_compiling import NEEDED_MESH, compiled
from .mjcf_files import Folder, with_includes
from .mjcf_looks import Looks
from .mjcf_notes import noted
from .mjcf_reduction import reduce_to_dynamics
from .mjcf_sensors import told_of_sensors
from .mjcf_vocabulary import first_unknown, refuse_unknown


def read_mjcf(
    data: bytes | str, *, file: object = None, inactive: bool = False, ignore: str | Iterable[str] = ()
) -> Model:
    """A model from the content of an MJCF file. `file` is what errors call it; its folder holds what it includes."""
    return warn(model_from_mjcf(parse_xml(data, file), inactive=inactive, ignore=Ignoring(ignore)))


def model_from_mjcf(
    root: Element, *, inactive: bool = False, ignore: Ignoring | None = None, meshes: bool = False
) -> Model:
    """A model from a parsed <mujoco>; with `meshes` hulls of those that collide are shapes."""
    return _read(root, inactive, Ignoring() if ignore is None else ignore, meshes)[0]


def read_with_source(path: str | Path) -> tuple[Model, Any]:
    """A model from an MJCF file, and the `mujoco.MjModel` that it was read from: looks and sensors are not there."""
    return _read(parse_xml(read_bytes(Path(path)), Path(path)), False, Ignoring())


def _read(root: Element, inactive: bool, ignore: Ignoring, meshes: bool = False) -> tuple[Model, Any]:
    if root.tag != "mujoco":
        raise root.error("expected <mujoco> as the root element of an MJCF")
    folder = Folder(root.file.parent if isinstance(root.file, Path) else None)
    whole = with_includes(root, folder)
    check_parts(whole, "body", "joint", "freejoint", "site")
    looks = Looks(whole, folder)  # before it is taken apart
    unknown = first_unknown(whole)
    told = told_of_sensors(whole)
    ignore.left_out += noted(whole)
    reduced = reduce_to_dynamics(whole, ignore, partial(_mesh_file, folder), meshes)
    assets = {key: _needed_mesh(folder, *asked) for key, asked in reduced.files.items()}
    source = compiled(reduced.root, assets, reduced.warnings, root)
    refuse_unknown(unknown, ignore)  # now that MuJoCo has refused what it does not know itself
    reduced.warnings += told
    named = {name for option in reduced.root.named("option") for name in option.attributes}
    model = converted(
        source, ignore, Blame(reduced.elements, root), inactive=inactive, options=named, meshes=meshes,
        stand_ins=reduced.stand_ins.shapes,
    )  # fmt: skip
    return looks.given_to(reduced.annotated(model)), source


def _needed_mesh(folder: Folder, element: Element, where: str, name: str) -> bytes:
    try:
        return read_bytes(_mesh_file(folder, element, where, name))
    except LoadError as error:
        raise error.with_advice(NEEDED_MESH) from None


def _mesh_file(folder: Folder, element: Element, where: str, name: str) -> Path:
    """As MuJoCo looks for it: in `where` (its meshdir), else beside the included file that names it."""
    beside = folder.beside(element)
    return folder.find(name, element, where, *(() if beside is None else (beside,)))
