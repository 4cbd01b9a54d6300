"""Mechanisms built in code, and the names `linkwright.load` knows."""

from .catalog import KnownRobot, robots
from .geared import belt_chain, geared_chain, with_rotors
from .hands import humanoid_with_hands
from .humanoid import humanoid
from .mini_cheetah import mini_cheetah
from .mit_humanoid import mit_humanoid, mit_humanoid_leg
from .patterns import chain, stem_with_branches, tree
from .quadruped import quadruped
from .random import random_tree
from .rotor_humanoid import rotor_humanoid
from .tello import tello, tello_leg

__all__ = [
    "KnownRobot", "belt_chain", "chain", "geared_chain", "humanoid", "humanoid_with_hands", "mini_cheetah",
    "mit_humanoid", "mit_humanoid_leg", "quadruped", "random_tree", "robots", "rotor_humanoid", "stem_with_branches",
    "tello", "tello_leg", "tree", "with_rotors",
]  # fmt: skip
