"""Mechanisms built in code, and the names `linkwright.load` knows."""

from .catalog import KnownRobot, robots
from .digit_like import biped_with_box, digit_like, two_bipeds_with_box
from .geared import belt_chain, geared_chain, with_rotors
from .grasps import hand_with_cube, humanoid_with_cube, two_hands_with_cube
from .hands import humanoid_with_hands
from .humanoid import humanoid
from .jansen import jansen_beast, jansen_leg, walking_beast
from .looped_patterns import all_coupled, chain_of_loops, common_tip, ring, star
from .mini_cheetah import mini_cheetah
from .mit_humanoid import mit_humanoid, mit_humanoid_leg
from .parallel import delta_robot, stewart_platform
from .patterns import chain, stem_with_branches, tree
from .planar_linkages import five_bar, four_bar, pantograph_leg, slider_crank, stephenson_six_bar, watt_six_bar
from .quadruped import quadruped
from .random import random_tree
from .rotor_humanoid import rotor_humanoid
from .tello import tello, tello_leg

__all__ = [
    "KnownRobot", "all_coupled", "belt_chain", "biped_with_box", "chain", "chain_of_loops", "common_tip", "delta_robot",
    "digit_like", "five_bar", "four_bar", "geared_chain", "hand_with_cube", "humanoid", "humanoid_with_cube",
    "humanoid_with_hands", "jansen_beast", "jansen_leg", "mini_cheetah", "mit_humanoid", "mit_humanoid_leg",
    "pantograph_leg", "quadruped", "random_tree", "ring", "robots", "rotor_humanoid", "slider_crank", "star",
    "stem_with_branches", "stephenson_six_bar", "stewart_platform", "tello", "tello_leg", "tree",
    "two_bipeds_with_box", "two_hands_with_cube", "walking_beast", "watt_six_bar", "with_rotors",
]  # fmt: skip
