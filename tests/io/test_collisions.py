"""Collision shapes of URDF and SDF files."""

import numpy as np
import pytest

import linkwright as lw

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'


def urdf(*collisions: str, ignore=()) -> lw.Model:
    tip = "".join(f"<collision{c}</collision>" for c in collisions)
    return lw.load(
        f'<robot name="r"><link name="base">{INERTIAL}<collision><geometry><sphere radius=".1"/></geometry></collision>'
        f'</link><link name="tip">{INERTIAL}{tip}</link><link name="toe"><collision name="nail"><geometry>'
        f'<box size=".1 .2 .3"/></geometry></collision></link><joint name="j" type="continuous"><parent link="base"/>'
        f'<child link="tip"/></joint><joint name="f" type="fixed"><origin xyz="0 0 1"/><parent link="tip"/>'
        f'<child link="toe"/></joint></robot>', ignore=ignore,
    )  # fmt: skip


def test_shapes_may_be_ignored():
    sdf = (
        '<sdf version="1.9"><model name="m"><link name="l"><collision name="c"><geometry><sphere><radius>1</radius>'
        "</sphere></geometry></collision></link></model></sdf>"
    )
    assert len(lw.load(sdf).shapes) == 1 and len(urdf().shapes) == 2
    for model in (lw.load(sdf, ignore="contact"), urdf(ignore="contact")):
        assert not model.shapes and "collision shapes" in model.ignored[0]


def test_urdf_shapes_are_on_their_links():
    model = urdf(
        '><origin xyz="1 2 3" rpy="0 0 1.5"/><geometry><cylinder radius=".1" length=".4"/></geometry>',
        ' name="a"><geometry><capsule radius=".1" length=".4"/></geometry>',
        '><geometry><mesh filename="package://x/y.stl"/></geometry>',
    )
    shapes = {shape.name: shape for shape in model.shapes}
    assert list(shapes) == ["base/collision_0", "tip/collision_0", "tip/a", "toe/nail"]
    assert shapes["tip/collision_0"].size == (0.1, 0.2) and shapes["toe/nail"].size == (0.05, 0.1, 0.15)
    assert np.allclose(shapes["tip/collision_0"].placement.translation, [1, 2, 3])
    assert model.frame(shapes["toe/nail"].on).body == 1 and not model.pairs
    standing = model.on_ground(0.5)
    assert len(standing.pairs) == 3  # what is part of the ground cannot stand on it


@pytest.mark.parametrize("inside", [
    '<sphere radius="0"/>', '<sphere radius="inf"/>', "<sphere/>", '<box size="1 2"/>', "<box/>",
    '<cylinder radius="x" length="1"/>',
])  # fmt: skip
def test_shapes_that_make_no_sense_are_told_and_left_out(inside):
    model = urdf(f"><geometry>{inside}</geometry>")
    assert [shape.name for shape in model.shapes] == ["base/collision_0", "toe/nail"]
    [entry] = [entry for entry in model.not_computed if "'tip'" in entry.what]
    assert entry.word == "contact" and entry.why


def test_sdf_shapes_and_floors():
    ball = '<collision name="c"><pose>0 0 .1 0 0 0</pose><geometry><sphere><radius>.2</radius></sphere></geometry>'
    surface = "<surface><friction><ode><mu>0.3</mu></ode></friction></surface></collision>"
    model = lw.load(
        '<sdf version="1.9"><model name="m"><model name="floor"><static>true</static><link name="ground">'
        '<collision name="p">'
        "<geometry><plane><normal>0 1 1</normal></plane></geometry></collision></link></model>"
        f'<link name="l">{ball}{surface}<collision name="e"><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid>'
        '</geometry></collision><collision name="x"><geometry><mesh><uri>u</uri></mesh></geometry></collision>'
        "</link></model></sdf>"
    )
    shapes = {shape.name: shape for shape in model.shapes}
    assert sorted(shape.kind for shape in model.shapes) == ["ellipsoid", "plane", "sphere"]
    floor = next(name for name, shape in shapes.items() if shape.kind == "plane")
    assert {pair.name for pair in model.pairs} == {f"l/c/{floor}", f"l/e/{floor}"}
    assert np.allclose(shapes[floor].placement.rotation[:, 2], np.array([0, 1, 1]) / np.sqrt(2))
    assert shapes["l/c"].surface.friction[0] == 0.3
