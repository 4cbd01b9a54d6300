"""Damaged SDF, MJCF, looped URDF and YAML files: a model or a LinkwrightError comes out, within a second."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import file_fuzz
import pytest
from damage import damaged_bytes, damaged_structure, damaged_values
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mjcf_files import COUPLINGS, EQUALITIES, EVERY_JOINT, with_equality
from sdf_files import FOUR_BAR
from test_urdf_loops import LOOP, YAML, robot

from linkwright.errors import LinkwrightError, LoadError
from linkwright.io import load
from linkwright.io.json_files import read_json
from linkwright.io.mjcf.mjcf_reader import read_mjcf
from linkwright.io.sdf.sdf_reader import read_sdf
from linkwright.io.urdf.parallel_robots import read_closures
from linkwright.io.urdf.urdf_reader import read_urdf
from linkwright.model import Model
from linkwright.model.serialization import to_dictionary
from linkwright.robots.catalog import find_robot

COUPLING = (
    '<coupling name="belt"><predecessor link="link2"/><successor link="link3"/><ratio value="6"/></coupling>'
    '<loop_joint name="l" type="spherical"><link1 link="link2" xyz="1 0 0" rpy="0 0 1"/><link2 link="link3"/>'
    "</loop_joint>"
)
SOURCES = {
    "sdf": [FOUR_BAR],
    "urdf": [robot(LOOP.format("revolute"), COUPLING)],
    "mjcf": [EVERY_JOINT, *(with_equality(text) for text in {**EQUALITIES, **COUPLINGS}.values())],
}
if find_robot("cassie").available:
    SOURCES["sdf"].append(find_robot("cassie").path().read_text())
READERS = {"sdf": read_sdf, "mjcf": read_mjcf, "urdf": read_urdf}
TAGS = {
    "sdf": ["link", "joint", "frame", "model", "pose", "axis", "axis2", "inertial", "parent", "static", "mimic"],
    "urdf": ["link", "joint", "loop", "coupling", "loop_joint", "predecessor", "successor", "origin", "axis", "ratio"],
    "mjcf": ["body", "joint", "geom", "site", "freejoint", "inertial", "frame", "replicate", "default", "connect",
             "weld", "tendon", "fixed", "spatial", "equality", "key", "option", "compiler", "flag",
             "include", "asset", "mesh"],
}  # fmt: skip
FUZZ = settings(max_examples=50, deadline=None, database=None, suppress_health_check=list(HealthCheck))
randoms = st.randoms(use_true_random=False)
counts = st.integers(1, 4)
formats = pytest.mark.parametrize("kind", ["sdf", "urdf", "mjcf"])


@pytest.fixture(autouse=True)
def _needs_mujoco(request):
    if "mjcf" in request.node.name:
        pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")


def survives(kind: str, data: str | bytes) -> None:
    start = time.process_time()  # not of the clock: machines that run tests are busy
    try:
        model = READERS[kind](data, file="robot.xml")
    except LinkwrightError as error:
        assert 0 < len(str(error)) < 5000
        assert "robot.xml" in str(error)
        if isinstance(error, LoadError):
            assert error.line is not None, str(error)
        assert time.process_time() - start < 1
    else:
        assert isinstance(model, Model)
        assert time.process_time() - start < 1
        assert read_json(json.dumps(to_dictionary(model))).fingerprint == model.fingerprint


@formats
@FUZZ
@given(rng=randoms, count=counts)
def test_damaged_bytes(kind, rng, count):
    survives(kind, damaged_bytes(rng.choice(SOURCES[kind]).encode(), rng, count))


@formats
@FUZZ
@given(rng=randoms, count=counts)
def test_damaged_values(kind, rng, count):
    survives(kind, damaged_values(rng.choice(SOURCES[kind]), rng, count))


@formats
@FUZZ
@given(rng=randoms, count=counts)
def test_damaged_structure(kind, rng, count):
    survives(kind, damaged_structure(rng.choice(SOURCES[kind]), rng, count, TAGS[kind]))


@FUZZ
@given(rng=randoms, count=counts)
def test_damaged_yaml(rng, count):
    full = YAML + "joint_name:\n  - j2\n  - 'j3'\njoint_type: [\n  UJOINT_ZX, 'SPHERICAL',\n  ]\n"
    start = time.process_time()
    try:
        read_closures(damaged_bytes(full.encode(), rng, count), "robot.yaml")
    except LoadError as error:
        assert "robot.yaml" in str(error)
    assert time.process_time() - start < 1


@FUZZ
@given(data=st.binary(max_size=300))
def test_any_bytes_in_yaml(data):
    try:
        read_closures(b"closed_loop: " + data, "robot.yaml")
    except LoadError as error:
        assert "robot.yaml" in str(error)


def survives_in_processes(numbers: range) -> None:
    """Values that printf or terminals take for orders, depth, encodings, huge numbers: files of all formats."""
    for package in ("mujoco", "trimesh", "collada"):
        pytest.importorskip(package, reason="needs pip install 'linkwright[io,view]'")
    cases = [(kind, number) for number in numbers for kind in file_fuzz.KINDS]
    counts, wrong = file_fuzz.run(cases)
    assert not wrong, "\n".join(wrong)
    assert sum(counts.values()) == len(cases) and {"mjcf: model", "urdf: refused"} <= set(counts)


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="memory of processes is limited on Linux only")


@needs_linux
def test_a_few_of_all_formats_in_processes_of_their_own():
    survives_in_processes(range(12))


@needs_linux
@pytest.mark.long
def test_thousands_of_all_formats_in_processes_of_their_own():
    survives_in_processes(range(1000, 1500))


DANGERS = {
    "entity bomb": '<!DOCTYPE r [<!ENTITY a "' + "ha" * 50 + '"><!ENTITY b "' + "&a;" * 500 + '">]>{}',
    "external entity": '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>{}',
    "external document type": '<!DOCTYPE r SYSTEM "http://example.invalid/x.dtd">{}',
}


@formats
@pytest.mark.parametrize("name", DANGERS)
def test_dangerous_declarations(kind, name, tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(DANGERS[name].format(SOURCES[kind][0]))
    start = time.process_time()
    with pytest.raises(LoadError, match="DTD"):
        load(path)
    assert time.process_time() - start < 1


ABSURD = {
    "memory": '<size memory="900G" njmax="2000000000" nconmax="2000000000" nkey="2000000000" nuserdata="2000000000"/>',
    "user data": '<size nuser_body="2000000000" nuser_jnt="2000000000"/>',
    "texture": '<asset><texture name="t" type="2d" builtin="flat" width="200000" height="200000"/></asset>',
    "height field": '<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>',
}


@pytest.mark.parametrize("name", ABSURD)
def test_absurd_sizes_are_not_allocated_mjcf(name):
    start = time.process_time()
    model = load(EVERY_JOINT.replace("<worldbody>", ABSURD[name] + "<worldbody>", 1))
    assert model.nv == 15 and time.process_time() - start < 1


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("<robot name='r'>{}</robot>", "<link name='l{}'/>"),
        ("<sdf version='1.9'><model name='m'>{}</model></sdf>", "<frame name='f{}'/>"),
        ("<mujoco><worldbody>{}</worldbody></mujoco>", "<site name='s{}'/>"),
    ],
)
def test_absurd_numbers_of_parts(text, part):
    whole = text.format("".join(part.format(k) for k in range(60_000)))
    taken = []
    for _ in range(3):  # the best of them: what else a process holds makes collecting garbage slow
        start = time.process_time()
        with pytest.raises(LoadError, match="no mechanism"):
            load(whole)
        taken.append(time.process_time() - start)
    assert min(taken) < 1


def test_nothing_is_written_where_the_user_works_mjcf(tmp_path, monkeypatch):
    """MuJoCo keeps a log of its warnings in the current folder if it is let."""
    monkeypatch.chdir(tmp_path)
    survives("mjcf", EVERY_JOINT.replace('mass="1.3"', 'mass="1e-12"'))
    survives("mjcf", EVERY_JOINT.replace('pos="0.3 0 0"', 'pos="nan 0 0"'))
    assert list(Path(tmp_path).iterdir()) == []
