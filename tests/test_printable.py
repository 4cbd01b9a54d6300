"""Text from files that would steer a terminal, turn a line around or hide: written out, wherever people see it."""

from __future__ import annotations

import io
import pickle
import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright import cli
from linkwright.cli.output import Terminal, plain
from linkwright.errors import (
    InputError,
    LinkwrightError,
    LoadError,
    MissingExtraError,
    NoConvergence,
    UnsupportedError,
    unknown_name,
)
from linkwright.export.c_names import comment
from linkwright.io.mjcf.mjcf_writer import to_mjcf
from linkwright.model import serialization
from linkwright.model.loops import loops
from linkwright.printable import printable, printable_lines
from linkwright.reproduce.files import table_csv
from linkwright.reproduce.item import Table
from linkwright.viewer.animation import animation_page
from linkwright.viewer.graph_picture import graph_picture
from linkwright.viewer.svg import shortened, xml_text

DANGERS = {
    "escape": "\x1b[31m", "bell": "\x07", "carriage return": "\r", "line feed": "\n", "tab": "\t", "null": "\x00",
    "delete": "\x7f", "C1": "\x9b31m", "next line": "\x85", "override": "\u202e", "isolate": "\u2066",
    "mark": "\u200f", "zero width": "\u200b", "joiner": "\u200d", "byte order": "\ufeff", "line": "\u2028",
    "paragraph": "\u2029", "half": "\udc9b", "tag": "\U000e0041", "filler": "\u3164", "selector": "\ufe0f",
    "soft hyphen": "\xad", "unassigned": "\U0003fffe", "private": "\ue000",
}  # fmt: skip
MARKUP = "[red]x[/red][link=http://a.invalid]:skull:<b>&amp;${\\backslash\\"
NAME = "".join(text for key, text in DANGERS.items() if key not in ("half", "null")) + MARKUP


def is_shown_safely(text: str) -> bool:
    return all(printable(line) == line for line in text.split("\n"))


@pytest.mark.parametrize("what", DANGERS)
def test_each_danger_is_written_out(what):
    given = f"left{DANGERS[what]}right"
    shown = printable(given)
    assert shown.isprintable() and shown != given and shown.startswith("left\\") and shown.endswith("right")
    assert printable(shown) == shown  # nothing is escaped twice
    shown.encode()


@pytest.mark.parametrize(
    "text", ["link_1", "Gelenk süd", "左脚", "نقطة", "C:\\robots\\a.xml", "a\u3000b", "naïve \u2009 x", ""]
)
def test_what_is_harmless_stays(text):
    assert printable(text) == text


def test_a_name_begins_no_line_of_ours():
    forged = printable_lines("joint 'a\nok: all is well' is bad:\n  see there\n  and there")
    assert forged == "joint 'a\\nok: all is well' is bad:\n  see there\n  and there"


@pytest.mark.parametrize(
    "error",
    [
        LinkwrightError(NAME), InputError(f"no {NAME}"), NoConvergence(NAME, residuals={NAME: 1.0}),
        LoadError(NAME, file=f"/tmp/{NAME}\udcff", line=3, element=NAME), MissingExtraError(NAME, "view", "that"),
        unknown_name("joint", NAME, [NAME, "other"]),
    ],
    ids=lambda error: type(error).__name__,
)  # fmt: skip
def test_errors(error):
    assert is_shown_safely(str(error)) and "\n" not in str(error) and "http://a.invalid" in str(error)
    str(error).encode()
    if not isinstance(error, (MissingExtraError, NoConvergence, LoadError)):
        assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.fixture(scope="module")
def hostile():
    """Every name of a mechanism with a loop, a shape on a floor, a motor and a tendon is hostile."""
    robot = lw.load("four_bar")
    data = serialization.to_dictionary(robot)
    renamed = {name: f"{name}{NAME}" for name in _names(robot)}
    return serialization.from_dictionary(_renamed(data, renamed))


def _names(robot):
    return [
        robot.name, *(b.name for b in robot.bodies[1:]), *(j.name for j in robot.joints),
        *(c.name for c in robot.constraints), *(f for f in robot.frames if f != robot.bodies[0].name),
    ]  # fmt: skip


def _renamed(value, names):
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(one, names) for key, one in value.items()}
    return [_renamed(one, names) for one in value] if isinstance(value, list) else value


@pytest.fixture
def hostile_file(hostile, tmp_path):
    return lw.save(hostile, tmp_path / "robot.json") or tmp_path / "robot.json"


