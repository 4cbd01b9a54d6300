"""`load`: a model from whatever the user has."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ..errors import InputError, LoadError, UnsupportedError
from ..model import Model
from ..robots.catalog import AssembledRobot, BuiltRobot, PackagedRobot, find_robot, near_names, split_name
from .json import read_json
from .pinocchio import from_pinocchio_model, is_pinocchio_model
from .urdf import model_from_element
from .xml import MAX_BYTES, parse_xml

_READABLE = "URDF files, linkwright's own JSON files, known robots (see linkwright.list_robots()), Pinocchio models"


def load(source, *, floating_base: bool | None = None) -> Model:
    """A model from a known name, a file, its text, or a model of another library.

    source         - the name of a robot, as `linkwright.list_robots()` lists them: "talos"; those built in code may
                     take numbers: "chain:12" (a file of the same name is meant by "./talos")
                   - the path of a file, recognised by its content: a URDF or a JSON file written by `save`
                   - the text of a URDF (a string that begins with "<") or of such a JSON file ("{")
                   - a `pinocchio.Model`
                   - a `Model`, which is returned as it is
    floating_base  whether the root link of a URDF moves freely, on a joint named "root_joint", or is part of the
                   ground. The default is the robot's own nature for known names (arms and hands stand on the ground,
                   legged robots float) and the ground for files.

    `model.warnings` says what looked wrong in a file but could be lived with. Raises `LoadError` with file, line and
    element for files that cannot be understood, `UnsupportedError` for those that cannot be read yet.
    """
    if isinstance(source, Model):
        _refuse_floating_base(floating_base, "a Model")
        return source
    if is_pinocchio_model(source):
        _refuse_floating_base(floating_base, "a Pinocchio model")
        return from_pinocchio_model(source)
    if isinstance(source, str):
        if source.lstrip("\ufeff \t\r\n")[:1] in ("<", "{"):
            return _from_content(source, "<text>", floating_base)
        robot = find_robot(source)
        floats = robot.floating_base if robot is not None and floating_base is None else bool(floating_base)
        if isinstance(robot, BuiltRobot):
            return robot.build(split_name(source)[1], floats)
        if isinstance(robot, PackagedRobot):
            return _from_content(read_bytes(robot.path()), robot.path().name, floats)
        if isinstance(robot, AssembledRobot):
            first, *others = robot.parts
            return robot.factory(load(first, floating_base=floats), *map(load, others))
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        _check_exists(path, source)
        return _from_content(read_bytes(path), path, floating_base)
    raise InputError(f"cannot load a {type(source).__name__}; linkwright loads {_READABLE}")


def read_bytes(path: Path) -> bytes:
    """The content of a regular file of reasonable size."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # before opening: a pipe would block
            raise LoadError("is not a regular file", file=path)
        with open(path, "rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise LoadError(f"cannot be read: {getattr(error, 'strerror', None) or error}", file=path) from None
    if len(data) > MAX_BYTES:
        raise LoadError(f"is larger than {MAX_BYTES} bytes, the most that is read", file=path)
    return data


def _from_content(data: bytes | str, file: object, floating_base: bool | None) -> Model:
    start = data[:200].lstrip("\ufeff \t\r\n") if isinstance(data, str) else data[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] in ("{", b"{"):
        _refuse_floating_base(floating_base, "a JSON file, which holds a whole model")
        return read_json(data, file=file)
    root = parse_xml(data, file)
    if root.tag in ("mujoco", "sdf"):
        format_name = {"mujoco": "MJCF", "sdf": "SDF"}[root.tag]
        raise UnsupportedError(f"{file}: {format_name} files cannot be loaded yet; what can: {_READABLE}")
    if root.tag != "robot":
        raise root.error(f"not a robot description that linkwright knows; it loads {_READABLE}")
    return model_from_element(root, floating_base=bool(floating_base))


def _check_exists(path: Path, source) -> None:
    try:
        exists = bool(source) and path.exists()
    except (OSError, ValueError):  # too long, or with a null character: no such file
        exists = False
    if not exists:
        shown = str(source) if len(str(source)) <= 200 else str(source)[:200] + "..."
        raise LoadError(f"{shown!r} is neither a file nor a known robot.{near_names(shown)}")


def _refuse_floating_base(floating_base: bool | None, what: str) -> None:
    if floating_base is not None:
        raise InputError(f"floating_base was given with {what}; it applies to URDF files and known robots only")
