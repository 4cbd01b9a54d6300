"""The list of known robots says the truth."""

from __future__ import annotations

import pytest

from linkwright.errors import MissingExtraError
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
    built_in = {robot.name for robot in robots() if robot.source == "built in"}
    assert built_in == {
        "chain", "tree", "stem_with_branches", "random_tree", "quadruped", "humanoid", "humanoid_with_hands",
        "geared_chain", "belt_chain", "mini_cheetah", "mit_humanoid", "rotor_humanoid", "tello", "tello_leg",
        "slider_crank", "four_bar", "five_bar", "watt_six_bar", "stephenson_six_bar", "walking_beast",
        "pantograph_leg", "jansen_leg",
        "jansen_beast", "delta_robot", "stewart_platform", "digit_like", "biped_with_box", "two_bipeds_with_box",
        "ring", "chain_of_loops", "all_coupled", "star", "common_tip",
    }  # fmt: skip
    assert all(robot.available for robot in robots() if robot.name in built_in)
    assert not any(isinstance(robot, PackagedRobot) for robot in robots() if robot.name in built_in)


def test_what_is_put_together_needs_its_parts(monkeypatch):
    monkeypatch.setattr("linkwright.robots.catalog.find_file", lambda package, ending: None)
    monkeypatch.setattr("linkwright.robots.catalog.version", lambda package: None)
    robot = next(robot for robot in robots() if robot.name == "two_hands_with_cube")
    assert not robot.available and robot.needs == "linkwright[robots]" and robot.source == "example-robot-data"
    with pytest.raises(MissingExtraError, match="example-robot-data"):
        load("two_hands_with_cube")
