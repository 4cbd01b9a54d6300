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


def test_unknown_robots_are_one_line():
    result = run("inspect", "humanoit")
    assert result.returncode == 1 and "Traceback" not in result.stderr and "humanoid" in result.stderr
