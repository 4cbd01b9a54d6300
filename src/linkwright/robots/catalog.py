"""The names that `linkwright.load` knows: robots from packages, and mechanisms built in code."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar

from ..call_errors import names_arguments
from ..errors import InputError, LoadError, MissingExtraError
from ..model import Model
from .digit_like import biped_with_box, digit_like, two_bipeds_with_box
from .geared import belt_chain, geared_chain
from .grasps import hand_with_cube, humanoid_with_cube, two_hands_with_cube
from .hands import humanoid_with_hands
from .humanoid import humanoid
from .jansen import jansen_beast, jansen_leg, walking_beast
from .looped_patterns import all_coupled, chain_of_loops, common_tip, ring, star
from .mini_cheetah import mini_cheetah
from .mit_humanoid import mit_humanoid
from .packages import EXAMPLE_ROBOT_DATA, EXTRA, JVRC_DESCRIPTION, find_file, version
from .parallel import delta_robot, stewart_platform
from .patterns import chain, stem_with_branches, tree
from .planar_linkages import (
    five_bar,
    four_bar,
    pantograph_leg,
    slider_crank,
    stephenson_six_bar,
    watt_six_bar,
)
from .quadruped import quadruped
from .random import random_tree
from .rotor_humanoid import rotor_humanoid
from .tello import tello, tello_leg


@dataclass(frozen=True)
class KnownRobot:
    """A name for `linkwright.load`."""

    name: str
    description: str
    dof: int
    """Degrees of freedom (nv) as `load(name)` gives them."""
    floating_base: bool
    """What `load(name)` does when nobody says otherwise."""

    source: ClassVar[str] = "built in"
    available: ClassVar[bool] = True
    needs: ClassVar[str | None] = None
    """What to install before this robot can be loaded; None if nothing is missing."""


@dataclass(frozen=True)
class PackagedRobot(KnownRobot):
    """A robot whose description is a file in a Python package."""

    package: str
    file: str

    @property
    def source(self) -> str:  # type: ignore[override]
        return self.package

    @property
    def available(self) -> bool:  # type: ignore[override]
        return find_file(self.package, self.file) is not None

    @property
    def needs(self) -> str | None:  # type: ignore[override]
        return None if self.available else f"linkwright[{EXTRA}]"

    def path(self) -> Path:
        path = find_file(self.package, self.file)
        if path is not None:
            return path
        installed = version(self.package)
        if installed is None:
            raise MissingExtraError(self.package, EXTRA, f"loading {self.name!r}")
        raise LoadError(f"{self.package} {installed} is installed but lacks {self.file}, needed for {self.name!r}")


@dataclass(frozen=True)
class BuiltRobot(KnownRobot):
    """A mechanism built in code, perhaps of a size that the name carries: "chain:12"."""

    factory: Callable[..., Model]

    def build(self, numbers: tuple[int, ...], floating_base: bool) -> Model:
        parameters = inspect.signature(self.factory).parameters.values()
        accepted = [p.name for p in parameters if p.kind == p.POSITIONAL_OR_KEYWORD]
        if len(numbers) > len(accepted):
            expected = ", ".join(accepted) or "none"
            raise InputError(f"{self.name!r} was given {len(numbers)} numbers; it takes: {expected}")
        if "floating_base" in inspect.signature(self.factory).parameters:
            return self.factory(*numbers, floating_base=floating_base)
        if floating_base:
            raise InputError(f"{self.name!r} stands on the ground; it cannot be loaded with floating_base=True")
        return self.factory(*numbers)


@dataclass(frozen=True)
class AssembledRobot(KnownRobot):
    """Known robots put together. `load` loads the parts; the base that floats, if any, is the first one's."""

    parts: tuple[str, ...]
    factory: Callable[..., Model]

    @property
    def source(self) -> str:  # type: ignore[override]
        return ", ".join(sorted({_BY_NAME[part].source for part in self.parts}))

    @property
    def available(self) -> bool:  # type: ignore[override]
        return self.needs is None

    @property
    def needs(self) -> str | None:  # type: ignore[override]
        return next((_BY_NAME[part].needs for part in self.parts if _BY_NAME[part].needs), None)


