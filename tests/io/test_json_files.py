"""Writing a model and reading it back is exact; anything else than such a file is refused with a reason."""

from __future__ import annotations

import json
import os
import time

import numpy as np
import pytest

from linkwright.errors import LoadError
from linkwright.io import load, save
from linkwright.io.json_files import read_json
from linkwright.model.serialization import to_dictionary
from linkwright.robots import random_tree, robots


@pytest.mark.parametrize("robot", robots(), ids=lambda robot: robot.name)
def test_every_robot_survives(robot, tmp_path):
    if not robot.available:
        pytest.skip(f"{robot.name} needs {robot.needs}")
    model = load(robot.name)
    again = load(save(model, tmp_path / "model.json"))
    assert again.fingerprint == model.fingerprint and again == model


@pytest.mark.parametrize("seed", range(20))
def test_random_trees_survive(seed, tmp_path):
    model = random_tree(seed, 12, armature=True, damping=True, springs=True, limits=True, frames=3)
    assert load(save(model, tmp_path / "m")) == model


def test_text_is_accepted_too():
    model = random_tree(1)
    assert load(json.dumps(to_dictionary(model))) == model


def test_writing_is_all_or_nothing(tmp_path, monkeypatch):
    path = save(random_tree(1), tmp_path / "model.json")
    before = path.read_bytes()

    def full_disk(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(LoadError, match="No space left"):
        save(random_tree(2), path)
    assert path.read_bytes() == before and os.listdir(tmp_path) == ["model.json"]


def test_writing_where_there_is_no_folder(tmp_path):
    for path in (tmp_path / "nowhere" / "model.json", tmp_path, "", "a\0b"):
        with pytest.raises(LoadError, match="cannot write"):
            save(random_tree(1), path)
    assert os.listdir(tmp_path) == []


def changed(**entries) -> str:
    return json.dumps({**to_dictionary(random_tree(1, 3)), **entries})


def changed_body(**entries) -> str:
    data = to_dictionary(random_tree(1, 3))
    data["bodies"][1].update(entries)
    return json.dumps(data)


WRONG = {
    "empty": ("", "not valid JSON"),
    "cut": (changed()[:200], "not valid JSON"),
    "nan": (changed(gravity=[0, 0, float("nan")]), "NaN is not a number"),
    "infinity": (changed(gravity=[0, 0, float("inf")]), "Infinity is not a number"),
    "list": ("[1, 2]", "not a model"),
    "other format": (changed(format="other"), "'other'"),
    "newer": (changed(version=99), "99"),
    "missing": ('{"format": "linkwright-model", "version": 1}', "missing"),
    "unknown entry": (changed(springs=[]), "'springs'"),
    "twice": ('{"format": 1, "format": 2}', "two entries named 'format'"),
    "huge integer": (changed(gravity=[0, 0, 10**400]), "not a model"),
    "many digits": ('{"format": ' + "9" * 5000 + "}", "not valid JSON"),
    "deep": ("[" * 100_000, "nested too deeply"),
    "text for number": (changed(gravity="down"), "gravity"),
    "null body": (changed(bodies=[None]), "not a model"),
    "unknown parent": (changed_body(parent="nobody"), "'nobody'"),
    "list as parent": (changed_body(parent=["world"]), "not a model"),
    "negative mass": (changed_body(inertia={"mass": -1, "com": [0] * 3, "tensor": [[0] * 3] * 3}), "mass is -1"),
    "no rotation": (changed_body(placement={"rotation": [[2, 0, 0], [0, 1, 0], [0, 0, 1]], "translation": [0] * 3}),
                    "rotation"),
    "joint is a list": (changed_body(joint=[]), "not a model"),
    "texts for numbers": (changed(gravity=["0", "0", "-9.81"]), "gravity"),
    "truths for numbers": (changed(gravity=[True, True, True]), "true"),
    "a truth among numbers": (changed(gravity=[0, 0, True]), "true"),
    "true mass": (changed_body(inertia={"mass": True, "com": [0] * 3, "tensor": [[0] * 3] * 3}), "mass is True"),
    "text for mass": (changed_body(inertia={"mass": "1", "com": [0] * 3, "tensor": [[0] * 3] * 3}), "mass is '1'"),
    "true version": (changed(version=True), "version True"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_content(name):
    text, words = WRONG[name]
    start = time.process_time()
    with pytest.raises(LoadError) as caught:
        read_json(text, file="model.json")
    assert time.process_time() - start < 1
    assert words in str(caught.value) and "model.json" in str(caught.value)


def test_bytes_that_are_no_text():
    with pytest.raises(LoadError, match="not valid JSON"):
        read_json(b'{"a": "\xff\xfe\xfa"}')


def test_line_of_a_syntax_error():
    with pytest.raises(LoadError, match="line 2"):
        read_json('{"a": 1,\n x}', file="f")


@pytest.mark.parametrize("place", ["translation", "com", "gravity"])
def test_numbers_that_overflow_are_refused_by_name(place):
    data = to_dictionary(random_tree(3, 3, frames=1, springs=True))
    body = data["bodies"][0]
    vectors = {**body["placement"], **body["inertia"], "gravity": data["gravity"]}
    vectors[place][0] = 1e308
    with pytest.raises(LoadError, match=rf"{place}.*1e\+308.*1e\+50"):
        read_json(json.dumps(data))


@pytest.mark.parametrize("seed", range(200))
def test_any_value_anywhere(seed):
    """One value in the tree replaced by something odd: a model comes out or a LoadError."""
    rng = np.random.default_rng(seed)
    data = to_dictionary(random_tree(3, 3, frames=1, springs=True))
    odd = [None, [], {}, "", "x", -1, 1e308, 10**400, True, [[1]], {"a": 1}, [None] * 3, 0][rng.integers(13)]
    node = data
    while True:
        key = list(node)[rng.integers(len(node))] if isinstance(node, dict) else int(rng.integers(len(node)))
        child = node[key]
        if not isinstance(child, dict | list) or not child or rng.random() < 0.15:
            node[key] = odd
            break
        node = child
    try:
        read_json(json.dumps(data))
    except LoadError:
        pass
