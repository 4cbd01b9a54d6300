"""An MJCF reduced to what moves and weighs something.

MuJoCo's compiler wants every mesh and texture that is mentioned, and allocates whatever sizes are asked for. None of
that is needed for the dynamics unless a body's inertia is to be computed from its geoms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ...errors import LoadError
from ...model import Model
from ..ignoring import Ignoring, advice
from ..text.xml import Element
from ..text.xml_values import LONGEST_NAME, shortened
from .mjcf_collisions import Colliding, colliding_geoms
from .mjcf_elements import LIKE_BODY, named_elements, parts_of
from .mjcf_stand_ins import Find, MeshCorners, StandIns

# Sections and elements that do not change the motion.
_TAKEN_OUT = {
    "mujoco": {"visual", "statistic", "size", "sensor", "custom", "extension"},
    "deformable": {"skin"},
    "asset": {"texture", "material", "skin", "hfield"},
    "default": {"material", "camera", "light"},
    "body": {"camera", "light"},
}  # fmt: skip
# Actuators that the compiled model tells all about; the others need plugins, or lengths that MuJoCo would simulate.
_ACTUATORS = ("general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder")
# Elements that change the motion and are not understood: the word to ignore them by, and what they are.
_IGNORABLE = {
    "plugin": ("plugin", "plugins are not understood"),
    "flex": ("deformable", "deformable bodies are not understood"),
    "flexcomp": ("deformable", "deformable bodies are not understood"),
    "composite": ("composite", "composite bodies are not understood"),
}
_REFUSED = {
    "attach": "models attached from other files are not read; load it with mujoco and pass its MjModel",
    "model": "models attached from other files are not read; load it with mujoco and pass its MjModel",
}
_LOST_ATTRIBUTES = {"material", "user"}
_MAX_COPIES = 10_000  # bodies that <replicate> may make


@dataclass
class Reduced:
    root: Element
    files: dict[str, tuple[Element, str, str]]
    """Meshes that a mass depends on: the name that MuJoCo is told -> who asks, in which folder, and for what."""
    elements: dict[tuple[str, str], Element]
    """(tag, name) -> element, for errors."""
    warnings: list[str]
    motors: list[str]
    stand_ins: StandIns
    """For geoms whose contact is only watched."""

    def annotated(self, model: Model) -> Model:
        """With what is known from the parts that were taken out."""
        known = {joint.name for joint in model.joints}
        motors = tuple(name for name in dict.fromkeys(self.motors) if name in known)
        return replace(model, warnings=(*self.warnings, *model.warnings), motors=motors)


FindMesh = Callable[[Element, str, str], Path]
"""The file that an element asks for, in which folder, by which name; raises `LoadError` where there is none."""


def reduce_to_dynamics(root: Element, ignore: Ignoring, find: FindMesh, meshes: bool = False) -> Reduced:
    """Takes `root` apart; it is not to be used afterwards. With `meshes` those that can be touched are kept."""
    warnings: list[str] = []
    motors = _actuators(root, ignore)
    root.children = [section for section in root if section.tag not in _TAKEN_OUT["mujoco"]]
    _leave_out(root, ignore)
    everything = list(_walk(root))
    for element, _ in everything:
        if element.tag in _REFUSED and not (element.tag == "model" and "file" not in element.attributes):
            raise element.error(f"<{element.tag}> cannot be read: {_REFUSED[element.tag]}")
        for name, value in element.attributes.items():
            if name == "name" and len(value) > LONGEST_NAME:
                raise element.error(f"name {shortened(value)!r} has {len(value)} characters; at most {LONGEST_NAME}")
            if name != "name" and _has_nan(value):  # MuJoCo would only warn
                raise element.error(f"{name} has {shortened(value)!r}; expected finite numbers")
    _check_copies(root)
    wrapped = {e.attributes["geom"] for e, _ in everything if e.tag == "geom" and "geom" in e.attributes}
    from_geoms = setting(root, "inertiafromgeom", "auto")
    # all bodies share a total mass, those that stand too
    shared = not setting(root, "settotalmass", "-1").startswith("-")
    colliding = _colliding(root, ignore, find, meshes)
    stand_ins = StandIns()
    before = _geom_names(root)
    weighing = _take_out(root, from_geoms, wrapped, colliding, stand_ins, only_moving=not shared)
    _take_out_pairs_of(before - _geom_names(root), root)
    files = _asset_files(root, weighing)
    return Reduced(root, files, named_elements(root), warnings, motors, stand_ins)


def _walk(root: Element) -> Iterator[tuple[Element, Element | None]]:
    waiting: list[tuple[Element, Element | None]] = [(root, None)]
    while waiting:
        element, parent = waiting.pop()
        yield element, parent
        waiting.extend((child, element) for child in reversed(element.children))


def _has_nan(text: str) -> bool:
    """Whether a text is numbers, of which one is none."""
    if "nan" not in text.lower():
        return False
    try:
        return any(math.isnan(float(word)) for word in text.split())
    except ValueError:
        return False


def _leave_out(root: Element, ignore: Ignoring) -> None:
    """Take out what is not understood and is to be ignored; refuse it otherwise.

    A geom or a mesh that a plugin makes is nothing without it, so it goes too.
    """
    waiting = [root]
    while waiting:
        element = waiting.pop()
        kept = []
        for child in element.children:
            unknown = child if child.tag in _IGNORABLE else None
            if child.tag in ("geom", "mesh"):
                unknown = next((part for part in child if part.tag == "plugin"), None)
            if unknown is None:
                kept.append(child)
                continue
            word, why = _IGNORABLE[unknown.tag]
            name = child.attributes.get("name", unknown.attributes.get("plugin"))
            if not ignore.takes(word, f"{_called(child.tag, name)} on line {child.line}"):
                raise unknown.error(f"{_called(unknown.tag, name)} cannot be read: {why}{advice(word)}")
        element.children = kept
        waiting.extend(reversed(kept))


def _actuators(root: Element, ignore: Ignoring) -> list[str]:
    """The joints that have a motor. Takes out actuators that are not understood, and with them commands and
    activations of keyframes, which then fit no longer."""
    motors, lost = [], False
    for section in root.named("actuator"):
        kept = []
        for element in section:
            motors += [element.attributes[key] for key in ("joint", "jointinparent") if key in element.attributes]
            if element.tag in _ACTUATORS:
                kept.append(element)
                continue
            called = _called(element.tag, element.attributes.get("name"))
            if not ignore.takes("actuator", f"{called} on line {element.line}"):
                why = f"understood are {', '.join(_ACTUATORS)}"
                raise element.error(f"actuator {called} cannot be read: {why}{advice('actuator')}")
            lost = True
        section.children = kept
    for key in (element for section in root.named("keyframe") for element in section if lost):
        for attribute in ("act", "ctrl"):
            if key.attributes.pop(attribute, None):
                ignore.takes("actuator", f"{attribute} of keyframe {shortened(key.attributes.get('name', ''))!r}")
    return motors


def _called(tag: str, name: str | None) -> str:
    return f"<{tag}>" if not name else f"<{tag}> {shortened(name)!r}"


def _check_copies(root: Element) -> None:
    """<replicate> makes copies, and may stand within another."""
    waiting = [(root, 1)]
    while waiting:
        element, copies = waiting.pop()
        if element.tag == "replicate":
            text = element.attributes.get("count", "1").strip()
            if not text.isascii() or not text.isdigit() or int(text[:9]) * copies > _MAX_COPIES or len(text) > 9:
                raise element.error(f"count is {shortened(text)!r}; expected at most {_MAX_COPIES} copies in all")
            copies *= max(int(text), 1)
        waiting.extend((child, copies) for child in element)


def setting(root: Element, name: str, default: str) -> str:
    """An attribute of <compiler>; the last one counts."""
    found = [c.attributes[name] for c in root.named("compiler") if name in c.attributes]
    return found[-1].strip() if found else default


def _take_out(
    root: Element, from_geoms: str, wrapped: set[str], colliding: Colliding, stand_ins: StandIns, *, only_moving: bool
) -> set[str]:
    """Remove what has no part in the dynamics; boxes stand in for geoms that are only watched. Returns the meshes that
    masses depend on."""
    meshes: set[str] = set()
    kept_to_touch = {id(geom) for geom in colliding.kept}
    replaced: list[Element] = []
    # (element, the body that its geoms belong to, whether that body can move)
    waiting: list[tuple[Element, Any, bool]] = [(root, None, False)]  # geoms are in bodies, so none meets the None
    while waiting:
        element, body, moves = waiting.pop()
        if element.tag in ("body", "worldbody"):
            body, moves = element, moves or any(part.tag in ("joint", "freejoint") for part in parts_of(element))
        for name in _LOST_ATTRIBUTES & element.attributes.keys():
            del element.attributes[name]
        role = "body" if element.tag in LIKE_BODY else element.tag
        out = _TAKEN_OUT.get(role, ())
        kept = []
        for child in element.children:
            if child.tag in out:
                continue
            if child.tag == "geom" and role == "body" and child.attributes.get("name") not in wrapped:
                stands = only_moving and not moves
                if stands or not _weighs(body, from_geoms) or child.attributes.get("type") == "hfield":
                    if id(child) in colliding.watched:
                        replaced.append(child)
                    elif id(child) not in kept_to_touch:
                        continue
                    if stands:  # it is there to be touched, and weighs nothing
                        child.attributes["mass"] = "0"
            kept.append(child)
        element.children = kept
        waiting.extend((child, body, moves) for child in kept)
    for geom in replaced:  # not before: the numbers they have would be taken out
        stand_ins.put_in(geom, *colliding.watched[id(geom)])
    for element, _ in _walk(root):
        if element.tag == "geom" and "mesh" in element.attributes:
            meshes.add(element.attributes["mesh"])
    return meshes


def _colliding(root: Element, ignore: Ignoring, find: FindMesh, meshes: bool) -> Colliding:
    """Geoms to be kept because they collide, and what is watched in place of others."""
    folder = setting(root, "meshdir", setting(root, "assetdir", ""))
    strip = setting(root, "strippath", "false") == "true"

    def file_of(asset: Element) -> Path:
        file = asset.attributes.get("file", "")
        return find(asset, folder, PurePosixPath(file).name if strip else file)

    found = colliding_geoms(root, MeshCorners(root, file_of), _meshes_there(root, file_of) if meshes else set())
    every = len(found.kept) + len(found.watched) + len(found.unread)
    if every and ignore.takes("contact", f"{every} geoms that collide"):
        root.children = [section for section in root if section.tag != "contact"]
        return Colliding()
    for what, why in found.unread:
        told = f"its mesh cannot be read, and nothing tells where it touches: {why}"
        ignore.leave("contact", f"contact of {what}", told)
    return found


def _meshes_there(root: Element, find: Find) -> set[str]:
    """Names of meshes that can be read: written in the file itself, or in files that are there."""
    found = set()
    for asset in (asset for section in root.named("asset") for asset in section if asset.tag == "mesh"):
        file = asset.attributes.get("file", "")
        if "vertex" not in asset.attributes:
            try:
                find(asset)
            except LoadError:
                continue
        found.add(asset.attributes.get("name") or PurePosixPath(file).stem)
    return found


def _geom_names(root: Element) -> set[str]:
    geoms = (element for element, _ in _walk(root) if element.tag == "geom")
    return {geom.attributes["name"] for geom in geoms if "name" in geom.attributes}


def _take_out_pairs_of(geoms: set[str], root: Element) -> None:
    """Contacts with geoms that were taken out; those with geoms that never were are for MuJoCo to refuse."""
    for section in root.named("contact"):
        section.children = [
            child
            for child in section
            if child.tag != "pair" or not {child.attributes.get("geom1"), child.attributes.get("geom2")} & geoms
        ]


def _weighs(body: Element, from_geoms: str) -> bool:
    """Whether a body's inertia comes from its geoms."""
    if from_geoms == "false":
        return False
    return from_geoms == "true" or not body.named("inertial")


def _asset_files(root: Element, meshes: set[str]) -> dict[str, tuple[Element, str, str]]:
    """Keep the meshes that are needed, under names of our own; drop the others."""
    folder = setting(root, "meshdir", setting(root, "assetdir", ""))
    strip = setting(root, "strippath", "false") == "true"
    for compiler in root.named("compiler"):
        for name in ("meshdir", "assetdir", "texturedir", "strippath", "discardvisual"):
            compiler.attributes.pop(name, None)
    files: dict[str, tuple[Element, str, str]] = {}
    for section in root.named("asset"):
        kept = []
        for asset in section:
            file = asset.attributes.get("file", "")
            name = asset.attributes.get("name") or PurePosixPath(file).stem
            if asset.tag == "mesh":
                if name not in meshes:
                    continue
                if "builtin" in asset.attributes:
                    raise asset.error(f"mesh {shortened(name)!r} is built in; a mass that depends on it is not read")
                if file:
                    key = f"{len(files)}{PurePosixPath(file).suffix[:8]}"
                    files[key] = (asset, folder, PurePosixPath(file).name if strip else file)
                    asset.attributes.update(name=name, file=key)
            kept.append(asset)
        section.children = kept
    return files
