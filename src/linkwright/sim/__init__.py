"""Simulation: many compiled steps in one call, and what became of energy and constraints meanwhile."""

from .control import PD
from .simulation import simulate
from .simulator import Simulator
from .trajectory import Trajectory

__all__ = ["PD", "Simulator", "Trajectory", "simulate"]
