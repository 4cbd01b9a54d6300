"""bench agree: a robot of a file moves as in MuJoCo, and a difference would be seen."""

import json

import pytest
from typer.testing import CliRunner

from linkwright.cli import app

pytest.importorskip("mujoco")

SLED = """<mujoco model="sled"><option timestep="0.004" cone="elliptic"/><worldbody>
  <geom name="floor" type="plane" size="0 0 1"/>
  <body name="sled" pos="0 0 0.06"><freejoint/><geom name="hull" type="box" size="0.2 0.1 0.05" mass="3"/>
    <body name="arm" pos="0 0 0.1"><joint name="swing" axis="0 1 0" damping="0.1"/>
      <geom name="tip" size="0.03" pos="0.1 0 0" mass="0.5"/></body></body></worldbody>
  <actuator><position joint="swing" kp="5" ctrlrange="-2 2"/></actuator></mujoco>"""


def test_a_sled(tmp_path):
    path = tmp_path / "sled.xml"
    path.write_text(SLED)
    given = ["bench", "agree", "--robots", str(path), "--states", "24", "--seconds", "0.5", "--cones", "elliptic"]
    given += ["--into", str(tmp_path / "kept.jsonl")]
    result = CliRunner().invoke(app, [*given, "--json"])
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout)["results"]
    assert found["complaints"] == [] and found["touching"] > 0.5 and found["points"] == 5
    assert found["of_accelerations"] < 1e-6 and found["of_forces"] < 1e-5 and found["far_paths"] < 1e-6
    again = CliRunner().invoke(app, [*given, "--json"])  # from the file
    assert json.loads(again.stdout)["results"] == [found]
    assert len((tmp_path / "kept.jsonl").read_text().splitlines()) == 1


def test_means_that_differ_are_told():
    from linkwright.bench.agreement import Spread, alike

    assert alike((Spread(1.0, 0.1, 0.01), Spread(1.02, 0.1, 0.01)))
    assert not alike((Spread(1.0, 0.1, 0.01), Spread(1.1, 0.1, 0.01)))
