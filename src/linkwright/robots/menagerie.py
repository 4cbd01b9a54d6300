"""Scenes of the MuJoCo Menagerie, robot and floor, by short names: where somebody has them on disk.

Nothing is downloaded. A scene is looked for in the folder that `LINKWRIGHT_MENAGERIE` names, as the Menagerie has it
(unitree_go2/scene.xml) or as a file of its own (unitree_go2.xml).
"""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import InputError

FOLDER_VARIABLE = "LINKWRIGHT_MENAGERIE"
MENAGERIE = {
    "go1": "unitree_go1", "go2": "unitree_go2", "a1": "unitree_a1", "anymal_c": "anybotics_anymal_c",
    "g1": "unitree_g1", "cassie": "agility_cassie",
}  # fmt: skip


def scene_file(name: str, folder: str | os.PathLike[str] | None = None) -> Path:
    """The MJCF file that is meant by a short name, in `folder` or where the variable says; or by its own path."""
    if name not in MENAGERIE:
        return Path(name)
    place = folder or os.environ.get(FOLDER_VARIABLE)
    advice = f"give a file, or set {FOLDER_VARIABLE} to a folder of the MuJoCo Menagerie"
    if not place:
        raise InputError(f"{name!r} is a scene of the MuJoCo Menagerie, and where that is was not said: {advice}")
    base = Path(place) / MENAGERIE[name]
    found = next((path for path in (base / "scene.xml", base.with_suffix(".xml")) if path.is_file()), None)
    if found is None:
        raise InputError(f"{str(place)!r} has neither {MENAGERIE[name]}/scene.xml nor {MENAGERIE[name]}.xml: {advice}")
    return found
