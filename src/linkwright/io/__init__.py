"""Files and other libraries' models into ours, and back. Readers and writers are imported when they are first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .load import load

if TYPE_CHECKING:
    from .mjcf.mjcf_reader import read_mjcf
    from .mjcf.mjcf_writer import to_mjcf
    from .mujoco.mujoco_model import from_mujoco_model
    from .mujoco.mujoco_state import MujocoCoordinates, from_mujoco, to_mujoco
    from .pinocchio.pinocchio_model import from_pinocchio, from_pinocchio_model, pinocchio_model, to_pinocchio
    from .saving import save
    from .sdf.sdf_reader import read_sdf
    from .urdf.urdf_reader import read_urdf

_PUBLIC = {
    "mjcf.mjcf_reader": "read_mjcf",
    "mjcf.mjcf_writer": "to_mjcf",
    "mujoco.mujoco_model": "from_mujoco_model",
    "mujoco.mujoco_state": "MujocoCoordinates from_mujoco to_mujoco",
    "pinocchio.pinocchio_model": "from_pinocchio from_pinocchio_model pinocchio_model to_pinocchio",
    "saving": "save",
    "sdf.sdf_reader": "read_sdf",
    "urdf.urdf_reader": "read_urdf",
}
_HOME = {name: module for module, names in _PUBLIC.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


__all__ = [
    "MujocoCoordinates", "from_mujoco", "from_mujoco_model", "from_pinocchio", "from_pinocchio_model", "load",
    "pinocchio_model", "read_mjcf", "read_sdf", "read_urdf", "save", "to_mjcf", "to_mujoco", "to_pinocchio",
]  # fmt: skip
