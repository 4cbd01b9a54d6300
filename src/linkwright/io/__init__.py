"""Files and other libraries' models into ours, and back."""

from .json import save
from .load import load
from .pinocchio import from_pinocchio, from_pinocchio_model, pinocchio_model, to_pinocchio
from .urdf import read_urdf

__all__ = ["from_pinocchio", "from_pinocchio_model", "load", "pinocchio_model", "read_urdf", "save", "to_pinocchio"]
