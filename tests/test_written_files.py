"""Every writer: a full disk, a folder that is not there, names that are none. Named, and nothing is left behind."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys

import pytest

import linkwright as lw
from linkwright import cli
from linkwright.atomic_file import replacing, write_atomically
from linkwright.errors import InputError, LinkwrightError
from linkwright.reproduce.files import write_results
from linkwright.reproduce.sections import write_section
from linkwright.rollouts.chunk_files import NpyFiles
from linkwright.sim.plotting import plot

resource = pytest.importorskip("resource", reason="the disk is full beyond a limit that POSIX systems have")
LIMIT = 100  # bytes of any file


@contextlib.contextmanager
def full_disk():
    """No file may grow beyond some bytes: the system itself refuses, as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(scope="module")
def robot():
    return lw.load("four_bar")


@pytest.fixture(scope="module")
def trajectory(robot):
    return lw.simulate(robot, steps=20, record=2)


@pytest.fixture(scope="module")
def function():
    return lw.compile(lambda x: x[0] * x[1], inputs={"x": 2})


WRITERS = {
    "a page": ("a.html", lambda f, tr, to: lw.viewer.write_html(tr.model, tr.q, tr.t, to)),
    "a picture": ("a.svg", lambda f, tr, to: lw.viewer.write_svg(tr.model, tr.q[0], to)),
    "a graph": ("a.svg", lambda f, tr, to: lw.viewer.graph_svg(tr.model, to)),
    "a figure": ("a.png", lambda f, tr, to: plot(tr, to)),
    "a film": ("a.gif", lambda f, tr, to: lw.viewer.write_video(tr.model, tr.q, tr.t, to, width=32, height=32)),
    "another film": ("a.mp4", lambda f, tr, to: lw.viewer.write_video(tr.model, tr.q, tr.t, to, width=64, height=64)),
    "a model": ("a.json", lambda f, tr, to: lw.save(tr.model, to)),
    "a function": ("a.lwf", lambda f, tr, to: f.save(to)),
    "C": ("a.c", lambda f, tr, to: lw.export_c(f, to.parent, name="a")),
    "chunks": ("00007.json", lambda f, tr, to: NpyFiles(to.parent).put(7, {"q": tr.q})),
    "results": ("results.json", lambda f, tr, to: write_results([], to.parent) and write_atomically(to, "x" * 200)),
    "a section": ("s.json", lambda f, tr, to: write_section(to.parent, "s", [])),
}  # fmt: skip


@pytest.fixture(params=WRITERS)
def writer(request, function, trajectory):
    if request.param == "a figure" and "full_disk" not in request.node.name:
        pytest.skip("written as all others are")
    name, write = WRITERS[request.param]
    if "film" in request.param:
        pytest.importorskip("imageio_ffmpeg")
    if request.param == "a figure":
        pytest.importorskip("matplotlib")
    return name, lambda to: write(function, trajectory, to)


def test_a_full_disk_is_named_and_leaves_nothing(writer, tmp_path):
    name, write = writer
    with full_disk(), pytest.raises(LinkwrightError, match=r"written|write") as caught:
        write(tmp_path / name)
    assert str(tmp_path) in str(caught.value) and "\n" not in str(caught.value)
    left = [path for path in tmp_path.iterdir() if path.name != "results.json" or path.stat().st_size > 2]
    assert not left, left


def test_what_was_there_stays(writer, tmp_path):
    name, write = writer
    (tmp_path / name).write_text("before")
    with full_disk(), contextlib.suppress(LinkwrightError):
        write(tmp_path / name)
        raise AssertionError("it was written")
    assert (tmp_path / name).read_text() == "before" or name == "results.json"


def test_a_folder_that_is_none(writer, tmp_path):
    name, write = writer
    (tmp_path / "file").write_text("")
    with pytest.raises(LinkwrightError, match="file"):
        write(tmp_path / "file" / name)


def test_files_are_replaced_whole(tmp_path):
    path = tmp_path / "a"
    assert write_atomically(path, "ä\udcff") == path and path.read_bytes() == "ä\\udcff".encode()
    path.chmod(0o640)
    write_atomically(str(path), b"2")
    assert path.read_bytes() == b"2" and stat.S_IMODE(path.stat().st_mode) == 0o640
    (tmp_path / "link").symlink_to(path)
    write_atomically(tmp_path / "link", b"3")
    assert (tmp_path / "link").is_symlink() and path.read_bytes() == b"3"
    with pytest.raises(KeyError), replacing(path) as temporary:
        temporary.write_bytes(b"4")
        raise KeyError
    assert path.read_bytes() == b"3"
    with pytest.raises(KeyboardInterrupt), replacing(path, even_if=(KeyboardInterrupt,)) as temporary:
        temporary.write_bytes(b"5")
        raise KeyboardInterrupt
    assert path.read_bytes() == b"5" and len(list(tmp_path.iterdir())) == 2


def test_devices_are_written_to(tmp_path):
    write_atomically("/dev/null", b"x" * 1000)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    if os.path.exists("/dev/full"):
        with pytest.raises(InputError, match="/dev/full could not be written: No space left"):
            write_atomically("/dev/full", b"x" * 100_000)


@pytest.mark.parametrize("name", ["", "a\0b", "x" * 5000, "no/such/folder/a", None, 3])
def test_names_that_are_none(tmp_path, name):
    given = tmp_path / name if isinstance(name, str) and name else name
    with pytest.raises(InputError, match=r"written|no name of a file"):
        write_atomically(tmp_path if name == "" else given, b"1")
    assert not list(tmp_path.iterdir())


def test_long_names(tmp_path):
    for name in ("x" * 255, "ä" * 127, "a." + "y" * 250):
        assert write_atomically(tmp_path / name, b"1").read_bytes() == b"1"
    assert len(list(tmp_path.iterdir())) == 3


def test_results_that_are_kept_are_whole_lines(tmp_path):
    from linkwright.cli.kept_results import KeptResults

    class Number:
        def __init__(self, x):
            self.x = x

        def as_dictionary(self):
            return {"x": self.x}

        @classmethod
        def from_dictionary(cls, data):
            return cls(data["x"])

    path = tmp_path / "kept"
    kept = KeptResults(str(path), Number)
    kept.add(Number(1))
    with full_disk(), pytest.raises(InputError, match=r"--into .*kept: could not be written"):
        kept.add(Number("x" * 300))
    assert [json.loads(line) for line in path.read_text().splitlines()] == [{"x": 1}]


def test_commands_end_with_a_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    for command in (
        ("simulate", "four_bar", "--seconds", "0.01", "--html", str(tmp_path / "file" / "a.html")),
        ("inspect", "four_bar", "--no-times", "--svg", str(tmp_path / "file" / "a.svg")),
        ("demo", "--robot", "four_bar", "--output", str(tmp_path / "file")),
    ):
        monkeypatch.setattr(sys, "argv", ["linkwright", *command])
        with pytest.raises(SystemExit) as caught:
            cli.main()
        said = capsys.readouterr().err
        assert caught.value.code == 1 and "Traceback" not in said and "error:" in said
