"""Mechanisms built in code, and the names `linkwright.load` knows."""

from .catalog import KnownRobot, robots
from .hands import humanoid_with_hands
from .humanoid import humanoid
from .patterns import chain, stem_with_branches, tree
from .quadruped import quadruped
from .random import random_tree

__all__ = [
    "KnownRobot", "chain", "humanoid", "humanoid_with_hands", "quadruped", "random_tree", "robots",
    "stem_with_branches", "tree",
]  # fmt: skip
