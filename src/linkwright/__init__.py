"""Linkwright: dynamics of rigid-body mechanisms, written once in Python, compiled to machine code for one robot."""

from .compilation import compile, reference, trace_program
from .errors import LinkwrightError
from .io import from_pinocchio, load, save, to_pinocchio
from .model import Inertia, Joint, Model, ModelBuilder, Pose
from .model.constraints import center_of_mass, close_with, connect, constrain, couple, rod, transmission, weld
from .model.editing import attach, lock_joints
from .model.joint import (
    continuous,
    cylindrical,
    fixed,
    free_flyer,
    helical,
    planar,
    prismatic,
    revolute,
    spherical,
    translational,
    universal,
)
from .model.parameters import default_parameters
from .model.transmissions import differential, gear, parallel_belts
from .programs import RECIPES
from .programs.functions import explicit, implicit, universal_transmission
from .referee import solve_kkt
from .robots import robots as list_robots

__version__ = "0.1.0"


def list_algorithms() -> dict[str, str]:
    """Names that `compile` and `reference` know, with what each computes."""
    return {name: recipe.summary for name, recipe in RECIPES.items()}


__all__ = [
    "Inertia", "Joint", "LinkwrightError", "Model", "ModelBuilder", "Pose", "attach", "center_of_mass", "close_with",
    "compile", "connect", "constrain", "continuous", "couple", "cylindrical", "default_parameters", "differential",
    "explicit", "fixed", "free_flyer", "from_pinocchio", "gear", "helical", "implicit", "list_algorithms",
    "list_robots", "load", "lock_joints", "parallel_belts", "planar", "prismatic", "reference", "revolute", "rod",
    "save", "solve_kkt", "spherical", "to_pinocchio", "trace_program", "translational", "transmission", "universal",
    "universal_transmission", "weld",
]  # fmt: skip