def test_what_is_printed_of_a_model(hostile):
    q = hostile.drawn
    found = (
        hostile, loops(hostile), lw.check_state(hostile, q), lw.mobility(hostile), lw.inspect(hostile),
        lw.project_configuration(hostile, q), lw.simulate(hostile, steps=3),
    )  # fmt: skip
    for one in found:
        assert is_shown_safely(str(one)), type(one).__name__
        assert all(line.isprintable() for line in repr(one).split("\n")), type(one).__name__  # by Python's own rule
    with pytest.raises(LinkwrightError) as caught:
        hostile.joint_index("other" + NAME)
    assert is_shown_safely(str(caught.value))
    builder = lw.ModelBuilder("a")
    builder.add_warnings(f"about {NAME}")
    assert is_shown_safely(builder.build().warnings[0])


COMMANDS = (
    ("inspect", "FILE", "--no-times", "--all", "--svg", "OUT.svg"), ("inspect", "FILE", "--no-times", "--json"),
    ("simulate", "FILE", "--seconds", "0.01", "--plot", "OUT.png", "--html", "OUT.html"),
    ("simulate", "FILE", "--seconds", "0.01", "--json"),
    ("inspect", "FILE" + NAME), ("simulate", "[red]" + NAME), ("demo", "--robot", NAME), ("view", NAME),
    ("algorithms", NAME), ("bench", "trust", "--classes", NAME), ("bench", "tree", "--robots", NAME, "--no-cpp"),
    ("bench", "drops", "--robots", NAME), ("bench", "agree", "--robots", NAME), ("bench", "compile", "--plot", NAME),
    ("reproduce", NAME), ("reproduce", "--robot", f"iiwa={NAME}", "--list"), ("reproduce", "--list", "--output", NAME),
)  # fmt: skip


@pytest.mark.parametrize(
    "command", COMMANDS, ids=lambda command: "-".join(command)[:24].encode("unicode_escape").decode()
)
def test_commands(command, hostile_file, tmp_path, monkeypatch, capsys):
    if command[0] == "view":
        pytest.importorskip("viser", reason="the extra 'view' is not installed")
    monkeypatch.setenv("COLUMNS", "600")
    given = [x.replace("FILE", str(hostile_file)).replace("OUT", str(tmp_path / "out")) for x in command]
    monkeypatch.setattr(sys, "argv", ["linkwright", *given])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        cli.main()
    said = "".join(capsys.readouterr())
    assert is_shown_safely(said), [line for line in said.split("\n") if printable(line) != line][:3]
    assert "Traceback" not in said
    if "--json" not in command and "--list" not in command:
        assert "[red]x[/red]" in said and ":skull:" in said  # not taken for markup


def test_a_terminal_lets_nothing_through(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    console = Terminal(width=400)
    console.print(NAME, markup=False)
    console.print(f"[bold]{plain(NAME)}[/]")
    assert is_shown_safely(sys.stdout.getvalue()) and sys.stdout.getvalue().count(":skull:<b>") == 2


def test_pages_and_pictures(hostile, tmp_path):
    q = np.array([hostile.drawn] * 2)
    page = animation_page(hostile, q, np.array([0.0, 0.1]))
    lw.viewer.write_svg(hostile, q[0], tmp_path / "still.svg")
    for text in (page, graph_picture(hostile), (tmp_path / "still.svg").read_text()):
        # what else is in a page is ours, and has tabs nowhere
        assert is_shown_safely(text) and "[red]x[/red]" in text and "<b>" not in text.replace("<b></b>", "")
    assert is_shown_safely(xml_text(NAME)) and len(shortened(NAME)) == 17
    lw.viewer.write_html(hostile, q, [0.0, 0.1], tmp_path / "a.html", title=NAME)
    assert is_shown_safely((tmp_path / "a.html").read_text())


def test_tables_and_comments():
    csv = table_csv(Table(NAME, [NAME], [[NAME]])).decode()
    assert is_shown_safely(csv) and csv.count("\n") == 2
    assert is_shown_safely(comment(NAME)) and "*/" not in comment("*/")


def test_names_that_no_xml_can_hold_are_not_written():
    robot = lw.ModelBuilder("a\x1bb")
    robot.add_body("link", lw.revolute("turn", "z"), inertia=lw.Inertia.sphere(1.0, 0.1))
    with pytest.raises(UnsupportedError, match="which no XML file can hold"):
        to_mjcf(robot.build())
