"""Every way a URDF can be wrong has an error that says where and what."""

from __future__ import annotations

import re

import pytest
from urdf_writer import PENDULUM

from linkwright.errors import LoadError, UnsupportedError
from linkwright.io.urdf.urdf_reader import read_urdf


def line_of(text: str, part: str) -> int:
    assert part in text
    return text[: text.index(part)].count("\n") + 1


def refused(text: str | bytes, *words: str, at: str | None = None, error=LoadError) -> Exception:
    """Reading must fail naming the file, the line on which `at` stands, and the words."""
    with pytest.raises(error) as caught:
        read_urdf(text, file="robot.urdf")
    message = str(caught.value)
    assert "robot.urdf" in message
    for word in words:
        assert word in message, message
    if at is not None:
        assert f"line {line_of(text, at)}" in message, message
    return caught.value


# One change to the pendulum -> (what is replaced, by what, words in the message, where the error is)
CHANGES = {
    "negative mass": ('<mass value="2"/>', '<mass value="-2"/>', ["'arm'", "-2", "<mass>"], '<mass value="-2"'),
    "nan": ('xyz="0 0 1"', 'xyz="0 nan 1"', ["xyz", "'nan'", "finite", "<origin>"], 'xyz="0 nan 1"'),
    "infinity": ('ixx="0.1"', 'ixx="inf"', ["ixx", "'inf'", "finite"], 'ixx="inf"'),
    "garbage": ('ixx="0.1"', 'ixx="0.1abc"', ["ixx", "'0.1abc'", "a number"], "abc"),
    "underscore": ('ixx="0.1"', 'ixx="1_0"', ["'1_0'"], "1_0"),
    "huge": ('xyz="0 0 1"', 'xyz="0 0 1e200"', ["'1e200'", "at most"], "1e200"),
    "empty number": ('mass value="2"', 'mass value=""', ["'value'", "missing or empty"], 'mass value=""'),
    "two numbers": ('xyz="0 0 1"', 'xyz="0 0"', ["2 numbers", "expected 3"], 'xyz="0 0"'),
    "four numbers": ('xyz="0 1 0"', 'xyz="0 1 0 0"', ["4 numbers", "expected 3"], 'xyz="0 1 0 0"'),
    "nan limit": ('lower="-1"', 'lower="nan"', ["lower", "'nan'"], 'lower="nan"'),
    "zero axis": ('xyz="0 1 0"', 'xyz="0 0 0"', ["'hinge'", "no direction", "<axis>"], 'xyz="0 0 0"'),
    "tiny axis": ('xyz="0 1 0"', 'xyz="0 1e-30 0"', ["'hinge'", "no direction"], None),
    "limits crossed": ('lower="-1"', 'lower="5"', ["'hinge'", "lower", "upper"], '<joint name="hinge"'),
    "negative damping": ('damping="0.5"', 'damping="-0.5"', ["damping", "negative"], '<joint name="hinge"'),
    "no mass": ('<mass value="2"/>', "", ["'arm'", "without <mass"], "<inertial>"),
    "missing moment": ('izz="0.15"', "", ["'izz'", "missing"], "<inertia ixx"),
    "missing parent": ('<parent link="base"/>', "", ["'hinge'", "no <parent"], '<joint name="hinge"'),
    "missing child": ('<child link="arm"/>', "", ["'hinge'", "no <child"], '<joint name="hinge"'),
    "unknown parent": ('parent link="base"', 'parent link="bse"', ["'bse'", "'base'", "parent"], '<joint name="hinge"'),
    "unknown child": ('<child link="arm"/>', '<child link="leg"/>', ["'leg'", "child", "arm"], '<joint name="hinge"'),
    "unknown type": ('type="revolute"', 'type="revolut"', ["'revolut'", "'revolute'"], '<joint name="hinge"'),
    "no type": ('type="revolute"', "", ["'type'", "missing"], '<joint name="hinge"'),
    "no joint name": ('name="hinge"', "", ["'name'", "missing"], '<joint '),
    "empty link name": ('<link name="base"/>', '<link name=""/>', ["'name'", "empty"], '<link name=""'),
    "long name": ('<link name="base"/>', f'<link name="{"x" * 400}"/>', ["400 characters"], "<link name="),
    "link twice": ('<link name="base"/>', '<link name="arm"/>', ["second link", "line 2"], '<link name="arm">'),
    "two inertials": ("</inertial>", "</inertial><inertial/>", ["second <inertial>"], "<inertial/>"),
    "own parent": ('<parent link="base"/>', '<parent link="arm"/>', ["'arm'", "cycle"], '<joint name="hinge"'),
    "mimic unknown": ("<limit", '<mimic joint="hing"/><limit', ["'hing'", "not in the file", "<mimic>"], "<mimic"),
    "mimic itself": ("<limit", '<mimic joint="hinge"/><limit', ["mimic itself"], None),
    "unknown in robot": ("</robot>", "<spring/></robot>", ["unknown element <spring>"], "<spring/>"),
    "unknown in link": ('<link name="base"/>', '<link name="base"><mas/></link>', ["unknown element <mas>"], "<mas/>"),
    "unknown in joint": ("<limit", "<spring_stiffness/><limit", ["unknown element <spring_stiffness>"], "<spring_st"),
    "unknown in inertial": ("<mass", "<density/><mass", ["unknown element <density>"], "<density"),
    "drake joint": ("</robot>", '<drake:joint name="u"/></robot>', ["drake:joint"], "<drake:joint"),
    "no gravity": ('<link name="base"/>', '<link name="base"><gravity>0</gravity></link>', ["'0'"], "<gravity"),
    "link origin": ("<inertial>", '<origin xyz="0 0 1"/><inertial>', ["'arm'", "<origin>"], "<origin"),
    "xacro": ("</robot>", "<xacro:arm/></robot>", ["run xacro"], "<xacro"),
    "xacro value": ('mass value="2"', 'mass value="${m}"', ["run xacro"], "${m}"),
    "not closed": ("</link>", "", ["not well-formed", "mismatched"], None),
    "two attributes": ('name="hinge"', 'name="hinge" name="hinge"', ["duplicate attribute"], "<joint"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_one_thing_wrong(name):
    old, new, words, at = CHANGES[name]
    assert old in PENDULUM
    refused(PENDULUM.replace(old, new, 1), *words, at=at)


LOOPS = {
    "constraint": '<constraint name="c"/>',
    "drake:linear_bushing_rpy": "<drake:linear_bushing_rpy/>",
    "equality": "<equality/>",
    "<joint> inside <gazebo>": '<gazebo><joint name="closure" type="revolute"/></gazebo>',
    "<equality> inside <mujoco>": "<mujoco><equality/></mujoco>",
}


@pytest.mark.parametrize("name", LOOPS)
def test_loops_are_never_dropped(name):
    text = PENDULUM.replace("</robot>", f"\n{LOOPS[name]}\n</robot>")
    refused(text, name, "cannot be read", at=LOOPS[name], error=UnsupportedError)


def links(*names: str) -> str:
    return "".join(f'<link name="{name}"/>\n' for name in names)


def joint(name: str, parent: str, child: str) -> str:
    return f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/></joint>\n'


def test_cycle_without_a_root():
    text = f"<robot>\n{links('a', 'b', 'c')}{joint('1', 'a', 'b')}{joint('2', 'b', 'c')}{joint('3', 'c', 'a')}</robot>"
    refused(text, "cycle", "'a'", "'b'", "'c'", at="<robot>")


def test_cycle_beside_a_root():
    text = f"<robot>\n{links('root', 'a', 'b')}{joint('1', 'a', 'b')}{joint('2', 'b', 'a')}</robot>"
    refused(text, "cycle", "'a'", "'b'", "'root'", at='<joint name="2"')


def test_two_parents():
    joints = joint("ab", "a", "b") + joint("ac", "a", "c") + joint("bc", "b", "c")
    text = f"<robot>\n{links('a', 'b', 'c')}{joints}</robot>"
    refused(text, "'c'", "two joints", "'ac'", "'bc'", at='<joint name="bc"')


def test_several_roots():
    text = f"<robot>\n{links('a', 'b', 'c', 'd')}{joint('1', 'a', 'b')}{joint('2', 'c', 'd')}</robot>"
    refused(text, "2 links have no parent", "'a'", "'c'", at="<robot>")


def test_same_joint_name_twice():
    text = f"<robot>\n{links('a', 'b', 'c')}{joint('j', 'a', 'b')}{joint('j', 'b', 'c')}</robot>"
    refused(text, "second joint", "'j'", "line 5")


def test_no_links():
    refused("<robot name='x'/>", "no links", "line 1")


def test_other_root_element():
    refused("<robots/>", "<robot>", "line 1")


def test_root_joint_name_taken():
    with pytest.raises(LoadError, match="root_joint"):
        read_urdf(PENDULUM.replace('"hinge"', '"root_joint"'), floating_base=True)


@pytest.mark.parametrize("cut", [0.1, 0.5, 0.9, 0.99])
def test_truncated(cut):
    text = PENDULUM[: int(len(PENDULUM) * cut)].rstrip()
    error = refused(text, "not well-formed XML")
    assert error.line == text.count("\n") + 1


NOT_XML = [b"", b"   ", b"\x00" * 50, b"\xff\xfe\xfd", b"just text", b"<", b"<robot", b"<robot>" * 500]


@pytest.mark.parametrize("data", NOT_XML)
def test_not_xml(data):
    refused(data, "line")


def test_error_carries_place():
    error = refused(PENDULUM.replace('mass value="2"', 'mass value="x"'))
    assert (error.file, error.line, error.element) == ("robot.urdf", 6, "mass")
    assert re.match(r"robot\.urdf, line 6, <mass>: ", str(error))
