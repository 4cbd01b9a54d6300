"""What a run leaves in its folder, with and without matplotlib."""

import csv
import sys

import pytest
from typer.testing import CliRunner

from linkwright.cli import app
from linkwright.reproduce.files import write_files, write_results
from linkwright.reproduce.item import Check, Diagram, Figure, Item, Panel, Series, Stack, Table
from linkwright.reproduce.item_figures import drawn
from linkwright.reproduce.report import report
from linkwright.reproduce.reproducing import Outcome, records_of, reproduce
from linkwright.reproduce.run import Run

FIGURE = Figure(
    "everything at once",
    [
        Panel("lines", [Series("a", [1, 2], [3.0, None], low=[2, 2], high=[4, 4], spread=[1, 1])], log_y=True),
        Panel("bars", [Series("b", ["x", "y"], [1.0, 2.0], "bar")]),
        Panel("parts", Stack(["x"], {"p": [1.0], "q": [2.0]})),
        Panel("graph", Diagram({"1": (0, 0), "λ2": (1, 1)}, [("1", "λ2", "coupling")], ["1"])),
    ],
)


def outcome(tmp_path):
    item = Item(
        "Sathya2025", "figure-1", "<title>", "claims & more", "Figure 1", lambda run: {"x": 1},
        lambda v: [Check("a < b", False, "1 < 0", "because")], lambda v: [Table("t", ["a", "b"], [[1, None]]), FIGURE],
    )  # fmt: skip
    return reproduce([item], Run("tiny"), records_of(Run("tiny"), tmp_path))[0]


def test_files(tmp_path):
    pytest.importorskip("matplotlib")
    files, could_draw = write_files(outcome(tmp_path), tmp_path)
    assert could_draw and [f.suffix for f in files] == [".csv", ".csv", ".svg", ".png"]
    rows = list(csv.reader((tmp_path / "Sathya2025-figure-1-2.csv").open()))
    assert ["lines", "a", "1", "3.0", "2", "4", "1"] in rows and ["parts", "q", "x", "2.0", "", "", ""] in rows
    assert (tmp_path / "Sathya2025-figure-1-2.png").read_bytes().startswith(b"\x89PNG")
    assert drawn(FIGURE) == drawn(FIGURE)  # the same numbers give the same file


def test_report_holds_everything_itself(tmp_path):
    text = report([outcome(tmp_path)], {"Sathya2025": "a paper"})
    assert "&lt;title&gt;" in text and "claims &amp; more" in text and "does not hold" in text and "because" in text
    assert "not reproduced" in text and "src='http" not in text and "href='http" not in text
    failed = Outcome(outcome(tmp_path).item, failure="it <broke>")
    assert "it &lt;broke&gt;" in report([failed], {"Sathya2025": "a paper"})


def test_without_matplotlib_the_numbers_are_kept(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    files, could_draw = write_files(outcome(tmp_path), tmp_path)
    assert not could_draw and {f.suffix for f in files} == {".csv"}
    text = report([outcome(tmp_path)], {"Sathya2025": "a paper"})
    assert "pip install &#x27;linkwright[plot]&#x27;" in text and "<img" not in text
    assert write_results([outcome(tmp_path)], tmp_path).is_file()


def test_the_command_says_how_to_get_matplotlib(tmp_path, monkeypatch):
    """Brackets are markup for whoever prints them."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    arguments = ["reproduce", "Sathya2025", "figure-4", "--quick", "--no-times", "--output", str(tmp_path)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0 and "pip install 'linkwright[plot]'" in result.output.replace("\n", " ")