def _packaged(package: str, folder: str, *rows: tuple[str, str, int, bool, str]) -> list[KnownRobot]:
    return [
        PackagedRobot(name, description, dof, floats, package, folder + file)
        for name, file, dof, floats, description in rows
    ]


_ARM, _LEGGED = False, True  # stands on the ground, or floats
_HANDS = ("allegro", "allegro_left")

_ROBOTS: list[KnownRobot] = [
    *_packaged(
        EXAMPLE_ROBOT_DATA, "example-robot-data/robots/",
        ("a1", "a1_description/urdf/a1.urdf", 18, _LEGGED, "Unitree A1 quadruped"),
        ("alex", "alex_description/urdf/alex_nub_hands.urdf", 25, _LEGGED, "IHMC Alex, upper body"),
        ("allegro", "allegro_hand_description/urdf/allegro_right_hand.urdf", 16, _ARM, "Allegro hand, right"),
        ("allegro_left", "allegro_hand_description/urdf/allegro_left_hand.urdf", 16, _ARM, "Allegro hand, left"),
        ("anymal_b", "anymal_b_simple_description/robots/anymal.urdf", 18, _LEGGED, "ANYmal B quadruped"),
        ("anymal_b_kinova", "anymal_b_simple_description/robots/anymal-kinova.urdf", 24, _LEGGED,
         "ANYmal B with a Kinova arm"),
        ("anymal_c", "anymal_c_simple_description/urdf/anymal.urdf", 18, _LEGGED, "ANYmal C quadruped"),
        ("b1", "b1_description/urdf/b1.urdf", 18, _LEGGED, "Unitree B1 quadruped"),
        ("b1_z1", "b1_description/urdf/b1-z1.urdf", 25, _LEGGED, "Unitree B1 with a Z1 arm"),
        ("baxter", "baxter_description/urdf/baxter.urdf", 19, _ARM, "Rethink Baxter, two arms"),
        ("bolt", "bolt_description/robots/bolt.urdf", 12, _LEGGED, "Bolt biped"),
        ("cassie", "cassie_description/robots/cassie_v2.sdf", 28, _LEGGED, "Cassie biped, four closed loops"),
        ("centauro", "centauro_description/urdf/centauro.urdf", 45, _LEGGED, "Centauro, wheeled legs and two arms"),
        ("double_pendulum", "double_pendulum_description/urdf/double_pendulum.urdf", 2, _ARM, "double pendulum"),
        ("finger_edu", "finger_edu_description/robots/finger_edu.urdf", 3, _ARM, "TriFinger Edu, one finger"),
        ("g1", "g1_description/urdf/g1_29dof_rev_1_0.urdf", 35, _LEGGED, "Unitree G1 humanoid"),
        ("g1_hands", "g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", 49, _LEGGED, "Unitree G1 with hands"),
        ("go1", "go1_description/urdf/go1.urdf", 18, _LEGGED, "Unitree Go1 quadruped"),
        ("go2", "go2_description/urdf/go2.urdf", 18, _LEGGED, "Unitree Go2 quadruped"),
        ("human", "human_description/robots/human.urdf", 42, _LEGGED, "human body"),
        ("hyq", "hyq_description/robots/hyq_no_sensors.urdf", 18, _LEGGED, "HyQ quadruped"),
        ("icub", "icub_description/robots/icub.urdf", 38, _LEGGED, "iCub humanoid"),
        ("kinova", "kinova_description/robots/kinova.urdf", 6, _ARM, "Kinova Jaco arm"),
        ("laikago", "laikago_description/urdf/laikago.urdf", 18, _LEGGED, "Unitree Laikago quadruped"),
        ("panda", "panda_description/urdf/panda.urdf", 9, _ARM, "Franka Panda arm with its gripper"),
        ("pr2", "pr2_description/urdf/pr2.urdf", 30, _ARM, "PR2 mobile manipulator"),
        ("romeo", "romeo_description/urdf/romeo_small.urdf", 37, _LEGGED, "Romeo humanoid"),
        ("romeo_full", "romeo_description/urdf/romeo.urdf", 61, _LEGGED, "Romeo humanoid with hands and eyes"),
        ("simple_humanoid", "simple_humanoid_description/urdf/simple_humanoid.urdf", 35, _LEGGED, "simple humanoid"),
        ("so100", "so_arm_description/urdf/so100.urdf", 6, _ARM, "SO-100 arm"),
        ("so101", "so_arm_description/urdf/so101.urdf", 6, _ARM, "SO-101 arm"),
        ("solo8", "solo_description/robots/solo.urdf", 14, _LEGGED, "Solo quadruped, 8 motors"),
        ("solo12", "solo_description/robots/solo12.urdf", 18, _LEGGED, "Solo quadruped, 12 motors"),
        ("talos", "talos_data/robots/talos_full_v2.urdf", 50, _LEGGED, "Talos humanoid with its grippers"),
        ("talos_reduced", "talos_data/robots/talos_reduced.urdf", 38, _LEGGED, "Talos humanoid, grippers fixed"),
        ("talos_arm", "talos_data/robots/talos_left_arm.urdf", 7, _ARM, "left arm of Talos"),
        ("tiago", "tiago_description/robots/tiago.urdf", 48, _ARM, "TIAGo mobile manipulator with a hand"),
        ("tiago_dual", "tiago_description/robots/tiago_dual.urdf", 101, _ARM, "TIAGo with two arms and hands"),
        ("tiago_pro", "tiago_pro_description/robots/tiago_pro.urdf", 33, _ARM, "TIAGo Pro"),
        ("ur3", "ur_description/urdf/ur3_robot.urdf", 6, _ARM, "UR3 arm"),
        ("ur5", "ur_description/urdf/ur5_robot.urdf", 6, _ARM, "UR5 arm"),
        ("ur10", "ur_description/urdf/ur10_robot.urdf", 6, _ARM, "UR10 arm"),
        ("xarm7", "xarm_description/urdf/xarm7.urdf", 7, _ARM, "xArm 7"),
        ("z1", "z1_description/urdf/z1.urdf", 7, _ARM, "Unitree Z1 arm"),
    ),
    *_packaged(
        JVRC_DESCRIPTION, "jvrc_description/",
        ("jvrc1", "urdf/jvrc1.urdf", 50, _LEGGED, "JVRC-1 humanoid"),
    ),
    BuiltRobot("chain", "serial chain; chain:n", 6, False, chain),
    BuiltRobot("tree", "branching tree; tree:n,branching", 14, False, tree),
    BuiltRobot("stem_with_branches", "branches at both ends of a stem; stem_with_branches:stem,branches,length", 41,
               True, stem_with_branches),
    BuiltRobot("random_tree", "random, all joint kinds; random_tree:seed,n", 23, False, random_tree),
    BuiltRobot("quadruped", "four-legged robot", 18, True, quadruped),
    BuiltRobot("humanoid", "two-legged robot with arms", 36, True, humanoid),
    BuiltRobot("geared_chain", "planar chain with a geared rotor per joint; geared_chain:n", 24, False, geared_chain),
    BuiltRobot("belt_chain", "planar chain driven in pairs by parallel belts; belt_chain:n", 24, False, belt_chain),
    BuiltRobot("mini_cheetah", "MIT Mini Cheetah with its rotors", 30, True, mini_cheetah),
    BuiltRobot("mit_humanoid", "MIT Humanoid with its rotors and belts", 42, True, mit_humanoid),
    BuiltRobot("tello", "humanoid in the manner of Tello, differentials in its legs", 42, True, tello),
    BuiltRobot("tello_leg", "one leg of it", 10, False, tello_leg),
    BuiltRobot("rotor_humanoid", "two-legged robot with arms and a rotor on every joint", 70, True, rotor_humanoid),
    BuiltRobot("humanoid_with_hands", "the same with two five-fingered hands", 84, True, humanoid_with_hands),
    BuiltRobot("slider_crank", "slider-crank, one loop", 3, False, slider_crank),
    BuiltRobot("four_bar", "planar four-bar linkage", 3, False, four_bar),
    BuiltRobot("five_bar", "planar five-bar linkage, two motors", 4, False, five_bar),
    BuiltRobot("watt_six_bar", "Watt's six-bar linkage, two loops", 5, False, watt_six_bar),
    BuiltRobot("stephenson_six_bar", "Stephenson's six-bar linkage, two loops", 5, False, stephenson_six_bar),
    BuiltRobot("pantograph_leg", "leg that magnifies two slides, two loops", 6, False, pantograph_leg),
    BuiltRobot("jansen_leg", "Theo Jansen's leg, three loops", 7, False, jansen_leg),
    BuiltRobot("jansen_beast", "Jansen legs on one crankshaft; jansen_beast:legs", 73, False, jansen_beast),
    BuiltRobot("walking_beast", "a beast on the ground; walking_beast:legs", 79, True, walking_beast),
    BuiltRobot("delta_robot", "delta robot, six loops", 21, False, delta_robot),
    BuiltRobot("stewart_platform", "platform on six legs", 24, False, stewart_platform),
    BuiltRobot("digit_like", "biped with three loops in each leg, standing", 44, True, digit_like),
    BuiltRobot("biped_with_box", "digit_like holding a box", 50, True, biped_with_box),
    BuiltRobot("two_bipeds_with_box", "two digit_like carrying a box", 94, True, two_bipeds_with_box),
    AssembledRobot("hand_with_cube", "Allegro hand holding a cube", 22, False, ("allegro",), hand_with_cube),
    AssembledRobot("two_hands_with_cube", "two Allegro hands holding a cube", 38, False, _HANDS, two_hands_with_cube),
    AssembledRobot("humanoid_with_cube", "simple humanoid holding a cube with two Allegro hands", 73, True,
                   ("simple_humanoid", *_HANDS), humanoid_with_cube),
    AssembledRobot("humanoid_with_cube_standing", "humanoid_with_cube with its feet welded to the ground", 73, True,
                   ("simple_humanoid", *_HANDS), partial(humanoid_with_cube, standing=True)),
    BuiltRobot("ring", "a cycle of links; ring:n", 12, False, ring),
    BuiltRobot("chain_of_loops", "loops one after the other; chain_of_loops:loops,links", 29, False, chain_of_loops),
    BuiltRobot("all_coupled", "loops that all share joints; all_coupled:n,spacing", 36, False, all_coupled),
    BuiltRobot("star", "pairs of chains from one hub, tip to tip; star:pairs,length", 38, True, star),
    BuiltRobot("common_tip", "chains from one hub to one tip; common_tip:branches,length", 34, True, common_tip),
]  # fmt: skip

