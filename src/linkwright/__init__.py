"""Linkwright: dynamics of rigid-body mechanisms, written once in Python, compiled to machine code for one robot."""

from . import viewer
from .assembly import (
    MotorMap,
    check_state,
    closed_loop_jacobian,
    inverse_dynamics,
    project_configuration,
    project_velocity,
)
from .compilation import compile, reference, trace_program
from .delassus_operator import delassus_operator
from .errors import LinkwrightError, NoConvergence, SimulationError
from .inspection import inspect
from .io import from_mujoco, from_pinocchio, load, save, to_mujoco, to_pinocchio
from .mobility_analysis import mobility
from .model import GraphBuilder, Inertia, Joint, Model, ModelBuilder, Pose
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
from .model.loops import loops
from .model.parameters import default_parameters
from .model.transmissions import differential, gear, parallel_belts
from .programs import RECIPES
from .programs.functions import explicit, implicit, universal_transmission
from .referee import solve_kkt
from .robots import robots as list_robots
from .sim import PD, Simulator, Trajectory, simulate

__version__ = "0.1.0"


def list_algorithms() -> dict[str, str]:
    """Names that `compile` and `reference` know, with what each computes."""
    return {name: recipe.summary for name, recipe in RECIPES.items()}


__all__ = [
    "PD", "GraphBuilder", "Inertia", "Joint", "LinkwrightError", "Model", "ModelBuilder", "MotorMap", "NoConvergence",
    "Pose", "SimulationError", "Simulator", "Trajectory", "attach", "center_of_mass", "check_state", "close_with",
    "closed_loop_jacobian", "compile", "connect", "constrain", "continuous", "couple", "cylindrical",
    "default_parameters", "delassus_operator", "differential", "explicit", "fixed", "free_flyer", "from_mujoco",
    "from_pinocchio", "gear",
    "helical", "implicit", "inspect", "inverse_dynamics", "list_algorithms", "list_robots", "load", "lock_joints",
    "loops", "mobility", "parallel_belts", "planar", "prismatic", "project_configuration", "project_velocity",
    "reference", "revolute", "rod", "save", "simulate", "solve_kkt", "spherical", "to_mujoco", "to_pinocchio",
    "trace_program", "translational", "transmission", "universal", "universal_transmission", "viewer", "weld",
]  # fmt: skip
