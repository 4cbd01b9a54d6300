"""`linkwright reproduce` from the command line."""

import json

import pytest
from typer.testing import CliRunner

from linkwright.cli import app
from linkwright.errors import InputError
from linkwright.reproduce.papers import loop_graph


def invoke(*arguments, **options):
    return CliRunner().invoke(app, ["reproduce", *map(str, arguments)], **options)


def test_list():
    result = invoke("--list")
    assert result.exit_code == 0 and "Sathya2025" in result.output and "figure-13" in result.output


def test_one_item_and_again(tmp_path):
    arguments = ("sathya2025", "figure-4", "--quick", "--no-times", "--output", tmp_path)
    result = invoke(*arguments)
    assert result.exit_code == 0 and "Sathya2025 figure-4: reproduced" in result.output
    assert "(kept)" in invoke(*arguments).output and "(kept)" not in invoke(*arguments, "--again").output
    assert (tmp_path / "report.html").is_file() and (tmp_path / "Sathya2025-figure-4-2.csv").is_file()
    (document,) = json.loads((tmp_path / "results.json").read_text())
    assert document["verdict"] == "reproduced" and document["record"]["machine"]["cores"]
    assert "reproduced" in invoke("sathya2025", "--list", "--quick", "--no-times", "--output", tmp_path).output


def test_interrupted(tmp_path, monkeypatch):
    """Ctrl-C leaves a report of what is finished, and says how to go on."""

    def stop(run):
        raise KeyboardInterrupt

    items = list(loop_graph.ITEMS)
    stopped = [items[0], *(type(i)(**{**vars(i), "measure": stop}) for i in items[1:])]
    monkeypatch.setattr("linkwright.reproduce.papers.ITEMS", tuple(stopped))
    result = invoke("--quick", "--no-times", "--output", tmp_path)
    assert result.exit_code == 130 and "goes on where it was" in result.output
    assert [o["item"] for o in json.loads((tmp_path / "results.json").read_text())] == ["figure-4"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("Sathya1999",), "Sathya2025"), (("sathya2025", "table-7"), "figure-11"), (("--seconds", "0"), "--seconds"),
        (("--robot", "atlas"), "NAME=FILE"), (("--output", "/dev/null/x"), "--output"),
        (("--record", "nowhere/at/all"), "no such folder"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_named(arguments, words):
    result = invoke(*arguments, "--quick", "--no-times")
    assert isinstance(result.exception, InputError) and words in str(result.exception)
