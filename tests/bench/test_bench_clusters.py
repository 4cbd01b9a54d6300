"""The bench of clusters runs, and the ankle torque experiment comes out in the paper's order."""

import json

from typer.testing import CliRunner

from linkwright.bench import ankle_torque, cluster_times
from linkwright.cli import app


def test_ankle_torque_in_the_papers_order():
    largest, errors, torques = ankle_torque.measure(samples=400)
    percent = {e.variant: e.percent for e in errors}
    assert 0 < percent["block"] < percent["diagonal"] < percent["unconstrained"]
    assert percent["block"] < 5 and 20 < percent["diagonal"] < 40 and 45 < percent["unconstrained"] < 75
    assert torques["exact"].shape == (400,) and 1 < largest < 10


def test_growth_counts():
    counts = cluster_times.growth("geared_chain", links=(2, 12))
    assert [n for n, _, _ in counts["lagrange"]] == [2, 12]
    assert counts["cluster_aba"][1][1] < counts["projection"][1][1] < counts["lagrange"][1][1]


def test_command():
    arguments = ["bench", "clusters", "--robots", "geared_chain:2", "--algorithms", "cluster_aba,projection"]
    result = CliRunner().invoke(app, [*arguments, "--seconds", "0.05", "--json"])
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert [r["algorithm"] for r in document["results"]] == ["cluster_aba", "projection"]
    exact, projected = document["results"]
    assert exact["more"] == 0 and projected["more"] == projected["operations"] / exact["operations"] - 1
    assert set(document["ankle_torque_percent"]) == {"block", "diagonal", "unconstrained"}
