"""`load` finds out what it was given."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from mjcf_files import EVERY_JOINT
from sdf_files import FOUR_BAR
from urdf_writer import PENDULUM

import linkwright as lw
from linkwright.errors import InputError, LoadError, MissingExtraError
from linkwright.io import load, save
from linkwright.robots import catalog, chain, packages


def test_a_model_is_returned_as_it_is():
    model = chain(3)
    assert load(model) is model


def test_text_and_files_and_paths(tmp_path):
    path = tmp_path / "some robot.xml"
    path.write_text(PENDULUM)
    assert load(PENDULUM) == load(path) == load(str(path)) == load("\n  " + PENDULUM)
    assert load(path, floating_base=True).nv == 7 and load(path, floating_base=None).nv == 1


def test_content_decides_not_the_name(tmp_path):
    path = tmp_path / "robot.urdf"
    save(chain(3), tmp_path / "robot.json").rename(path)
    assert load(path) == chain(3)


@pytest.mark.parametrize("name", ["robot.urdf", "robot.sdf", "robot.yaml", "robot.v2"])
def test_no_format_is_written_under_the_name_of_another(name, tmp_path):
    with pytest.raises(InputError, match=re.escape(repr(Path(name).suffix))):
        save(chain(3), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_what_list_robots_returns_can_be_loaded():
    known = next(robot for robot in lw.list_robots() if robot.name == "four_bar")
    assert load(known) == load("four_bar")


def test_every_format_is_recognised_by_content(tmp_path):
    pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")
    texts = {"sdf": (FOUR_BAR, 3), "mjcf": (EVERY_JOINT, 15), "urdf": (PENDULUM, 1)}
    for name, (text, nv) in texts.items():
        path = tmp_path / f"{name}.txt"
        path.write_text(text)
        assert load(path).nv == load(text).nv == nv, name


def test_mujoco_is_needed_for_mjcf_only(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    assert load(FOUR_BAR).nv == 3
    with pytest.raises(MissingExtraError, match=r"linkwright\[io\]"):
        load(EVERY_JOINT)


def test_other_xml():
    with pytest.raises(LoadError, match="not a robot description"):
        load("<html/>")


def test_misspelt_names_get_a_hint():
    with pytest.raises(LoadError, match=r"'tallos' is neither.*'talos'"):
        load("tallos")


def test_missing_files(tmp_path):
    with pytest.raises(LoadError, match=r"none\.urdf' is neither a file nor a known robot"):
        load(tmp_path / "none.urdf")


@pytest.mark.parametrize("source", ["", "a\0b", "x" * 10_000, "no/such/thing", "talos:3"])
def test_strings_that_are_nothing(source):
    with pytest.raises(LoadError, match="neither a file nor a known robot"):
        load(source)


def test_folders_and_pipes(tmp_path):
    with pytest.raises(LoadError, match="not a regular file"):
        load(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(LoadError, match="not a regular file"):
            load(tmp_path / "pipe")


def test_too_large(tmp_path, monkeypatch):
    path = tmp_path / "robot.urdf"
    path.write_text(PENDULUM)
    monkeypatch.setattr(sys.modules["linkwright.io.text.reading"], "MAX_BYTES", 10)
    with pytest.raises(LoadError, match="larger than 10 bytes"):
        load(path)


@pytest.mark.parametrize("source", [3, None, b"<robot/>", ["talos"]])
def test_other_types(source):
    with pytest.raises(InputError, match="cannot load a"):
        load(source)


def test_floating_base_needs_a_file_or_a_name(tmp_path):
    for source in (chain(3), save(chain(3), tmp_path / "m.json")):
        with pytest.raises(InputError, match="floating_base"):
            load(source, floating_base=True)


def test_mechanisms_with_numbers_in_their_names():
    assert load("chain:12").nv == 12 and load("chain:12", floating_base=True).nv == 17
    assert load("tree:9,3").nbodies == 10
    assert load("stem_with_branches:4,3,2").nbodies == 1 + 4 + 2 * 3 * 2
    assert load("random_tree:5,4") == lw.load("random_tree:5,4")


@pytest.mark.parametrize("name", ["chain:", "chain:x", "chain:1,2", "chain:0", "chain:-1", "chain:9999999", "tree:3,0"])
def test_numbers_that_do_not_fit(name):
    with pytest.raises(InputError):
        load(name)


def test_missing_package_names_the_extra(monkeypatch):
    monkeypatch.setattr(catalog, "find_file", lambda package, ending: None)
    monkeypatch.setattr(catalog, "version", lambda package: None)
    with pytest.raises(MissingExtraError, match=r"linkwright\[robots\]"):
        load("talos")
    robot = next(robot for robot in lw.list_robots() if robot.name == "talos")
    assert not robot.available and robot.needs == "linkwright[robots]"


def test_package_without_the_file(monkeypatch):
    monkeypatch.setattr(catalog, "find_file", lambda package, ending: None)
    monkeypatch.setattr(catalog, "version", lambda package: "0.1")
    with pytest.raises(LoadError, match=r"0\.1 is installed but lacks"):
        load("talos")


def test_no_such_package():
    assert packages.version("no-such-package-anywhere") is None
    assert packages.find_file("no-such-package-anywhere", "x.urdf") is None


def test_loading_needs_no_other_library(tmp_path):
    """Pinocchio is imported only when asked for."""
    code = "import sys, linkwright as lw; lw.load('humanoid'); print({'pinocchio', 'lxml', 'mujoco'} & {*sys.modules})"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert run.stdout.strip() == "set()"
