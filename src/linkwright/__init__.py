"""Linkwright: dynamics of rigid-body mechanisms, written once in Python, compiled to machine code for one robot.

Names are imported when they are first used: `import linkwright` takes some milliseconds, loading a model does not bring
the compiler along, and llvmlite waits for the first compiled function.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import viewer
    from .algorithms.contact.watching import overlapping_pairs, watch, watched_pairs
    from .analysis import inspect
    from .analysis.base_parameters import base_parameters
    from .analysis.cut_joints import cheapest_cut
    from .analysis.mobility_at_pose import mobility
    from .assembly import (
        MotorMap,
        check_state,
        closed_loop_jacobian,
        project_configuration,
        project_velocity,
    )
    from .assembly.inverse_dynamics import inverse_dynamics
    from .assembly.inverse_kinematics import inverse_kinematics
    from .codegen.saved_function import load_function
    from .codegen.spare_results import release_results
    from .compilation import compile, reference, trace_program
    from .derivatives import hessian_vector, jacobian, jvp, vjp
    from .errors import LinkwrightError, LinkwrightWarning, NoConvergence, SimulationError
    from .export import export_c, export_casadi
    from .factored_delassus import delassus_operator
    from .io import from_mujoco, from_pinocchio, save, to_mujoco, to_pinocchio
    from .io.load import load
    from .io.meshes.mesh_hull import hull
    from .model import GraphBuilder, Inertia, Joint, Model, ModelBuilder, NotComputed, Pose, SimulationDefaults
    from .model.actuators import actuator, damper, motor, position_servo, velocity_servo
    from .model.constraints import center_of_mass, close_with, connect, constrain, couple, transmission, weld
    from .model.constraints.rod import rod
    from .model.contact import box, capsule, contact, convex, cylinder, ellipsoid, plane, sphere
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
    from .physics import DormandPrince, Leapfrog
    from .programs.functions import explicit, implicit, universal_transmission
    from .referee import solve_kkt
    from .robots import robots as list_robots
    from .rollouts import RolledOut, open_rollout, rollout
    from .sim import PD, Simulator, Trajectory, simulate
    from .viewer.showing import show

__version__ = "0.1.0"

# Where the public names are; the same as above, for the interpreter (tests/test_public_names.py compares them).
_PUBLIC = {
    "algorithms.contact.watching": "overlapping_pairs watch watched_pairs",
    "analysis": "inspect",
    "analysis.base_parameters": "base_parameters",
    "analysis.cut_joints": "cheapest_cut",
    "analysis.mobility_at_pose": "mobility",
    "assembly": "MotorMap check_state closed_loop_jacobian project_configuration project_velocity",
    "assembly.inverse_dynamics": "inverse_dynamics",
    "assembly.inverse_kinematics": "inverse_kinematics",
    "codegen.saved_function": "load_function",
    "codegen.spare_results": "release_results",
    "compilation": "compile reference trace_program",
    "factored_delassus": "delassus_operator",
    "derivatives": "hessian_vector jacobian jvp vjp",
    "export": "export_c export_casadi",
    "errors": "LinkwrightError LinkwrightWarning NoConvergence SimulationError",
    "io": "from_mujoco from_pinocchio save to_mujoco to_pinocchio",
    "io.load": "load",
    "io.meshes.mesh_hull": "hull",
    "model": "GraphBuilder Inertia Joint Model ModelBuilder NotComputed Pose SimulationDefaults",
    "model.actuators": "actuator damper motor position_servo velocity_servo",
    "model.constraints": "center_of_mass close_with connect constrain couple transmission weld",
    "model.constraints.rod": "rod",
    "model.contact": "box capsule contact convex cylinder ellipsoid plane sphere",
    "model.editing": "attach lock_joints",
    "model.joint": "continuous cylindrical fixed free_flyer helical planar prismatic revolute spherical translational "
    "universal",
    "model.loops": "loops",
    "model.parameters": "default_parameters",
    "model.transmissions": "differential gear parallel_belts",
    "physics": "DormandPrince Leapfrog",
    "programs.functions": "explicit implicit universal_transmission",
    "referee": "solve_kkt",
    "robots": "list_robots",
    "rollouts": "RolledOut open_rollout rollout",
    "sim": "PD Simulator Trajectory simulate",
    "viewer.showing": "show",
}
_HOME = {name: module for module, names in _PUBLIC.items() for name in names.split()}
_CALLED_ELSEWHERE = {"list_robots": "robots"}
_MODULES = (
    "algorithms", "analysis", "assembly", "bench", "cli", "codegen", "compilation", "derivatives", "errors",
    "envs", "export", "fixed_order", "io", "jax", "learning", "live", "model", "physics", "programs", "referee",
    "robots", "rollouts", "scalar", "sim", "spatial", "torch", "trace", "viewer",
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), _CALLED_ELSEWHERE.get(name, name))
        globals()[name] = value
        return value
    if name in _MODULES:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME, *_MODULES})


def list_algorithms() -> dict[str, str]:
    """Names that `compile` and `reference` know, with what each computes."""
    from .physics import RECIPES

    return {name: recipe.summary for name, recipe in RECIPES.items()}


__all__ = [
    "PD", "DormandPrince", "GraphBuilder", "Inertia", "Joint", "Leapfrog", "LinkwrightError", "LinkwrightWarning",
    "Model", "ModelBuilder",
    "MotorMap", "NoConvergence", "NotComputed", "Pose", "RolledOut", "SimulationDefaults", "SimulationError",
    "Simulator", "Trajectory", "actuator", "attach",
    "base_parameters", "box", "capsule",
    "center_of_mass", "cheapest_cut", "check_state", "close_with",
    "closed_loop_jacobian", "compile", "connect", "constrain", "contact", "continuous", "convex", "couple", "cylinder",
    "cylindrical", "damper",
    "default_parameters", "delassus_operator", "differential", "ellipsoid", "explicit", "export_c", "export_casadi",
    "fixed", "free_flyer", "from_mujoco", "from_pinocchio", "gear",
    "helical", "hessian_vector", "hull", "implicit", "inspect", "inverse_dynamics",
    "inverse_kinematics", "jacobian", "jvp", "list_algorithms",
    "list_robots", "load", "load_function", "lock_joints",
    "loops", "mobility", "motor", "open_rollout", "overlapping_pairs", "parallel_belts", "planar", "plane",
    "position_servo", "prismatic",
    "project_configuration", "project_velocity",
    "reference", "release_results", "revolute", "rod", "rollout", "save", "show", "simulate", "solve_kkt", "sphere",
    "spherical",
    "to_mujoco", "to_pinocchio",
    "trace_program", "translational", "transmission", "universal", "universal_transmission", "velocity_servo",
    "viewer", "vjp",
    "watch", "watched_pairs", "weld",
]  # fmt: skip
