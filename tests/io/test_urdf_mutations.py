"""Damaged robots: whatever the bytes, a model or a LinkwrightError comes out, within a second."""

from __future__ import annotations

import json
import random
import time

import pytest
from damage import damaged_bytes, damaged_structure, damaged_values, written
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from urdf_writer import PENDULUM, write_urdf

from linkwright.errors import LinkwrightError
from linkwright.io import load
from linkwright.io.json_files import read_json
from linkwright.io.text.xml import parse_xml
from linkwright.io.urdf.urdf_reader import read_urdf
from linkwright.model import Model
from linkwright.model.serialization import to_dictionary
from linkwright.robots import humanoid
from linkwright.robots.catalog import find_robot

HUMANOID = write_urdf(humanoid())
SOURCES = {"pendulum": PENDULUM, "humanoid": HUMANOID}
for name in ("panda", "solo12"):
    if find_robot(name).available:
        SOURCES[name] = find_robot(name).path().read_text()

TAGS = ["link", "joint", "origin", "inertial", "mass", "loop", "gazebo", "mimic", "frame", "limit", "axis", "x:y"]
FUZZ = settings(max_examples=120, deadline=None, database=None, suppress_health_check=list(HealthCheck))
randoms = st.randoms(use_true_random=False)
sources = st.sampled_from(sorted(SOURCES))


def survives(data: str | bytes, floating_base: bool) -> None:
    start = time.process_time()  # not of the clock: machines that run tests are busy
    try:
        read = load if isinstance(data, str) else read_urdf
        model = read(data, floating_base=floating_base)
    except LinkwrightError as error:
        assert str(error)
        assert len(str(error)) < 5000
        assert time.process_time() - start < 1
    else:
        assert isinstance(model, Model)
        assert time.process_time() - start < 1
        assert read_json(json.dumps(to_dictionary(model))).fingerprint == model.fingerprint


@FUZZ
@given(source=sources, rng=randoms, floats=st.booleans(), count=st.integers(1, 4))
def test_damaged_bytes(source, rng, floats, count):
    survives(damaged_bytes(SOURCES[source].encode(), rng, count), floats)


@FUZZ
@given(source=sources, rng=randoms, floats=st.booleans(), count=st.integers(1, 3))
def test_damaged_attributes(source, rng, floats, count):
    survives(damaged_values(SOURCES[source], rng, count), floats)


@FUZZ
@given(source=sources, rng=randoms, floats=st.booleans(), count=st.integers(1, 4))
def test_damaged_structure(source, rng, floats, count):
    survives(damaged_structure(SOURCES[source], rng, count, TAGS), floats)


@pytest.mark.parametrize("seed", range(20))
def test_order_in_the_file_does_not_matter(seed):
    root = parse_xml(HUMANOID)
    random.Random(seed).shuffle(root.children)
    assert read_urdf(written(root), floating_base=True) == read_urdf(HUMANOID, floating_base=True)


@FUZZ
@given(data=st.binary(max_size=300))
def test_any_bytes(data):
    survives(data, False)
    survives(b"<robot>" + data + b"</robot>", False)
