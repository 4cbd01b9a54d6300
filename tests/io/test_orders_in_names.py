"""Text of files that C's printf or a terminal would take for orders never reaches MuJoCo."""

import re

import pytest

import linkwright as lw
from linkwright.errors import LoadError, UnsupportedError
from linkwright.io import read_mjcf, to_mjcf

pytest.importorskip("mujoco", reason="needs MuJoCo: pip install 'linkwright[io]'")
ORDERS = ["%s%s%s%s%s%s", "%n", "100%", "a%%b", "a&#10;b", "a&#9;b", "a&#133;b", "a&#127;b"]
PLACES = {
    "a class": '<mujoco><worldbody>\n<body><joint class="{}"/><geom size="1"/></body></worldbody></mujoco>',
    "a name": '<mujoco><worldbody>\n<body name="{}"><joint/><geom size="1"/></body></worldbody></mujoco>',
    "a number": '<mujoco><worldbody>\n<body pos="{} 0 0"><joint/><geom size="1"/></body></worldbody></mujoco>',
    "an option": '<mujoco>\n<option integrator="{}"/><worldbody><body><joint/><geom size="1"/></body></worldbody>'
    "</mujoco>",
    "an unknown attribute": '<mujoco><worldbody>\n<body odd="{}"><joint/><geom size="1"/></body></worldbody></mujoco>',
    "a default": '<mujoco><default>\n<default class="{}"/></default><worldbody><body><joint/><geom size="1"/></body>'
    "</worldbody></mujoco>",
    "an equality": '<mujoco><worldbody><body name="b"><joint/><geom size="1"/></body></worldbody><equality>\n'
    '<weld body1="{}"/></equality></mujoco>',
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", ORDERS)
def test_refused_with_line_and_element(place, text):
    for read in (lw.load, read_mjcf):
        with pytest.raises(LoadError, match="percent signs and control characters") as refusal:
            read(PLACES[place].format(text))
        assert refusal.value.line == 2 and refusal.value.element and str(refusal.value).isprintable()


def test_the_name_of_the_model():
    with pytest.raises(LoadError, match="percent"):
        lw.load('<mujoco model="%s%n"><worldbody><body><geom size="-1"/></body></worldbody></mujoco>')


def test_included_files_and_names_of_meshes(tmp_path):
    (tmp_path / "part.xml").write_text('<mujoco>\n<body name="%n"><joint/><geom size="1"/></body></mujoco>')
    whole = tmp_path / "whole.xml"
    whole.write_text('<mujoco><worldbody><include file="part.xml"/></worldbody></mujoco>')
    with pytest.raises(LoadError, match=re.escape("part.xml, line 2, <body>")):
        lw.load(whole)
    (tmp_path / "m.%s%n").write_bytes(b"")
    whole.write_text(
        '<mujoco><asset>\n<mesh name="m" file="m.%s%n"/></asset><worldbody><body><joint/><geom type="mesh" mesh="m"/>'
        "</body></worldbody></mujoco>"
    )
    with pytest.raises(LoadError, match="percent"):
        lw.load(whole)


def test_what_mujoco_is_not_given_may_stay():
    """Of what is taken out beforehand nothing reaches it: pictures, sensors, remarks."""
    model = lw.load(
        '<mujoco><custom><text name="t" data="100 %"/></custom><asset><texture name="%s" file="a%20b.png"/>'
        '</asset><worldbody><body><joint/><geom size="1"/></body></worldbody><sensor><clock name="%n"/></sensor>'
        "</mujoco>"
    )
    assert model.nv == 1


@pytest.mark.parametrize("name", ["%s%n", "a\nb", "a\x85b"])
def test_nothing_is_written_that_mujoco_would_stumble_on(name):
    builder = lw.ModelBuilder("r")
    builder.add_body(name, lw.revolute("j", "z"), inertia=lw.Inertia(1.0, [0, 0, 0], [[1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    with pytest.raises(UnsupportedError, match="rename"):
        to_mjcf(builder.build())
