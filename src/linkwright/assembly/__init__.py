"""Closed mechanisms: poses and velocities that keep their loops closed, and what their motors do."""

from .configuration import project_configuration
from .state import StateCheck, check_state
from .velocity import project_velocity

__all__ = ["StateCheck", "check_state", "project_configuration", "project_velocity"]
