"""`linkwright bench envs`: small, and not about speed."""

import json

import pytest
from typer.testing import CliRunner

pytest.importorskip("gymnasium", reason="the extra 'gym' is not installed")
pytest.importorskip("mujoco", reason="MuJoCo is not installed")

from linkwright.cli import app


def test_steps_are_counted_and_loops_compared():
    arguments = "bench envs --tasks quadruped --environments 16 --interval 3 --threads 1 --seconds 0.1 --json"
    told = CliRunner().invoke(app, arguments.split())
    assert told.exit_code == 0, told.output
    [found] = json.loads(told.stdout)["results"]
    assert found["steps"] == pytest.approx(3 * found["actions"]) and found["cost"] > 0 and found["points"] == 4
    assert found["ratio"] == pytest.approx(found["steps"] / found["mujoco_steps"])
