"""The on-disk cache: used when intact, ignored and replaced when not, never in the way."""

from __future__ import annotations

import logging
import os
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from programs import chain

import linkwright
from linkwright.codegen import cache, compile_cached, compile_program
from linkwright.codegen.target import host_target

ARGUMENTS = np.linspace(0, 1, 5), np.ones(4), np.zeros(4)
posix = pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX")
as_user = pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")


@pytest.fixture
def directory(tmp_path, monkeypatch):
    path = tmp_path / "cache"
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(path))
    cache._warn_about.cache_clear()
    cache._warn_about_entry.cache_clear()
    return path


def entries(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.lwc"))


def forbidden():
    raise AssertionError("the program was traced although the cache holds it")


def test_second_compilation_reads_a_file(directory):
    first = compile_program(chain())
    second = compile_program(chain())
    assert not first.from_cache and second.from_cache
    assert len(entries(directory)) == 1
    np.testing.assert_array_equal(first(*ARGUMENTS), second(*ARGUMENTS))
    assert second.ir == first.ir and second.operations == first.operations
    assert second.inputs == first.inputs and second.compile_seconds == first.compile_seconds


def test_key_needs_no_trace(directory):
    compile_cached(chain, key="the chain")
    warm = compile_cached(forbidden, key="the chain")
    assert warm.from_cache and warm.name == "chain"
    with pytest.raises(AssertionError, match="traced"):
        compile_cached(forbidden, key="another")


def test_what_makes_a_key():
    target = host_target()
    options = {"lanes": 4, "dtype": "float64", "target": target}
    key = cache.make_key("a", **options)
    assert key == cache.make_key("a", **options)
    assert key != cache.make_key("b", **options)
    assert key != cache.make_key("a", **{**options, "lanes": 2})
    assert key != cache.make_key("a", **{**options, "dtype": "float32"})
    assert key == cache.make_key("a", **options, arithmetic=options["dtype"])
    assert key != cache.make_key("a", **options, arithmetic="float32")
    other = type(target)(target.triple, target.cpu, target.features + ",+other")
    assert key != cache.make_key("a", **{**options, "target": other})


def test_programs_differ_by_content(directory):
    compile_program(chain("one"))
    assert not compile_program(chain("two")).from_cache
    assert not compile_program(chain("one"), lanes=1).from_cache


def test_can_be_switched_off(directory, monkeypatch):
    compile_program(chain(), cache=False)
    assert not directory.exists()
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, "off")
    assert not compile_program(chain()).from_cache and not compile_program(chain()).from_cache


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "foreign", "append", "renamed"])
def test_damaged_files_are_replaced(directory, damage):
    function = compile_program(chain())
    (path,) = entries(directory)
    intact = path.read_bytes()
    if damage == "renamed":  # an intact file of another function under this one's name
        compile_program(chain("other"))
        (other,) = (x for x in entries(directory) if x != path)
        intact = other.read_bytes()
    damaged = {
        "truncate": intact[: len(intact) // 2],
        "flip": intact[:-1000] + bytes([intact[-1000] ^ 1]) + intact[-999:],
        "empty": b"",
        "foreign": b"\x7fELF" + bytes(1000),
        "append": intact + b"x",
        "renamed": intact,
    }[damage]
    path.write_bytes(damaged)
    again = compile_program(chain())
    assert not again.from_cache
    np.testing.assert_array_equal(again(*ARGUMENTS), function(*ARGUMENTS))
    assert path.read_bytes() != damaged
    assert compile_program(chain()).from_cache


@posix
@pytest.mark.parametrize("odd", ["pipe", "link", "link to a pipe", "dangling link", "link to a device", "socket"])
def test_what_is_no_file_is_replaced_and_not_waited_for(directory, odd, tmp_path, caplog, monkeypatch):
    function = compile_program(chain())
    (path,) = entries(directory)
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    intact = elsewhere.read_bytes()
    if odd == "pipe":
        os.mkfifo(path)
    elif odd == "socket":
        monkeypatch.chdir(directory)  # names of sockets are short
        socket.socket(socket.AF_UNIX).bind(path.name)
    elif odd == "link to a pipe":
        os.mkfifo(tmp_path / "pipe")
        path.symlink_to(tmp_path / "pipe")
    else:
        path.symlink_to({"link": elsewhere, "dangling link": tmp_path / "none", "link to a device": "/dev/zero"}[odd])
    again = compile_program(chain())
    assert not again.from_cache and str(path) in caplog.text and "ignored" in caplog.text
    np.testing.assert_array_equal(again(*ARGUMENTS), function(*ARGUMENTS))
    assert elsewhere.read_bytes() == intact
    assert path.is_file() and not path.is_symlink() and compile_program(chain()).from_cache


@posix
def test_a_folder_in_place_of_a_file_costs_a_warning(directory, caplog):
    compile_program(chain())
    (path,) = entries(directory)
    path.unlink()
    path.mkdir()
    assert not compile_program(chain()).from_cache and str(path) in caplog.text
    assert path.is_dir()


@posix
def test_directory_is_private(directory):
    compile_program(chain())
    assert directory.stat().st_mode & 0o777 == 0o700
    assert entries(directory)[0].stat().st_mode & 0o077 == 0


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770])
def test_directory_others_can_write_to_is_not_used(directory, mode, caplog):
    compile_program(chain())
    directory.chmod(mode)
    with caplog.at_level(logging.WARNING, "linkwright"):
        assert not compile_program(chain()).from_cache
        assert not compile_program(chain()).from_cache
    assert len([r for r in caplog.records if "writeable by other users" in r.message]) == 1


