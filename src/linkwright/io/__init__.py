"""Files and other libraries' models into ours, and back. Readers and writers are imported when they are first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .load import load

if TYPE_CHECKING:
    from .mjcf import read_mjcf
    from .mjcf_writer import to_mjcf
    from .mujoco_model import from_mujoco_model
    from .mujoco_state import MujocoCoordinates, from_mujoco, to_mujoco
    from .pinocchio import from_pinocchio, from_pinocchio_model, pinocchio_model, to_pinocchio
    from .saving import save
    from .sdf import read_sdf
    from .urdf import read_urdf

_HOME = {
    "MujocoCoordinates": "mujoco_state", "from_mujoco": "mujoco_state", "from_mujoco_model": "mujoco_model",
    "from_pinocchio": "pinocchio", "from_pinocchio_model": "pinocchio", "pinocchio_model": "pinocchio",
    "read_mjcf": "mjcf", "read_sdf": "sdf", "read_urdf": "urdf", "save": "saving", "to_mjcf": "mjcf_writer",
    "to_mujoco": "mujoco_state", "to_pinocchio": "pinocchio",
}  # fmt: skip


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