_BY_NAME = {robot.name: robot for robot in sorted(_ROBOTS, key=lambda robot: robot.name)}


@names_arguments
def robots() -> tuple[KnownRobot, ...]:
    """Everything `linkwright.load` knows by name, and whether it is installed."""
    return tuple(_BY_NAME.values())


def find_robot(name: str) -> KnownRobot | None:
    """The robot meant by "talos" or "chain:12"; None if the name is not known."""
    robot = _BY_NAME.get(name.partition(":")[0])
    return None if ":" in name and not isinstance(robot, BuiltRobot) else robot


def split_name(name: str) -> tuple[str, tuple[int, ...]]:
    """ "tree:20,3" -> ("tree", (20, 3))."""
    base, colon, rest = name.partition(":")
    try:
        return base, tuple(int(word) for word in rest.split(",")) if colon else ()
    except ValueError:
        raise InputError(f"{name!r}: expected whole numbers and commas after the colon, as in 'tree:20,3'") from None


def near_names(given: str) -> str:
    """A sentence with the names that resemble `given`, or with all of them."""
    close = difflib.get_close_matches(given, _BY_NAME, n=3, cutoff=0.5)
    if close:
        return f" Did you mean {' or '.join(map(repr, close))}?"
    return f" Known robots: {', '.join(_BY_NAME)}."
