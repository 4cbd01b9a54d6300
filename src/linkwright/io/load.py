"""`load`: a model from whatever the user has."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ..call_errors import names_arguments
from ..errors import InputError, LoadError
from ..model import Model
from ..model.not_computed import silenced, warn
from ..robots.catalog import AssembledRobot, BuiltRobot, KnownRobot, PackagedRobot, find_robot, near_names, split_name
from ..robots.menagerie import scene_file
from .formats import FORMATS, FileContent, begins_as
from .ignoring import Ignoring
from .mujoco.mujoco_blame import Blame
from .mujoco.mujoco_looks import with_compiled_looks
from .mujoco.mujoco_model import converted, is_mujoco_model
from .pinocchio.pinocchio_model import from_pinocchio_model, is_pinocchio_model
from .text.reading import read_bytes
from .text.xml import parse_xml


def _readable() -> str:
    names = ", ".join(known.name for known in FORMATS if known.read is not None)
    return f"{names} files, known robots (see linkwright.list_robots()), Pinocchio and MuJoCo models"


@names_arguments
def load(
    source, *, floating_base: bool | None = None, loops: str | os.PathLike[str] | bool = True,
    ignore: str | Iterable[str] = (), meshes: bool = False,
) -> Model:  # fmt: skip
    """A model from a known name, a file, its text, or a model of another library.

    source         - the name of a robot, as `linkwright.list_robots()` lists them: "talos"; those built in code may
                     take numbers: "chain:12" (a file of the same name is meant by "./talos")
                   - what `linkwright.list_robots()` lists
                   - "go2", "g1" and other names of the MuJoCo Menagerie, if LINKWRIGHT_MENAGERIE names its folder
                   - the path of a file, recognised by its content: URDF, SDF, MJCF, or a JSON file written by `save`
                   - the text of such a file: a string that begins with "<" or "{"
                   - a `pinocchio.Model` or a `mujoco.MjModel`
                   - a `Model`, which is returned as it is
    floating_base  whether the root link of a URDF moves freely, on a joint named "root_joint", or is part of the
                   ground. The default is the robot's own nature for known names (arms and hands stand on the ground,
                   legged robots float), the ground for URDF, and what the file says for SDF. MJCF says so itself.
    loops          a YAML file with loop closures for a URDF; True looks for one beside the URDF, of the same name or
                   robot.yaml, and False reads none
    ignore         what may be left out although it changes the motion: words such as "fluid", "plugin", "tendon",
                   "deformable" (docs/files.md lists them, and a refusal names the word that helps). What was left out
                   is in `model.ignored`.
    meshes         True reads the meshes that links collide with (.stl, .obj; of MJCF what MuJoCo reads) and takes their
                   convex hulls as shapes, by few points each; those that are missing are in `not_computed`. Those that
                   only show are in `model.looks` anyway, and are read when something is drawn

    What the file asks for and is not computed, although it concerns the motion, is in `model.not_computed`, and a
    Python warning (`LinkwrightWarning`) names it; `model.warnings` are remarks on how the file was understood. Raises
    `LoadError` with file, line and element for files that cannot be understood, `UnsupportedError` for those that
    cannot be read yet.
    """
    left_out = Ignoring(ignore)
    model = _loaded(source, floating_base, loops, left_out, meshes)
    if not model.not_computed or model is source or _is_assembled(source):
        return model
    return warn(replace(model, not_computed=silenced(model.not_computed, left_out.words)) if left_out.words else model)


def _loaded(
    source, floating_base: bool | None, loops: str | os.PathLike[str] | bool, left_out: Ignoring, meshes: bool
) -> Model:
    if isinstance(source, str | os.PathLike | KnownRobot):
        return _from_name_or_file(source, floating_base, loops, left_out, meshes)
    if isinstance(source, Model):
        _refuse_floating_base(floating_base, "a Model")
        return source
    if is_pinocchio_model(source):
        _refuse_floating_base(floating_base, "a Pinocchio model")
        return from_pinocchio_model(source)
    if is_mujoco_model(source):
        _refuse_floating_base(floating_base, "a MuJoCo model")
        model = converted(source, left_out, Blame(), inactive=False, options=None, meshes=meshes)
        return with_compiled_looks(model, source)
    raise InputError(f"cannot load a {type(source).__name__}; linkwright loads {_readable()}")


def _from_name_or_file(
    source: str | os.PathLike[str] | KnownRobot, floating_base: bool | None, loops: str | os.PathLike[str] | bool,
    left_out: Ignoring, meshes: bool,
) -> Model:  # fmt: skip
    if isinstance(source, KnownRobot):
        source = source.name
    if isinstance(source, str):
        if source.lstrip("\ufeff \t\r\n")[:1] == "<" or begins_as(source) is not None:
            return _from_content(source, "<text>", floating_base, loops, left_out, meshes)
        robot = find_robot(source)
        floats = robot.floating_base if robot is not None and floating_base is None else bool(floating_base)
        if isinstance(robot, BuiltRobot):
            return robot.build(split_name(source)[1], floats)
        if isinstance(robot, PackagedRobot):
            path = robot.path()
            file = path if meshes else path.name  # meshes are beside it
            return _from_content(read_bytes(path), file, floats, loops, left_out, meshes, path.parent)
        if isinstance(robot, AssembledRobot):
            first, *others = robot.parts
            return robot.factory(load(first, floating_base=floats), *map(load, others))
    # no path: a scene of a folder that the user named, if it has one
    path = scene_file(source) if isinstance(source, str) and source.isidentifier() else Path(source)
    _check_exists(path, source)
    return _from_content(read_bytes(path), path, floating_base, loops, left_out, meshes, path.parent)


def _is_assembled(source) -> bool:
    """Whether it is made of robots that are loaded one by one, and warn each for themselves."""
    robot = source if isinstance(source, KnownRobot) else find_robot(source) if isinstance(source, str) else None
    return isinstance(robot, AssembledRobot)


def _from_content(
    data: bytes | str, file: object, floating_base: bool | None, loops: str | os.PathLike[str] | bool, ignore: Ignoring,
    meshes: bool, folder: Path | None = None,
) -> Model:  # fmt: skip
    start = data[:200] if isinstance(data, str) else data[:200].decode("utf-8-sig", errors="replace")
    known, root = begins_as(start), None
    if known is None:
        root = parse_xml(data, file)
        known = next((one for one in FORMATS if one.element == root.tag), None)
        if known is None or known.read is None:
            raise root.error(f"not a robot description that linkwright knows; it loads {_readable()}")
    assert known.read is not None  # what is recognised by its beginning is read
    return known.read(FileContent(data, file, root, floating_base, loops, ignore, meshes, folder))


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
