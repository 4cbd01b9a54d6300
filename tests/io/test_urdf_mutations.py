"""Damaged robots: whatever the bytes, a model or a LinkwrightError comes out, within a second."""

from __future__ import annotations

import json
import random
import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from urdf_writer import PENDULUM, write_urdf

from linkwright.errors import LinkwrightError
from linkwright.io import load
from linkwright.io.json import read_json
from linkwright.io.urdf import read_urdf
from linkwright.io.xml import Element, parse_xml
from linkwright.model import Model
from linkwright.model.serialization import to_dictionary
from linkwright.robots import humanoid
from linkwright.robots.catalog import find_robot

HUMANOID = write_urdf(humanoid())
SOURCES = {"pendulum": PENDULUM, "humanoid": HUMANOID}
for name in ("panda", "solo12"):
    if find_robot(name).available:
        SOURCES[name] = find_robot(name).path().read_text()

VALUES = [
    "", " ", "nan", "-inf", "1e400", "1e49", "-1e49", "1e-320", "-0", "0", "-1", "0 0 0", "1 2", "1 2 3 4",
    "1e49 1e49 1e49", "\u0661", "${x}", "true", "fixed", "floating", "planar", "prismatic", "continuous", "world",
    "root_joint", "x" * 300,
]  # fmt: skip
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
    data = bytearray(SOURCES[source].encode())
    for _ in range(count):
        a = rng.randrange(len(data))
        b = min(len(data), a + rng.choice([1, 1, 5, 50, 500]))
        action = rng.randrange(5)
        if action == 0:
            del data[a:b]
        elif action == 1:
            data[a:a] = data[a:b]
        elif action == 2:
            data[a] = rng.randrange(256)
        elif action == 3:
            data[a:a] = rng.choice([b"<", b">", b'"', b"&", b"\0", b"<!DOCTYPE a>", b"<!--", b"]]>", b"<![CDATA["])
        else:
            c = rng.randrange(len(data))
            data[c:c] = data[a:b]
        if not data:
            break
    survives(bytes(data), floats)


@FUZZ
@given(source=sources, rng=randoms, floats=st.booleans(), count=st.integers(1, 3))
def test_damaged_attributes(source, rng, floats, count):
    text = SOURCES[source]
    for _ in range(count):
        found = list(re.finditer(r'(\w+)="([^"]*)"', text))
        one = rng.choice(found)
        if rng.random() < 0.3:
            new = ""
        else:
            value = rng.choice(VALUES) if rng.random() < 0.7 else rng.choice(found)[2]
            new = f'{one[1]}="{value}"'
        text = text[: one.start()] + new + text[one.end() :]
    survives(text, floats)


@FUZZ
@given(source=sources, rng=randoms, floats=st.booleans(), count=st.integers(1, 4))
def test_damaged_structure(source, rng, floats, count):
    root = parse_xml(SOURCES[source])
    for _ in range(count):
        everywhere = [(parent, i) for parent in _all(root) for i in range(len(parent.children))]
        if not everywhere:
            break
        parent, i = rng.choice(everywhere)
        element = parent.children[i]
        action = rng.randrange(5)
        if action == 0:
            del parent.children[i]
        elif action == 1:
            parent.children.insert(rng.randrange(len(parent.children)), element)
        elif action == 2:
            rng.shuffle(parent.children)
        elif action == 3:
            element.tag = rng.choice(TAGS)
        else:  # swap with an element from elsewhere
            other, k = rng.choice(everywhere)
            if element not in _all(other.children[k]) and other.children[k] not in _all(element):
                parent.children[i], other.children[k] = other.children[k], element
    survives(_text(root), floats)


@pytest.mark.parametrize("seed", range(20))
def test_order_in_the_file_does_not_matter(seed):
    root = parse_xml(HUMANOID)
    random.Random(seed).shuffle(root.children)
    assert read_urdf(_text(root), floating_base=True) == read_urdf(HUMANOID, floating_base=True)


@FUZZ
@given(data=st.binary(max_size=300))
def test_any_bytes(data):
    survives(data, False)
    survives(b"<robot>" + data + b"</robot>", False)


def _all(element: Element) -> list[Element]:
    return [element, *(below for child in element for below in _all(child))]


def _text(element: Element) -> str:
    attributes = "".join(f' {name}="{_escaped(value)}"' for name, value in element.attributes.items())
    inside = _escaped(element.text) + "".join(_text(child) for child in element)
    return f"<{element.tag}{attributes}>{inside}</{element.tag}>\n"


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
