"""`linkwright inspect`, run as a user runs it."""

import json
import xml.etree.ElementTree as ElementTree

import pytest
from test_commands import run

import linkwright as lw


@pytest.fixture(scope="module")
def held_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("robots") / "held.json"
    lw.save(lw.load("tree:6,2").with_constraints(lw.connect("link_5", "link_6", name="grip [x]", at=(0, 0.1, 0))), path)
    return path


def test_the_page(held_file, tmp_path):
    picture = tmp_path / "graph.svg"
    result = run("inspect", str(held_file), "--seconds", "0.01", "--svg", str(picture))
    assert result.returncode == 0, result.stderr
    for word in ("link_6_joint", "mobility", "Grubler", "not closed", "grip [x]", "elimination", "lcaba", "cheapest"):
        assert word in result.stdout
    ElementTree.parse(picture)


def test_json(held_file):
    result = run("inspect", str(held_file), "--no-times", "--json")
    assert result.returncode == 0, result.stderr
    document = json.loads(result.stdout)
    assert document["rows"] == 3 and document["loops"][0]["constraint"] == "grip [x]"
    assert sum(algorithm["cheapest"] for algorithm in document["algorithms"]) == 1
    assert len(document["elimination"]) == 6 and len(document["bodies"]) == 6


def test_a_known_name_and_long_lists():
    result = run("inspect", "humanoid", "--no-times")
    assert result.returncode == 0 and "more bodies (--all shows them)" in result.stdout
    assert "aba" in result.stdout


def test_actuators_are_listed(tmp_path):
    robot = lw.load("chain:1").with_actuators(lw.motor("link_1_joint", name="drive", ctrl_range=(-3, 4)))
    lw.save(robot, tmp_path / "a.json")
    result = run("inspect", str(tmp_path / "a.json"), "--no-times")
    assert result.returncode == 0 and "drive" in result.stdout and "-3 to 4" in result.stdout


def test_unknown_robots_are_one_line():
    result = run("inspect", "humanoit")
    assert result.returncode == 1 and "Traceback" not in result.stderr and "humanoid" in result.stderr


def test_what_was_ignored_is_shown(tmp_path):
    pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")
    path = tmp_path / "robot.xml"
    path.write_text(
        '<mujoco><option density="1.2"/><worldbody><body name="a" gravcomp="1"><joint/><geom size="0.1"/></body>'
        "</worldbody></mujoco>"
    )
    refused = run("inspect", str(path), "--no-times")
    assert refused.returncode == 1 and "ignore=('fluid',)" in refused.stderr
    shown = run("inspect", str(path), "--no-times", "--ignore", "fluid, plugin")
    assert shown.returncode == 0 and "ignored: fluid: option 'density' is 1.2" in shown.stdout
    assert "1 x gravity compensation" in shown.stdout
    document = json.loads(run("inspect", str(path), "--no-times", "--ignore", "fluid", "--json").stdout)
    assert len(document["ignored"]) == 1 and document["passive"][0]["kind"] == "gravity_compensation"


def test_contacts_and_tendons_are_listed_with_what_they_cost(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "sled.xml"
    path.write_text("""<mujoco model="sled"><worldbody><geom name="floor" type="plane" size="0 0 1"/>
      <body name="hull" pos="0 0 1"><freejoint/><geom name="keel" type="box" size=".2 .1 .1" mass="1"/>
        <body name="arm" pos="0 0 .5"><joint name="a"/><geom name="ball" size=".05" mass="1" condim="1"/>
          <body name="hand" pos="0 0 .5"><joint name="b"/><geom name="palm" size=".05" mass="1"/></body></body></body>
      </worldbody><tendon><fixed name="string" stiffness="3"><joint joint="a" coef="2"/></fixed></tendon></mujoco>""")
    result = run("inspect", str(path), "--no-times")
    assert result.returncode == 0, result.stderr
    for word in ("box with plane", "sphere with plane", "keel/floor", "contact_dynamics takes", "string", "2 a"):
        assert word in result.stdout, word
    document = json.loads(run("inspect", str(path), "--no-times", "--json").stdout)
    costs = document["contacts"]
    assert document["watched"] == [["keel", "palm"]] and costs["watching"] > 0
    assert [(c["kinds"], c["condim"], c["points"]) for c in costs["pairs"]] == [
        (["box", "plane"], 3, 4), (["sphere", "plane"], 3, 2),
    ]  # fmt: skip
    assert all(c["operations"] > 100 for c in costs["pairs"]) and costs["total"] > costs["without"]
