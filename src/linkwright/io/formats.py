"""Which formats of files there are, how each is recognised, and who reads and writes it.

A format is recognised by its content: by how the text begins, or by the outermost element of XML. Readers and writers
are imported when there is such a file.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..model import Model
from .ignoring import Ignoring


@dataclass(frozen=True)
class FileContent:
    """What a reader is given.

    data           the file's bytes, or text
    file           its path, or what stands for it in messages
    root           the outermost element (`text.xml.Element`), of XML; else None
    floating_base  loops, ignore, meshes: as `load` was given them
    folder         where the file is, if it is known: meshes may be there
    """

    data: bytes | str
    file: object
    root: Any
    floating_base: bool | None
    loops: str | os.PathLike[str] | bool
    ignore: Ignoring
    meshes: bool = False
    folder: Path | None = None

    @property
    def text(self) -> str:
        return self.data if isinstance(self.data, str) else self.data.decode("utf-8-sig")

    def refuse_floating_base(self, what: str) -> None:
        if self.floating_base is not None:
            raise InputError(f"floating_base was given with {what}; it applies to URDF files and known robots only")


@dataclass(frozen=True)
class FileFormat:
    """name     as messages have it
    begins   what its text begins with, if it is no XML
    element  its outermost element, if it is XML
    read     makes a model of the content; None: it is only written
    endings  of file names, by which `save` chooses it
    write    the text of a model; None: it is only read
    """

    name: str
    begins: str = ""
    element: str = ""
    read: Callable[[FileContent], Model] | None = None
    endings: tuple[str, ...] = ()
    write: Callable[[Model], str] | None = None


FORMATS: list[FileFormat] = []


def file_format(*formats: FileFormat) -> None:
    """Make formats known to `load` and `save`."""
    for new in formats:
        if new.read is not None and not new.begins and not new.element:
            raise InputError(f"format {new.name!r} has a reader but neither begins= nor element= to recognise it by")
        if new.read is None and new.write is None:
            raise InputError(f"format {new.name!r} is neither read nor written: give it read= or write=")
        if new.write is not None and not new.endings:
            raise InputError(f"format {new.name!r} has a writer but no endings= of file names to choose it by")
        for old in FORMATS:
            shared = set(old.endings) & set(new.endings) if old.write and new.write else set()
            if (new.begins and new.begins == old.begins) or (new.element and new.element == old.element) or shared:
                raise InputError(f"format {new.name!r} cannot be told from {old.name!r}")
        FORMATS.append(new)


def begins_as(start: str) -> FileFormat | None:
    """The format of a text that begins so; white space before it does not count."""
    start = start.lstrip("\ufeff \t\r\n")
    return next((known for known in FORMATS if known.begins and start.startswith(known.begins)), None)


def _json(content: FileContent) -> Model:
    from .json_files import read_json

    content.refuse_floating_base("a JSON file, which holds a whole model")
    return read_json(content.data, file=content.file)


def _to_json(model: Model) -> str:
    from .json_files import to_json

    return to_json(model)


def _mjcf(content: FileContent) -> Model:
    from .mjcf.mjcf_reader import model_from_mjcf

    content.refuse_floating_base("an MJCF file, which says itself what is free")
    return model_from_mjcf(content.root, ignore=content.ignore, meshes=content.meshes)


def _to_mjcf(model: Model) -> str:
    from .mjcf.mjcf_writer import to_mjcf

    return to_mjcf(model)


def _sdf(content: FileContent) -> Model:
    from .links.visuals import in_folder
    from .sdf.sdf_reader import model_from_sdf

    model = model_from_sdf(content.root, floating_base=content.floating_base, ignore=content.ignore)
    return _with_meshes(in_folder(model, content.folder), content)


def _urdf(content: FileContent) -> Model:
    from .links.visuals import in_folder
    from .urdf.urdf_with_loops import model_with_loops

    return _with_meshes(in_folder(model_with_loops(content), content.folder), content)


def _with_meshes(model: Model, content: FileContent) -> Model:
    """Hulls of collision meshes where they are asked for; where the file has floors they are watched at least."""
    from ..algorithms.contact.watching import with_told_pairs
    from .meshes.mesh_shapes import with_mesh_shapes, with_untold_meshes

    if "contact" in content.ignore.words:
        return model
    stands = any(shape.kind == "plane" for shape in model.shapes)
    if content.meshes or (stands and isinstance(content.root.file, Path)):
        model = with_mesh_shapes(model, content.root, watched=not content.meshes)
    else:
        model = with_untold_meshes(model, content.root)
    return with_told_pairs(model)


file_format(
    FileFormat("URDF", element="robot", read=_urdf),
    FileFormat("SDF", element="sdf", read=_sdf),
    FileFormat("MJCF", element="mujoco", read=_mjcf, endings=(".xml", ".mjcf"), write=_to_mjcf),
    FileFormat("linkwright's own JSON", begins="{", read=_json, endings=(".json", ""), write=_to_json),
)
