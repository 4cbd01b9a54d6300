"""Robots dropped at random: every step is finite, says ok, and makes no energy."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwright as lw
from linkwright.bench.drops import Starts, dropped, measure, read_scene
from linkwright.cli import app
from linkwright.errors import InputError

# A loop in a plane, closed by a point: three rows of which one is redundant. It is carried by a free body.
LINKAGE = """<mujoco model="linkage">
  <option timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="0 0 1"/>
    <body name="base" pos="0 0 0.5"><freejoint/>
      <geom type="box" size="0.1 0.05 0.02" mass="2"/>
      <body name="left" pos="-0.1 0 -0.02"><joint name="hip" axis="0 1 0" range="-1 1" damping="0.05"/>
        <geom type="capsule" size="0.01" fromto="0 0 0 0 0 -0.2" mass="0.3"/>
        <body name="coupler" pos="0 0 -0.2"><joint axis="0 1 0"/>
          <geom type="capsule" size="0.01" fromto="0 0 0 0.2 0 0" mass="0.3"/></body></body>
      <body name="right" pos="0.1 0 -0.02"><joint axis="0 1 0"/>
        <geom name="shank" type="capsule" size="0.01" fromto="0 0 0 0 0 -0.2" mass="0.3"/></body></body>
  </worldbody>
  <equality><connect body1="coupler" body2="right" anchor="0.2 0 0"/></equality>
  <actuator><motor joint="hip" ctrlrange="-2 2"/></actuator>
  <contact><exclude body1="base" body2="coupler"/></contact>
</mujoco>"""


@pytest.fixture(scope="module")
def linkage(tmp_path_factory):
    pytest.importorskip("mujoco")
    path = tmp_path_factory.mktemp("drops") / "linkage.xml"
    path.write_text(LINKAGE)
    return path


def test_a_looped_robot(linkage):
    """Rows that depend on each other end passes at rounding, not at their most."""
    result = CliRunner().invoke(app, ["bench", "drops", "--robots", str(linkage), "--count", "100", "--json"])
    assert result.exit_code == 0, result.output
    (found,) = json.loads(result.stdout)["results"]
    assert found["drops"] == 100 and found["not_finite"] == 0
    assert set(found["statuses"]) <= {"0", "6"} and found["not_ok"] == []
    assert found["dt"] == 0.002 and 0.0 < found["depth"]["largest"] < 0.1
    assert found["gain"]["largest"] < 1e-3 and found["unaccounted"]["largest"] < 0.02


def test_hard_rows_that_depend_on_each_other_take_few_passes(linkage):
    model, dt = read_scene(str(linkage))
    starts = Starts(model)
    trajectory = dropped(model, dt, starts, 16, (1, 0), 0.5, outputs=("iterations", "status"))
    assert set(np.unique(trajectory["status"])) <= {0.0, 6.0} and np.asarray(trajectory["iterations"]).max() < 40


def test_a_built_in_robot_is_put_on_the_ground(monkeypatch):
    feet = [lw.sphere(f"{leg}_shank", 0.02, at=(0, 0, -0.2)) for leg in ("FL", "FR", "RL", "RR")]
    model = lw.load("quadruped").with_shapes(*feet, lw.box("trunk", (0.4, 0.2, 0.1)))
    monkeypatch.setattr("linkwright.bench.drops.load", lambda name: model)
    (found,) = measure(["quadruped"], drops=32, seconds=0.6)
    assert found.drops == 32 and set(found.statuses) <= {0, 6} and not found.not_finite  # legs may touch one another
    assert max(found.gains) < 1e-3 and max(found.depths) > 1e-3


def test_a_file_without_a_floor_is_put_on_the_ground(tmp_path):
    pytest.importorskip("mujoco")
    path = tmp_path / "floating.xml"
    path.write_text(LINKAGE.replace('<geom type="plane" size="0 0 1"/>', ""))
    model, dt = read_scene(str(path))
    assert dt == 0.002 and len(model.pairs) == 4 and {pair.second for pair in model.pairs} == {"ground"}


def test_what_is_fixed_or_touches_nothing_is_refused():
    with pytest.raises(InputError, match="no shapes"):
        read_scene("chain:3")
    fixed = lw.load("chain:3").with_shapes(lw.sphere("link_3", 0.05)).on_ground()
    with pytest.raises(InputError, match="fixed"):
        Starts(fixed)
