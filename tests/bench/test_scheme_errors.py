"""`linkwright bench schemes`."""

import json

import pytest
from typer.testing import CliRunner

from linkwright.bench.scheme_errors import KICKS, measure, mechanisms
from linkwright.cli import app
from linkwright.errors import InputError


def test_the_table_has_a_row_per_scheme():
    result = CliRunner().invoke(app, ["bench", "schemes", "--robots", "pendulum", "--json"])
    rows = json.loads(result.stdout)["results"]
    assert [row["scheme"] for row in rows] == ["damped_euler", "leapfrog"]
    assert rows[1]["off"] < 1e-5 < rows[0]["off"] and rows[1]["in_parts"] < 0.01


def test_unknown_mechanisms_are_named():
    assert set(KICKS) < set(mechanisms())
    with pytest.raises(InputError, match="mechanism is 'four'; expected one of pendulum"):
        next(measure(["four"]))
