"""Mechanisms built in code, and the names `linkwright.load` knows."""

from .catalog import KnownRobot, robots
from .hands import humanoid_with_hands
from .humanoid import humanoid
from .jansen import jansen_beast, jansen_leg
from .patterns import chain, stem_with_branches, tree
from .planar_linkages import five_bar, four_bar, pantograph_leg, slider_crank, stephenson_six_bar, watt_six_bar
from .quadruped import quadruped
from .random import random_tree

__all__ = [
    "KnownRobot", "chain", "five_bar", "four_bar", "humanoid", "humanoid_with_hands", "jansen_beast", "jansen_leg",
    "pantograph_leg", "quadruped", "random_tree", "robots", "slider_crank", "stem_with_branches",
    "stephenson_six_bar", "tree", "watt_six_bar",
]  # fmt: skip
