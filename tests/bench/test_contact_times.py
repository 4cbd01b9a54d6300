"""bench contact: both sides simulate the same thing, and what is told of lanes is right."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from linkwright.cli import app
from linkwright.errors import InputError
from linkwright.robots.menagerie import FOLDER_VARIABLE, scene_file

pytest.importorskip("mujoco")

SLED = """<mujoco model="sled">
  <option timestep="0.004" cone="elliptic"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1"/>
    <body name="sled" pos="0 0 0.06"><freejoint name="root"/>
      <geom name="hull" type="box" size="0.2 0.1 0.05" mass="3"/>
      <body name="arm" pos="0 0 0.1"><joint name="swing" type="hinge" axis="0 1 0" damping="0.1"/>
        <geom name="tip" type="sphere" size="0.03" pos="0.1 0 0" mass="0.5"/>
        <geom name="elbow" type="capsule" size="0.01 0.05" pos="0 0 0.1" mass="0.1"/></body></body>
  </worldbody>
  <actuator><position name="servo" joint="swing" kp="5" ctrlrange="-2 2"/></actuator>
</mujoco>"""


@pytest.fixture(scope="module")
def sled(tmp_path_factory):
    path = tmp_path_factory.mktemp("scene") / "sled.xml"
    path.write_text(SLED)
    return path


def test_both_sides_agree(sled):
    arguments = ["bench", "contact", "--robots", str(sled), "--seconds", "0", "--batch", "16", "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    moving, standing = json.loads(result.stdout)["results"]
    for line in (moving, standing):
        assert line["failed"] == 0 and line["error"] < 1e-8, line
        assert line["robot"] == "sled" and line["points"] == 7 and line["code_bytes"] > 1000
    assert standing["touching"] == 4 and standing["occupancy"] == 1.0  # all samples alike
    assert 0.0 < moving["occupancy"] < 1.0 and moving["most_passes"] >= moving["passes"]


def test_mujoco_is_left_with_our_pairs(sled):
    """Arm and hull may touch in the file; they are no pair here, and must not be one there."""
    from linkwright.bench.peers.mujoco_scene import MujocoScene

    scene = MujocoScene(sled)
    scene.data.qpos[7] = np.pi / 2  # the tip inside the hull
    scene.mujoco.mj_forward(scene.model, scene.data)
    touched = {scene.model.geom(int(g)).name for c in scene.data.contact for g in c.geom}
    assert touched <= {"floor", "hull"}


def test_lanes_wait_for_the_slowest():
    from linkwright.bench.contact_times import occupancy

    passes = np.array([[1, 1], [3, 1], [1, 1], [1, 1]])
    assert occupancy(passes, 2) == pytest.approx(10 / 12) and occupancy(passes, 1) == 1.0


def test_scenes_are_looked_for_where_it_is_said(tmp_path, monkeypatch):
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    with pytest.raises(InputError, match=FOLDER_VARIABLE):
        scene_file("go2")
    with pytest.raises(InputError, match="unitree_go2"):
        scene_file("go2", tmp_path)
    (tmp_path / "unitree_go2").mkdir()
    (tmp_path / "unitree_go2" / "scene.xml").write_text("<mujoco/>")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert scene_file("go2") == tmp_path / "unitree_go2" / "scene.xml"
    assert str(scene_file("my.xml")) == "my.xml"


def test_a_file_where_nothing_touches_is_refused(tmp_path):
    path = tmp_path / "free.xml"
    path.write_text('<mujoco><worldbody><body><freejoint/><geom size="1" mass="1"/></body></worldbody></mujoco>')
    result = CliRunner().invoke(app, ["bench", "contact", "--robots", str(path)])
    assert isinstance(result.exception, InputError) and "nothing that touches" in str(result.exception)