@posix
def test_directory_of_another_user_is_not_used(directory, caplog, monkeypatch):
    compile_program(chain())
    real = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: real + 1)
    assert not compile_program(chain()).from_cache
    assert "belongs to another user" in caplog.text


@posix
@pytest.mark.parametrize("way", ["beside", "through a link", "two above"])
def test_a_directory_that_anyone_could_replace_is_not_used(directory, tmp_path, caplog, monkeypatch, way):
    """Its own mode says nothing if the folder above it lets others rename it."""
    open_to_all = tmp_path / "open"
    open_to_all.mkdir()
    chosen = open_to_all / "cache"
    if way == "two above":
        chosen = open_to_all / "mine" / "cache"
    elif way == "through a link":
        (tmp_path / "real").mkdir(mode=0o700)
        chosen.symlink_to(tmp_path / "real")
    monkeypatch.setenv(cache.DIRECTORY_VARIABLE, str(chosen))
    open_to_all.chmod(0o777)
    for _ in range(2):
        assert not compile_program(chain()).from_cache
    assert len([r for r in caplog.records if "open, above it, is writeable by everybody" in r.message]) == 1
    open_to_all.chmod(0o1777)  # as /tmp is: what is there can be renamed by its owner alone
    compile_program(chain())
    assert compile_program(chain()).from_cache


def test_unusable_directory(directory, caplog):
    directory.write_text("a file where the directory should be")
    function = compile_program(chain())
    assert function(*ARGUMENTS).shape == (4,)
    assert "is not used" in caplog.text


@as_user
def test_read_only_directory(directory, caplog):
    compile_program(chain())
    directory.chmod(0o500)
    try:
        assert compile_program(chain()).from_cache
        assert not compile_program(chain("other")).from_cache
        assert "is not used" in caplog.text
    finally:
        directory.chmod(0o700)


def test_full_disk(directory, caplog, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    assert compile_program(chain())(*ARGUMENTS).shape == (4,)
    assert "No space left" in caplog.text
    assert not list(directory.iterdir())


def test_size_is_bounded(directory, monkeypatch):
    for k in range(3):
        compile_program(chain(f"f{k}"))
        os.utime(entries(directory)[-1])
    sizes = [x.stat().st_size for x in entries(directory)]
    lanes = compile_program(chain("f0")).lanes
    content = "program " + cache.program_content(chain("f0"))
    first = cache.make_key(content, lanes=lanes, dtype="float64", target=host_target())
    for path in entries(directory):  # f0 was used a moment ago, the others long before
        if path.stem != first:
            os.utime(path, (1, 1))
    monkeypatch.setattr(cache, "LARGEST_TOTAL", max(sizes) * 5 // 2)
    compile_program(chain("f3"))
    remaining = {x.stem for x in entries(directory)}
    assert first in remaining and len(remaining) == 2


def test_abandoned_temporary_files_are_removed(directory):
    compile_program(chain())
    old, new = directory / ".writing-old", directory / ".writing-new"  # left by a killed process; being written now
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    compile_program(chain("other"))
    assert not old.exists() and new.exists()


SCRIPT = """
import sys
sys.path[:0] = {paths!r}
import numpy as np
from programs import chain
from linkwright.codegen import compile_program
function = compile_program(chain())
print(function(np.linspace(0, 1, 5), np.ones(4), np.zeros(4)).tolist())
"""


def test_two_processes_at_once(directory):
    paths = [str(Path(__file__).parent), str(Path(linkwright.__file__).parent.parent)]
    command = [sys.executable, "-c", SCRIPT.format(paths=paths)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    answers = {process.communicate()[0] for process in processes}
    assert all(process.returncode == 0 for process in processes)
    assert len(answers) == 1
    assert len(entries(directory)) == 1 and not list(directory.glob(".writing-*"))
    function = compile_program(chain())
    assert function.from_cache and str(function(*ARGUMENTS).tolist()) == answers.pop().strip()


def test_killed_while_writing(directory):
    """A process that dies in the middle leaves a temporary file, never a damaged entry."""
    paths = [str(Path(__file__).parent), str(Path(linkwright.__file__).parent.parent)]
    script = "import os\nos.replace = lambda *a: os._exit(9)\n" + SCRIPT.format(paths=paths)
    assert subprocess.run([sys.executable, "-c", script]).returncode == 9
    assert not entries(directory) and list(directory.glob(".writing-*"))
    assert not compile_program(chain()).from_cache
    assert compile_program(chain()).from_cache
