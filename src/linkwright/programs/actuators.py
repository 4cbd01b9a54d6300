"""`actuation`: what the model's actuators do to its joints."""

from __future__ import annotations

from ..algorithms.parts.actuator_forces import activation_rates, actuator_forces, joint_torques
from ..algorithms.parts.motor_limits import within_effort
from ..errors import InputError
from ..model import Model, Tree
from .recipe import Recipe


def _evaluate(tree: Tree, x, options):
    model = tree.model
    forces = actuator_forces(tree, x["q"], x["v"], x["ctrl"], x["act"], x["dt"][()])
    driven = joint_torques(model, forces)
    if options["effort_limits"]:
        driven = within_effort(model, driven)
    return {
        "tau": driven.torque, "actuator_force": [one.force for one in forces], "act_rate": activation_rates(forces),
    }  # fmt: skip


def _check_options(model: Model, options) -> None:
    if not isinstance(options["effort_limits"], bool):
        raise InputError(f"effort_limits is {options['effort_limits']!r}; expected True or False")


ACTUATORS = (
    Recipe(
        "actuation", "joint torques and forces of the model's actuators", ("q", "v", "ctrl", "act", "dt"),
        ("tau", "actuator_force", "act_rate"), _evaluate, default_outputs=("tau",), options={"effort_limits": True},
        check_options=_check_options, reads_inertias=False, takes_actuators=lambda options: True,
    ),
)  # fmt: skip
