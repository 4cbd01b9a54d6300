"""Closures that stand in a YAML file beside a URDF, as collections of parallel robots have them.

    closed_loop: [[frameA, frameB], ...]      two frames that stay together,
    type: ["3d" | "6d", ...]                  in their origins or entirely
    name_mot: [...]                           joints that have a motor
    joint_name: [...]                         joints of the URDF that are of another kind:
    joint_type: [SPHERICAL | FIXED | UJOINT_XY | ...]
"""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...errors import LinkwrightError, LoadError, unknown_name
from ...model import Joint, Model
from ...model.constraints import Constraint, connect, weld
from ..text.yaml_subset import YamlValue, read_yaml

_ENTRIES = ("closed_loop", "type", "name_mot", "joint_name", "joint_type")
_UNIVERSAL = "UJOINT_"


@dataclass(frozen=True)
class Closures:
    """What the file says."""

    loops: tuple[tuple[str, str, str], ...]
    """First frame, second frame, "3d" or "6d"."""
    motors: tuple[str, ...]
    kinds: dict[str, str]
    file: object
    lines: dict[str, int]

    def replaced(self, joint: Joint) -> Joint:
        """The joint as the file wants it."""
        word = self.kinds.get(joint.name)
        if word is None:
            return joint
        if word.startswith(_UNIVERSAL):
            first, second = tuple(word[len(_UNIVERSAL) :].lower())
            return Joint(name=joint.name, kind="universal", axis=first, second_axis=second)
        return Joint(name=joint.name, kind=word.lower(), axis="z", second_axis="y")

    def check_joints(self, known: Container[str]) -> None:
        for name in self.kinds:
            if name not in known:
                raise self._error("joint_name", f"no joint of the URDF is named {name!r}")

    def applied(self, model: Model) -> Model:
        """The model with its loops closed and its motors known."""
        known = [joint.name for joint in model.joints]
        for name in self.motors:
            if name not in known:
                raise self._error("name_mot", str(unknown_name("joint", name, known)))
        try:
            model = model.with_constraints(*(self._closure(model, k) for k in range(len(self.loops))))
        except LoadError:
            raise
        except LinkwrightError as error:
            raise self._error("closed_loop", str(error)) from None
        return replace(model, motors=self.motors)

    def _closure(self, model: Model, k: int) -> Constraint:
        first, second, how = self.loops[k]
        if model.frame(first).body == 0:
            first, second = second, first
        return (connect if how == "3d" else weld)(first, second, name=f"loop_{k}:{first}")

    def _error(self, entry: str, message: str) -> LoadError:
        return LoadError(f"{entry}: {message}", file=self.file, line=self.lines[entry])


def read_closures(data: bytes, file: object) -> Closures | None:
    """None if the file is about something else."""
    if not re.search(rb"^closed_loop\s*:", data, re.MULTILINE):
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LoadError(f"not valid text: {error}", file=file) from None
    entries = read_yaml(text, file=file)
    if "closed_loop" not in entries:  # it stands within something else
        return None
    for name, entry in entries.items():
        if name not in _ENTRIES:
            known = ", ".join(_ENTRIES)
            raise LoadError(f"entry {name!r} is not understood; known: {known}", file=file, line=entry.line)
    loops, types = _pairs(entries["closed_loop"], file), _words(entries.get("type"), "type", file)
    if len(types) != len(loops):
        where = entries["closed_loop"].line
        raise LoadError(f"type has {len(types)} words for {len(loops)} loops", file=file, line=where)
    for word in types:
        if word.lower() not in ("3d", "6d"):
            raise LoadError(f"type has {word[:40]!r}; expected 3d or 6d", file=file, line=entries["type"].line)
    names, kinds = (_words(entries.get(key), key, file) for key in ("joint_name", "joint_type"))
    if len(names) != len(kinds):
        where = next(entries[key].line for key in ("joint_type", "joint_name") if key in entries)
        raise LoadError(f"{len(names)} joint names but {len(kinds)} joint types", file=file, line=where)
    for word in kinds:
        if word not in ("SPHERICAL", "FIXED") and not _is_universal(word):
            expected = "SPHERICAL, FIXED or e.g. UJOINT_XY"
            where = entries["joint_type"].line
            raise LoadError(f"joint_type has {word[:40]!r}; expected {expected}", file=file, line=where)
    closed = tuple((a, b, word.lower()) for (a, b), word in zip(loops, types, strict=True))
    lines = {name: entry.line for name, entry in entries.items()}
    motors = tuple(_words(entries.get("name_mot"), "name_mot", file))
    return Closures(closed, motors, dict(zip(names, kinds, strict=True)), file, lines)


def beside(path: Path) -> list[Path]:
    """Where such a file may be for a URDF: of the same name, or robot.yaml."""
    return [path.with_suffix(".yaml"), path.with_name("robot.yaml")]


def _is_universal(word: str) -> bool:
    axes = word[len(_UNIVERSAL) :]
    return word.startswith(_UNIVERSAL) and len(axes) == 2 and len(set(axes)) == 2 and set(axes) <= set("XYZ")


def _words(entry: YamlValue | None, name: str, file: object) -> list[str]:
    if entry is None or entry.value == "":
        return []
    value = entry.value
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise LoadError(f"{name} is not a list of words", file=file, line=entry.line)
    return value


def _pairs(entry: YamlValue, file: object) -> list[list[str]]:
    value: Any = entry.value
    fine = isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) and name for name in pair)
        for pair in value
    )
    if not fine:
        raise LoadError("closed_loop is not a list of pairs of frames", file=file, line=entry.line)
    return value
