"""Files and other libraries' models into ours, and back."""

from .load import load
from .mjcf import read_mjcf
from .mjcf_writer import to_mjcf
from .mujoco_model import from_mujoco_model
from .mujoco_state import MujocoCoordinates, from_mujoco, to_mujoco
from .pinocchio import from_pinocchio, from_pinocchio_model, pinocchio_model, to_pinocchio
from .saving import save
from .sdf import read_sdf
from .urdf import read_urdf

__all__ = [
    "MujocoCoordinates", "from_mujoco", "from_mujoco_model", "from_pinocchio", "from_pinocchio_model", "load",
    "pinocchio_model", "read_mjcf", "read_sdf", "read_urdf", "save", "to_mjcf", "to_mujoco", "to_pinocchio",
]  # fmt: skip
