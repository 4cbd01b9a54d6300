"""Scenes of the MuJoCo Menagerie, robot and floor, by short names: where somebody has them on disk.

Nothing is downloaded. A scene is looked for in the folder that `LINKWRIGHT_MENAGERIE` names, as the Menagerie has it
(unitree_go2/scene.xml) or as a file of its own (unitree_go2.xml); so is whatever else that folder has, by its own name.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ..errors import InputError

_NAME = re.compile(r"[A-Za-z0-9_]{1,100}")  # no path
FOLDER_VARIABLE = "LINKWRIGHT_MENAGERIE"
MENAGERIE = {
    "go1": "unitree_go1", "go2": "unitree_go2", "a1": "unitree_a1", "anymal_c": "anybotics_anymal_c",
    "g1": "unitree_g1", "cassie": "agility_cassie",
}  # fmt: skip


def scene_file(name: str, folder: str | os.PathLike[str] | None = None) -> Path:
    """The MJCF file that is meant by a short name, or by that of a robot in `folder` or where the variable says; or by
    its own path."""
    place = folder or os.environ.get(FOLDER_VARIABLE)
    if name not in MENAGERIE:
        return (_scene_of(Path(place) / name) if place and _NAME.fullmatch(name) else None) or Path(name)
    advice = f"give a file, or set {FOLDER_VARIABLE} to a folder of the MuJoCo Menagerie"
    if not place:
        raise InputError(f"{name!r} is a scene of the MuJoCo Menagerie, and where that is was not said: {advice}")
    base = Path(place) / MENAGERIE[name]
    found = _scene_of(base)
    if found is None:
        raise InputError(f"{str(place)!r} has neither {MENAGERIE[name]}/scene.xml nor {MENAGERIE[name]}.xml: {advice}")
    return found


def has_scene(name: str) -> bool:
    """Whether there is one where the variable says."""
    place = os.environ.get(FOLDER_VARIABLE)
    known = _NAME.fullmatch(name) is not None
    return bool(place and known and _scene_of(Path(place) / MENAGERIE.get(name, name)))


def _scene_of(base: Path) -> Path | None:
    return next((path for path in (base / "scene.xml", base.with_suffix(".xml")) if path.is_file()), None)
