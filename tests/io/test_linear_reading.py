"""Readers whose time grows with the length of a file, not with its square; and names that cannot be printed."""

from __future__ import annotations

import json
import time

import pytest

import linkwright as lw
from linkwright.errors import LoadError, ModelError
from linkwright.io.json_files import read_json, to_json
from linkwright.io.text.yaml_subset import read_yaml


def duplicate_keys(n: int) -> None:
    with pytest.raises(LoadError, match="two entries named"):
        read_json("{" + ",".join(f'"k{i}":0' for i in range(n)) + f',"k{n - 1}":1}}')


def yaml_list(n: int) -> None:
    assert len(read_yaml("a: [" + ",".join(f"'{i}'" for i in range(n)) + "]")["a"].value) == n


def chained_frames(n: int) -> None:
    frames = "".join(f'<frame name="f{i}" attached_to="{f"f{i + 1}" if i < n - 1 else "l"}"/>' for i in range(n))
    model = lw.load(f'<sdf version="1.7"><model name="m"><link name="l"/>{frames}</model></sdf>')
    assert model.frame("f0").body == 1


@pytest.mark.parametrize(("read", "n"), [(duplicate_keys, 4000), (yaml_list, 6000), (chained_frames, 250)])
def test_four_times_the_length_takes_about_four_times_as_long(read, n):
    def seconds(count: int) -> float:
        times = []
        for _ in range(3):
            start = time.process_time()
            read(count)
            times.append(time.process_time() - start)
        return min(times)

    short = seconds(n)
    assert seconds(4 * n) < 9 * short + 0.02  # a quadratic reader takes sixteen times as long


def test_halves_of_characters_are_refused():
    document = json.loads(to_json(lw.load("chain:2")))
    document["bodies"][0]["name"] = "\ud800"
    document["bodies"][1]["parent"] = "\ud800"
    with pytest.raises(LoadError, match="half a character") as caught:
        lw.load(json.dumps(document))
    str(caught.value).encode()
    with pytest.raises(ModelError, match="half a character"):
        lw.ModelBuilder().add_body("\udfff", lw.revolute("j", "z"))
    with pytest.raises(ModelError, match=r"a model's name is .*half a character"):
        lw.ModelBuilder("\ud800").build()
    with pytest.raises(ModelError, match=r"a joint's name is .*half a character"):
        builder = lw.ModelBuilder()
        builder.add_body("b", lw.revolute("\ud800", "z"))
        builder.build()
    with pytest.raises(ModelError, match=r"a constraint's name is .*half a character"):
        lw.load("chain:2").with_constraints(lw.connect("tip", name="\ud800"))


def test_errors_about_files_whose_names_are_no_text_can_be_printed(tmp_path):
    import os

    path = os.fsdecode(os.fsencode(tmp_path) + b"/r\xff.urdf")
    try:
        with open(path, "w") as file:
            file.write("<robot/>")
    except OSError:
        pytest.skip("the file system wants names that are text")
    with pytest.raises(LoadError, match="no links") as caught:
        lw.load(path)
    str(caught.value).encode()
