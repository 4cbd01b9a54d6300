"""MJCF into a `Model`, by way of MuJoCo's own compiler: the one complete reading of defaults, frames and equalities.

The XML is parsed here first: it is refused if it is dangerous, its includes are put in place, and what neither moves
nor weighs anything (looks, contacts, sensors, actuators) is taken out, so that no mesh is needed that only shows. What
is left is written line by line for MuJoCo to compile, so that the lines in its messages can be traced to the file's.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from ...errors import LoadError, MissingExtraError
from ...model import Model
from ..ignoring import Ignoring
from ..mujoco.mujoco_blame import Blame
from ..mujoco.mujoco_model import from_mujoco_model
from ..text.reading import read_bytes
from ..text.xml import Element, parse_xml
from .mjcf_files import Folder, with_includes
from .mjcf_reduction import Reduced, reduce_to_dynamics

_ONE_AT_A_TIME = threading.Lock()  # who takes MuJoCo's warnings is known to the whole process


def read_mjcf(
    data: bytes | str, *, file: object = None, inactive: bool = False, ignore: str | Iterable[str] = ()
) -> Model:
    """A model from the content of an MJCF file. `file` is what errors call it; its folder holds what it includes."""
    return model_from_mjcf(parse_xml(data, file), inactive=inactive, ignore=Ignoring(ignore))


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
    is_there = partial(_is_there, folder) if meshes else None
    reduced = reduce_to_dynamics(with_includes(root, folder), ignore, is_there)
    compiled = _compiled(reduced, folder, root)
    named = {name for option in reduced.root.named("option") for name in option.attributes}
    model = from_mujoco_model(
        compiled, inactive=inactive, blame=Blame(reduced.elements, root), ignore=ignore, options=named, meshes=meshes
    )
    return reduced.annotated(model), compiled


def import_mujoco(purpose: str) -> Any:
    try:
        import mujoco
    except ImportError:
        raise MissingExtraError("mujoco", "io", purpose) from None
    return mujoco


def _compiled(reduced: Reduced, folder: Folder, root: Element) -> Any:
    mujoco = import_mujoco("reading MJCF")
    assets = {key: read_bytes(_mesh_file(folder, *asked)) for key, asked in reduced.files.items()}
    lines: list[str] = []
    sources: list[Element] = []
    _write(reduced.root, lines, sources)
    try:
        with _warnings_into(mujoco, reduced.warnings):
            return mujoco.MjModel.from_xml_string("\n".join(lines), assets)
    except (ValueError, RuntimeError, mujoco.FatalError) as error:
        raise _traced(str(error), sources, root) from None


def _mesh_file(folder: Folder, element: Element, where: str, name: str) -> Path:
    """As MuJoCo looks for it: in `where` (its meshdir), else beside the included file that names it."""
    beside = folder.beside(element)
    return folder.find(name, element, where, *(() if beside is None else (beside,)))


def _is_there(folder: Folder, element: Element, where: str, name: str) -> bool:
    try:
        return bool(_mesh_file(folder, element, where, name))
    except LoadError:
        return False


@contextmanager
def _warnings_into(mujoco: Any, told: list[str]) -> Iterator[None]:
    """MuJoCo prints its warnings and writes them to a file in the current folder, unless someone else takes them."""
    with _ONE_AT_A_TIME:
        before = mujoco.get_mju_user_warning()
        mujoco.set_mju_user_warning(lambda text: told.append(f"MuJoCo: {' '.join(str(text).split())[:300]}"))
        try:
            yield
        finally:
            mujoco.set_mju_user_warning(before)


def _write(element: Element, lines: list[str], sources: list[Element]) -> None:
    """One line for each start tag; an end tag stands at the end of the last line inside."""
    stack: list[tuple[Element, bool]] = [(element, False)]
    while stack:
        one, closing = stack.pop()
        if closing:
            lines[-1] += f"</{one.tag}>"
            continue
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in one.attributes.items())
        lines.append(f"<{one.tag}{attributes}>")
        sources.append(one)
        stack.append((one, True))
        stack.extend((child, False) for child in reversed(one.children))


def _traced(message: str, sources: list[Element], root: Element) -> LoadError:
    """MuJoCo's message with the line of the file in place of the line of what it was given."""
    text = " ".join(message.split())[:600]
    found = re.search(r"line (\d+)", text)
    if not found or not 1 <= int(found[1]) <= len(sources):
        return LoadError(f"MuJoCo refuses the model: {text}", file=root.file, line=root.line, element=root.tag)
    return sources[int(found[1]) - 1].error(f"MuJoCo refuses it: {re.sub(r'[, ]*line [0-9]+', '', text)}")
