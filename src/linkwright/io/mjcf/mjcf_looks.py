"""How bodies of an MJCF look. MuJoCo resolves defaults, frames and poses of geoms; meshes are not read before something
is drawn, so it is given small balls in their place, each with a number that says which geom it stands for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from ...errors import LinkwrightError
from ...model import Model, Pose
from ..mujoco.mujoco_looks import looks_of
from ..mujoco.mujoco_names import Names
from ..text.xml import Element
from ..text.xml_values import vector
from .mjcf_collisions import geoms_of
from .mjcf_compiling import compiled
from .mjcf_defaults import Defaults
from .mjcf_elements import LIKE_BODY
from .mjcf_files import Folder
from .mjcf_reduction import setting

_KEPT = {  # inside of what, which elements
    "mujoco": {"compiler", "default", "asset", "worldbody"},
    "asset": {"material"},
    "default": {"default", "geom", "material"},
    **{tag: {"body", "frame", "replicate", "geom"} for tag in LIKE_BODY},
}
_LOST = {
    "compiler": {"meshdir", "assetdir", "texturedir", "strippath", "discardvisual", "settotalmass", "inertiafromgeom"},
    "geom": {"mesh", "hfield", "user", "mass", "density", "fluidshape", "fluidcoef", "shellinertia", "fitscale"},
    "material": {"texture", "user"},
    "body": {"user", "mocap", "gravcomp", "sleep"},
}
_NOT_DRAWN = ("plane", "hfield", "sdf")
_MESH = ("name", "file", "vertex", "face", "scale", "refpos", "refquat", "builtin")


class Looks:
    """Copied from the whole tree, which others take apart; `given_to` a model that was made of it."""

    def __init__(self, root: Element, folder: Folder):
        self._root, self._folder = root, folder
        defaults = Defaults(root, "geom", ("type", "mesh"))
        self._geoms = {id(geom): defaults.of(geom, childclass) for geom, childclass in geoms_of(root)}
        self._used: list[str] = []
        """Names of the meshes that geoms show, by their numbers, from 1 on."""
        self._meshes = self._assets()
        self._folders = (setting(root, "meshdir", setting(root, "assetdir", "")), setting(root, "strippath", "false"))
        self._tree = self._copied(root)

    def given_to(self, model: Model) -> Model:
        """`model` with its looks; a warning where they are not understood, for the motion does not depend on them."""
        if not self._geoms:
            return model
        try:
            source = compiled(self._tree, {}, [], self._root)
            return replace(model, looks=looks_of(source, Names(source), lambda g: self._mesh_of(source, g)))
        except LinkwrightError as error:
            return replace(model, warnings=(*model.warnings, f"its looks are left out: {str(error)[:300]}"))

    def _assets(self) -> dict[str, dict[str, Any]]:
        defaults = Defaults(self._root, "mesh", ("scale",))
        found: dict[str, dict[str, Any]] = {}
        for asset in (asset for section in self._root.named("asset") for asset in section if asset.tag == "mesh"):
            told: dict[str, Any] = {k: asset.attributes[k] for k in _MESH if k in asset.attributes}
            told["element"] = asset
            found[told.get("name") or PurePosixPath(told.get("file", "")).stem] = {**defaults.of(asset), **told}
        return found

    def _copied(self, element: Element) -> Element:
        copy = Element(element.tag, dict(element.attributes), element.file, element.line)
        for name in _LOST.get(element.tag, set()) & copy.attributes.keys():
            del copy.attributes[name]
        if element.tag == "compiler":
            copy.attributes["fusestatic"] = "false"  # without joints everything is static
        if id(element) in self._geoms:
            self._stand_in(copy, self._geoms[id(element)])
        for child in element.children:
            told = self._geoms.get(id(child))
            if child.tag not in _KEPT.get(element.tag, ()) or (told and told.get("type") in _NOT_DRAWN):
                continue
            copy.children.append(self._copied(child))
        return copy

    def _stand_in(self, geom: Element, told: dict[str, str]) -> None:
        """A ball for a geom that is made of a mesh, or fitted to one."""
        if "mesh" not in told:
            return
        self._used.append(told["mesh"])
        geom.attributes.update(type="sphere", size="0.001", user=str(len(self._used)))
        geom.attributes.pop("fromto", None)

    def _mesh_of(self, source: Any, g: int) -> dict[str, Any] | None:
        number = int(source.geom_user[g][0]) if source.nuser_geom else 0
        if not number:
            return None
        name = self._used[number - 1]
        asset = self._meshes.get(name)
        if asset is None:
            return {"mesh": f"{name} (no such asset)"}
        written = {k: v for k, v in asset.items() if k != "element"}
        copy = Element("mesh", written, self._root.file, asset["element"].line)
        about, turned = vector(copy, "refpos", (0.0, 0.0, 0.0)), _numbers(copy, "refquat")
        scale = vector(copy, "scale", (1.0, 1.0, 1.0))
        at = Pose.from_quaternion(about, np.roll(turned, -1).tolist() if len(turned) == 4 else (0, 0, 0, 1))
        told: dict[str, Any] = {"inner": at.inverse(), "scale": (scale[0], scale[1], scale[2])}
        if "vertex" in asset:
            faces = _numbers(copy, "face").astype(int).reshape(-1, 3)
            vertices = _numbers(copy, "vertex").reshape(-1, 3)
            return {**told, "mesh": f"{name} (written in the file)", "surface": (vertices, faces)}
        if "file" not in asset:
            return {**told, "mesh": f"{name} (built in)"}
        return {**told, "mesh": asset["file"], "places": self._places(asset["element"], asset["file"])}

    def _places(self, asset: Element, file: str) -> tuple[Path, ...]:
        """In its folder of meshes, or beside the included file that names it; never outside of the model's folder."""
        if self._folder.path is None:
            return ()
        where, strip = self._folders
        name, beside = PurePosixPath(file).name if strip == "true" else file, self._folder.beside(asset)
        places = [self._folder.path / part / name for part in (where, *(() if beside is None else (beside,)))]
        try:
            return tuple(p for p in places if p.resolve().is_relative_to(self._folder.path))
        except (OSError, ValueError, RuntimeError):
            return ()


def _numbers(element: Element, attribute: str) -> np.ndarray:
    try:
        return np.array([float(word) for word in element.attributes.get(attribute, "").split()])
    except ValueError:
        raise element.error(f"{attribute} is not made of numbers") from None
