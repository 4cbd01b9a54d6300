"""Geoms, pairs and the soft law's numbers from MJCF."""

import pytest

import linkwright as lw

pytest.importorskip("mujoco")

BODY = '<body name="foot" pos="0 0 .3"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{}</body>'


def model(inside: str, floor: str = '<geom name="floor" type="plane" size="1 1 1"/>', further: str = "") -> lw.Model:
    return lw.load(f"<mujoco>{further}<worldbody>{floor}{BODY.format(inside)}</worldbody></mujoco>")


def test_floors_touch_what_masks_let_them():
    robot = model(
        '<geom name="a" type="sphere" size=".1"/>'
        '<geom name="b" type="box" size=".1 .1 .1" contype="2" conaffinity="2"/>'
        '<geom type="capsule" size=".1 .2" contype="0" conaffinity="0"/>'
    )
    assert [pair.name for pair in robot.pairs] == ["a/floor"] and {s.name for s in robot.shapes} == {"floor", "a", "b"}


def test_classes_of_geoms_that_only_show_need_no_mesh():
    defaults = (
        '<default><default class="look"><geom type="mesh" contype="0" conaffinity="0"/><default class="hull">'
        '<geom type="sphere" contype="1" size=".2"/></default></default></default>'
    )
    robot = model('<geom class="look" mesh="missing"/><geom class="hull" name="ball"/>', further=defaults)
    assert [shape.name for shape in robot.shapes] == ["floor", "ball"] and robot.shapes[1].size == (0.2,)


def test_meshes_that_collide_are_told():
    robot = model('<geom type="mesh" mesh="wedge"/>')
    (entry,) = robot.not_computed
    assert "wedge" in str(entry) and "not among the assets" in entry.why and not robot.pairs


def test_what_stands_still_weighs_nothing():
    robot = model("", floor='<body name="rock"><geom name="stone" type="sphere" size="1"/></body>')
    assert robot.mass == pytest.approx(1.0) and robot.shapes[0].name == "stone"


def test_listed_pairs_and_excluded_bodies():
    further = (
        '<contact><pair geom1="a" geom2="stone" condim="6" friction=".1 .2 .3 .4 .5" solreffriction=".05 1"/>'
        '<pair geom1="b" geom2="crate"/><exclude body1="world" body2="foot"/></contact>'
    )
    floor = (
        '<geom name="floor" type="plane" size="1 1 1"/><geom name="stone" type="sphere" size="1"/>'
        '<geom name="crate" type="box" size="1 1 1"/>'
    )
    inside = '<geom name="a" type="sphere" size=".1"/><geom name="b" type="cylinder" size=".1 .1"/>'
    robot = model(inside, floor, further)
    (pair,) = robot.pairs
    assert (pair.first, pair.second, pair.condim) == ("a", "stone", 6) and pair.friction == (0.1, 0.2, 0.3, 0.4, 0.5)
    assert pair.friction_solref == (0.05, 1.0)
    assert lw.watched_pairs(robot) == (("crate", "b"),)
    assert any("'crate'" in entry.what for entry in robot.not_computed)


def test_the_law_of_the_file():
    robot = lw.load(
        '<mujoco><option cone="elliptic" impratio="7"><flag refsafe="disable"/></option><worldbody><body name="arm">'
        '<joint name="j" range="-1 1" limited="true" margin=".05" solreflimit=".1 .8" frictionloss=".2" '
        'solimpfriction=".5 .6 .01 .5 2"/><geom type="sphere" size=".1"/></body></worldbody></mujoco>'
    )
    law = robot.contact_law
    assert law.cone == "elliptic" and law.impratio == 7 and not law.refsafe
    own = law.of_joint("j")
    assert own.limit.solref == (0.1, 0.8) and own.margin == 0.05 and own.friction.solimp[:2] == (0.5, 0.6)
    assert own.inverse_weight == pytest.approx([1 / (0.4 * 4.18879020 * 0.01)], rel=1e-6)


def test_contacts_that_are_switched_off():
    robot = model('<geom type="sphere" size=".1"/>', further='<option><flag contact="disable"/></option>')
    assert not robot.pairs and not robot.shapes


def test_numbers_out_of_range_are_told():
    robot = model('<geom name="a" type="sphere" size=".1" solimp="-1 2 .001 .5 2"/>')
    assert any("'a'" in entry.what and "solimp" in entry.what for entry in robot.not_computed)
    assert robot.shapes[1].surface.softness.solimp[:2] == pytest.approx((0.0, 1.0))
