"""The list of known robots says the truth."""

from __future__ import annotations

import pytest

from linkwright.io import load
from linkwright.robots import robots
from linkwright.robots.catalog import PackagedRobot


@pytest.mark.parametrize("robot", robots(), ids=lambda robot: robot.name)
def test_loads_as_the_list_says(robot):
    if not robot.available:
        pytest.skip(f"{robot.name} needs {robot.needs}")
    model = load(robot.name)
    assert model.nv == robot.dof
    assert robot.needs is None
    assert (model.joints[0].kind == "free_flyer") == robot.floating_base


@pytest.mark.parametrize("robot", robots(), ids=lambda robot: robot.name)
def test_base_can_be_chosen(robot):
    if not robot.available:
        pytest.skip(f"{robot.name} needs {robot.needs}")
    if robot.floating_base:
        assert load(robot.name, floating_base=False).joints[0].name != "root_joint"


def test_names_are_unique_and_sorted():
    names = [robot.name for robot in robots()]
    assert names == sorted(set(names)) and ":" not in "".join(names)


def test_what_needs_no_package():
    built_in = {robot.name for robot in robots() if not isinstance(robot, PackagedRobot)}
    assert built_in == {
        "chain", "tree", "stem_with_branches", "random_tree", "quadruped", "humanoid", "humanoid_with_hands",
        "geared_chain", "belt_chain", "mini_cheetah", "mit_humanoid", "rotor_humanoid", "tello", "tello_leg",
    }  # fmt: skip
    assert all(robot.available and robot.source == "built in" for robot in robots() if robot.name in built_in)
