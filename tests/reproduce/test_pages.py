"""README's and the documents' numbers are those of the record."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from linkwright.cli import app
from linkwright.errors import InputError
from linkwright.reproduce import pages, section_tables
from linkwright.reproduce.sections import FOLDER, Section, read_sections, write_section

ROOT = Path(__file__).parent.parent.parent
CLONE = (ROOT / FOLDER).is_dir()
pytestmark = pytest.mark.skipif(not CLONE, reason="an installed copy has no documents")


@pytest.fixture(scope="module")
def sections():
    return read_sections(ROOT / FOLDER)


@pytest.mark.parametrize("page", pages.pages(ROOT) if CLONE else [], ids=lambda p: p.name)
def test_pages_are_what_the_record_makes_of_them(page, sections):
    text = page.read_text()
    assert pages.written(text, sections, page.name) == text, "linkwright reproduce --write-docs"


def test_every_number_in_readmes_tables_is_in_the_record(sections):
    text = (ROOT / "README.md").read_text()
    for line in pages.tables_by_hand(text):
        assert not pages.unproven(line, sections), line


def test_times_in_readme_stand_where_they_are_made_from_the_record():
    by_hand = pages.without_blocks((ROOT / "README.md").read_text())
    assert not re.findall(r"\d+(?:\.\d+)? (?:us|microseconds)\b|\b\d+(?:\.\d+)?x\b|\d+ times (?:less|faster)", by_hand)


def test_a_wrong_number_is_found(sections):
    text = (ROOT / "README.md").read_text()
    found = re.search(r"\| [A-Z]+ \| (\d+\.\d+) \|", text)
    assert found, "README has no table of times"
    wrong = text[: found.start(1)] + "123.456" + text[found.end(1) :]
    assert pages.written(wrong, sections) != wrong
    assert pages.unproven("| Talos | 123456.789 |", sections) == ["123456.789"]


def test_numbers_are_compared_as_they_are_rounded():
    section = Section("x", {"results": [{"a": 1.8149, "ours": [{"e": 3.6e-10}]}], "batch": 256})
    assert not pages.unproven("| 1.81 (2) 1.8 | 4e-10 256 | M1 Pro, paper-2 |", {"x": section})
    assert pages.unproven("| 1.82 | 3e-10 | 255 |", {"x": section}) == ["1.82", "3e-10", "255"]


def test_what_pinocchio_leaves_stands_beside_what_ours_leaves(sections):
    content = json.loads(json.dumps(sections["loops"].content))
    for r in content["results"]:
        r["peer_errors"] = {"lcaba 1": 2e-7, "lcaba 3": 1e-8, "prox_ltl 1": 3e-7, "prox_ltl 3": 0.0}
    table = section_tables.loops(Section("loops", content))
    assert "errors of Pinocchio's" in table and "2e-07, 3e-07 |" in table and "1e-08, " in table


def test_sections_have_what_provenance_needs(sections):
    for section in sections.values():
        assert section.content["machine"]["processor"] and section.content["command"].startswith("linkwright ")
        assert "/" not in section.content["command"].replace(FOLDER, ""), "a path of somebody's machine"
        assert section.results and re.fullmatch(r"\d{4}-\d\d-\d\d", section.day)


def test_commands_write_sections(tmp_path):
    arguments = ["bench", "compile", "--links", "2,3", "--record", str(tmp_path)]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    section = read_sections(tmp_path)["compile"]
    assert [r["links"] for r in section.results] == [2, 3] and section.is_current
    assert section.row(links=3)["operations"] > section.row(links=2)["operations"]
    with pytest.raises(InputError, match="0 results with links 4"):
        section.row(links=4)


def test_bad_records_are_refused(tmp_path):
    with pytest.raises(InputError, match="no such folder"):
        write_section(tmp_path / "nowhere", "x", [])
    write_section(tmp_path, "x", [{"a": float("nan"), "b": 1 / 3}])
    assert read_sections(tmp_path)["x"].results == [{"a": None, "b": 0.333333}]
    (tmp_path / "y.json").write_text(json.dumps({"results": []}))
    with pytest.raises(InputError, match=r"y\.json.*without command"):
        read_sections(tmp_path)
    (tmp_path / "y.json").write_text("{")
    with pytest.raises(InputError, match=r"y\.json"):
        read_sections(tmp_path)


def test_blocks_that_nobody_knows_are_refused(sections, tmp_path, monkeypatch):
    with pytest.raises(InputError, match=r"no-such.*tree"):
        pages.written("<!-- measured: no-such -->\n<!-- end -->", sections)
    with pytest.raises(InputError, match="needs a section"):
        pages.written("<!-- measured: tree -->\n<!-- end -->", {})
    with pytest.raises(InputError, match="clone"):
        pages.write_pages(tmp_path)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["reproduce", "--write-docs"])
    assert result.exit_code and "clone" in str(result.exception or result.output)
