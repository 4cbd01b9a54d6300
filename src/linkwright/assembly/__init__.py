"""Closed mechanisms: poses and velocities that keep their loops closed, and what their motors do."""

from .closed_configuration import project_configuration
from .inverse_dynamics import MotorTorques, inverse_dynamics
from .motors import MotorMap, closed_loop_jacobian
from .state import StateCheck, check_state
from .velocity import project_velocity

__all__ = [
    "MotorMap", "MotorTorques", "StateCheck", "check_state", "closed_loop_jacobian", "inverse_dynamics",
    "project_configuration", "project_velocity",
]  # fmt: skip
