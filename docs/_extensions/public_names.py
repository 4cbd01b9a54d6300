"""Directive `{public-names}`: the reference of everything in `linkwright.__all__`, by what it is for.

The grouping is below; a public name that is in no group, or a group's name that is not public, stops the build.
"""

from __future__ import annotations

import inspect

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective
from sphinx.util.parsing import nested_parse_to_nodes

import linkwright

GROUPS = {
    "loading": "load save list_robots list_algorithms from_pinocchio to_pinocchio from_mujoco to_mujoco",
    "building": "Model ModelBuilder GraphBuilder Joint Inertia NotComputed Pose attach lock_joints default_parameters",
    "joints": "revolute continuous prismatic helical cylindrical universal spherical planar translational "
    "free_flyer fixed",
    "constraints": "weld connect close_with rod couple transmission gear differential parallel_belts "
    "universal_transmission explicit implicit center_of_mass constrain",
    "contact": "contact sphere box capsule cylinder ellipsoid convex hull plane watched_pairs overlapping_pairs",
    "actuating": "actuator motor position_servo velocity_servo damper",
    "computing": "compile reference trace_program delassus_operator solve_kkt jacobian jvp vjp hessian_vector "
    "load_function release_results export_c export_casadi",
    "simulating": "simulate PD Leapfrog DormandPrince Simulator Trajectory SimulationDefaults watch "
    "rollout open_rollout RolledOut",
    "assembling": "project_configuration project_velocity check_state MotorMap inverse_dynamics closed_loop_jacobian "
    "inverse_kinematics",
    "analysing": "inspect loops mobility base_parameters cheapest_cut show viewer",
    "errors": "LinkwrightError LinkwrightWarning NoConvergence SimulationError",
}
# What public functions return or raise and is used through them: documented with them, by its full name.
FURTHER = {
    "computing": ("linkwright.codegen.CompiledFunction",),
    "errors": tuple(
        f"linkwright.errors.{name}"
        for name in (
            "InputError", "LoadError", "MissingExtraError", "ModelError", "RolloutError", "RolloutInterrupted",
            "TraceError", "UnsupportedError",
        )
    ),
    "analysing": tuple(
        f"linkwright.viewer.{name}"
        for name in linkwright.viewer.__all__
        if not name.isupper() and name not in linkwright.__all__
    ),
}


def check_complete() -> None:
    grouped = [name for names in GROUPS.values() for name in names.split()]
    difference = set(grouped) ^ set(linkwright.__all__)
    if difference or len(set(grouped)) != len(grouped):
        raise ValueError(f"docs/_extensions/public_names.py and linkwright.__all__ differ by {sorted(difference)}")


class PublicNames(SphinxDirective):
    """The public names of one group."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        check_complete()
        group = self.arguments[0]
        named = [f"linkwright.{name}" for name in GROUPS[group].split() if name != "viewer"]
        lines: list[str] = []
        for path in (*named, *FURTHER.get(group, ())):
            lines += _autodoc(path)
        # autodoc writes reStructuredText, which pages in Markdown have to be told
        block = StringList(["```{eval-rst}", *lines, "```"])
        return nested_parse_to_nodes(self.state, block, offset=self.content_offset)


def _autodoc(path: str) -> list[str]:
    module, name = path.rsplit(".", 1)
    found = getattr(__import__(module, fromlist=[name]), name)
    if inspect.isclass(found):
        return [f".. autoclass:: {path}", "   :members:", ""]
    return [f".. autofunction:: {path}", ""]


def setup(app) -> dict[str, bool]:
    app.add_directive("public-names", PublicNames)
    return {"parallel_read_safe": True}
