"""Mechanisms: bodies, joints, frames, and the tree the algorithms work on."""

from .body_inertia import Inertia
from .builder import EARTH_GRAVITY, ModelBuilder
from .graph_builder import GraphBuilder
from .joint import Joint
from .look import Look
from .model import GROUND, Body, Frame, Mimic, Model
from .not_computed import NotComputed
from .pose import Pose
from .simulation_defaults import SimulationDefaults
from .tree import Tree, tree_of

__all__ = [
    "EARTH_GRAVITY", "GROUND", "Body", "Frame", "GraphBuilder", "Inertia", "Joint", "Look", "Mimic", "Model",
    "ModelBuilder", "NotComputed", "Pose", "SimulationDefaults", "Tree", "tree_of",
]  # fmt: skip
