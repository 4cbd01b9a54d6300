"""What each part of a URDF becomes."""

from __future__ import annotations

import numpy as np
import pytest
from urdf_writer import PENDULUM, write_urdf

from linkwright import reference
from linkwright.io.urdf.urdf_reader import read_urdf
from linkwright.robots import humanoid, quadruped

WITH_HEAVY_BASE = PENDULUM.replace(
    '<link name="base"/>', '<link name="base"><inertial><mass value="7"/></inertial></link>'
)


def joint_of(**changes):
    text = PENDULUM
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    return read_urdf(text).joints[0]


def test_everything_a_joint_carries():
    model = read_urdf(PENDULUM)
    joint, body = model.joints[0], model.bodies[1]
    assert (model.name, body.name, joint.name, joint.kind) == ("pendulum", "arm", "hinge", "revolute")
    assert joint.axis.tolist() == [0, 1, 0]
    assert (joint.lower[0], joint.upper[0], joint.velocity_limit[0], joint.effort_limit[0]) == (-1, 2, 3, 4)
    assert (joint.damping[0], joint.friction[0]) == (0.5, 0.25)
    assert body.placement.translation.tolist() == [0, 0, 1]


def test_inertial_origin_turns_the_tensor():
    inertia = read_urdf(PENDULUM).bodies[1].inertia
    assert inertia.com.tolist() == [0, 0, -0.5]
    np.testing.assert_allclose(inertia.tensor, np.diag([0.2, 0.1, 0.15]), atol=1e-15)


@pytest.mark.parametrize(
    ("urdf_type", "kind", "nq", "nv"),
    [("revolute", "revolute", 1, 1), ("continuous", "continuous", 1, 1), ("prismatic", "prismatic", 1, 1),
     ("floating", "free_flyer", 7, 6), ("planar", "planar", 3, 3)],
)  # fmt: skip
def test_joint_types(urdf_type, kind, nq, nv):
    model = read_urdf(PENDULUM.replace('type="revolute"', f'type="{urdf_type}"'))
    assert (model.joints[0].kind, model.nq, model.nv) == (kind, nq, nv)
    assert np.all(model.joints[0].damping == 0.5)
    if kind not in ("revolute", "prismatic"):
        assert not np.isfinite(model.joints[0].lower).any()


def test_defaults():
    joint = joint_of(a=('<axis xyz="0 1 0"/>', ""), b=('<dynamics damping="0.5" friction="0.25"/>', ""))
    assert joint.axis.tolist() == [1, 0, 0] and joint.damping[0] == 0 == joint.friction[0]
    joint = joint_of(a=('upper="2" velocity="3" effort="4"', ""))
    assert (joint.lower[0], joint.upper[0], joint.velocity_limit[0]) == (-1, 0, np.inf)
    without = read_urdf(PENDULUM.replace('<limit lower="-1" upper="2" velocity="3" effort="4"/>', ""))
    assert without.joints[0].lower[0] == -np.inf
    assert any("hinge" in warning and "<limit>" in warning for warning in without.warnings)


@pytest.mark.parametrize("limit", ['<limit effort="4"/>', "<limit/>"])
def test_no_range_is_no_limit(limit):
    """The format's default, 0 to 0, would hold a joint for good."""
    model = read_urdf(PENDULUM.replace('<limit lower="-1" upper="2" velocity="3" effort="4"/>', limit))
    assert model.joints[0].lower[0] == -np.inf and model.joints[0].upper[0] == np.inf
    assert any("'hinge'" in warning and "0 to 0" in warning for warning in model.warnings)
    held = read_urdf(PENDULUM.replace('lower="-1" upper="2"', 'lower="0" upper="0"'))
    assert held.joints[0].lower[0] == held.joints[0].upper[0] == 0 and not held.warnings


def test_infinite_limits_are_allowed():
    assert joint_of(a=('upper="2"', 'upper="inf"')).upper[0] == np.inf


def test_axis_is_normalised():
    np.testing.assert_allclose(joint_of(a=('xyz="0 1 0"', 'xyz="0 3 4"')).axis, [0, 0.6, 0.8])


def test_fixed_joints_merge_and_leave_frames():
    text = PENDULUM.replace(
        "</robot>",
        '<link name="tool"><inertial><origin xyz="0 0 0.1"/><mass value="1"/></inertial></link>'
        '<joint name="mount" type="fixed"><origin xyz="0 0 -1" rpy="3.141592653589793 0 0"/>'
        '<parent link="arm"/><child link="tool"/></joint></robot>',
    )
    model = read_urdf(text)
    assert model.nbodies == 2
    assert model.bodies[1].inertia.mass == 3
    np.testing.assert_allclose(model.bodies[1].inertia.com, [0, 0, (2 * -0.5 + -1.1) / 3], atol=1e-15)
    for name in ("tool", "mount"):
        assert model.frame(name).body == 1
        assert model.frame(name).placement.translation.tolist() == [0, 0, -1]
    assert model.frame("base").body == 0


def test_a_fixed_joint_may_have_the_name_of_another_link():
    text = PENDULUM.replace(
        "</robot>",
        '<link name="flange"/><link name="tool"/>'
        '<joint name="tool" type="fixed"><parent link="arm"/><child link="flange"/></joint>'
        '<joint name="flange" type="fixed"><origin xyz="1 0 0"/><parent link="flange"/><child link="tool"/></joint>'
        "</robot>",
    )
    assert read_urdf(text).frame("tool").placement.translation.tolist() == [1, 0, 0]


def test_floating_base():
    model = read_urdf(WITH_HEAVY_BASE, floating_base=True)
    assert [joint.name for joint in model.joints] == ["root_joint", "hinge"]
    assert model.joints[0].kind == "free_flyer" and model.bodies[1].name == "base"
    assert model.bodies[1].inertia.mass == 7 and (model.nq, model.nv) == (8, 7)


def test_fixed_base_keeps_the_mass_of_the_root_on_the_ground():
    model = read_urdf(WITH_HEAVY_BASE)
    assert model.bodies[0].inertia.mass == 7 and model.mass == 9


def test_root_named_world_is_the_ground():
    assert read_urdf(PENDULUM.replace('"base"', '"world"')).nbodies == 2


def test_root_named_world_floats_under_another_name():
    floating = read_urdf(WITH_HEAVY_BASE.replace('"base"', '"world"'), floating_base=True)
    assert [body.name for body in floating.bodies] == ["world", "world_link", "arm"]
    assert any("'world_link'" in warning for warning in floating.warnings)
    other, rng = read_urdf(WITH_HEAVY_BASE, floating_base=True), np.random.default_rng(0)
    q, v, tau = floating.random_configuration(rng), rng.normal(size=7), rng.normal(size=7)
    assert np.array_equal(reference(floating, "aba")(q, v, tau), reference(other, "aba")(q, v, tau))


def test_a_world_that_carries_the_robot_by_a_floating_joint_is_the_ground():
    text = PENDULUM.replace('"base"', '"world"').replace('type="revolute"', 'type="floating"')
    assert read_urdf(text, floating_base=True) == read_urdf(text) and read_urdf(text).nv == 6


def test_mimic_is_kept_as_data():
    other = PENDULUM.replace("</robot>", '<link name="b"/><joint name="follower" type="prismatic"><parent link="arm"/>'
        '<child link="b"/><mimic joint="hinge" multiplier="-2" offset="0.5"/></joint></robot>')  # fmt: skip
    model = read_urdf(other)
    mimic = model.mimics[0]
    assert (mimic.joint, mimic.leader, mimic.multiplier, mimic.offset) == ("follower", "hinge", -2, 0.5)
    assert model.nq == 2


def test_elements_without_dynamics_are_skipped():
    text = PENDULUM.replace(
        "</robot>",
        '<material name="blue"/><gazebo reference="arm"><mu1>1</mu1></gazebo><transmission name="t"/>'
        '<ros2_control name="c"><joint name="hinge"/></ros2_control><sensor name="s"/>'
        "<mujoco><compiler/></mujoco></robot>",
    ).replace('<link name="base"/>', '<link name="base"><visual/><collision/><gravity>1</gravity></link>')
    assert read_urdf(text).nv == 1


def test_drake_frames():
    text = PENDULUM.replace("</robot>", '<frame name="tip" link="arm" xyz="0 0 -1" rpy="0 0 0"/></robot>')
    assert read_urdf(text).frame("tip").placement.translation.tolist() == [0, 0, -1]


def test_massless_and_impossible_inertias_are_warnings():
    flat = PENDULUM.replace('izz="0.15"', 'izz="9"')
    assert any("'arm'" in w and "triangle" in w for w in read_urdf(flat).warnings)
    massless = read_urdf(PENDULUM.replace('<mass value="2"/>', '<mass value="0"/>'))
    assert any("'arm'" in w and "no mass" in w for w in massless.warnings)


def test_names_may_be_anything():
    weird = PENDULUM.replace('"arm"', '"µ-Arm &amp; / [1] 漢"')
    assert read_urdf(weird).bodies[1].name == "µ-Arm & / [1] 漢"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_encodings(encoding):
    declared = encoding.replace("-sig", "")
    data = f'<?xml version="1.0" encoding="{declared}"?>\n'.encode(encoding) if encoding != "utf-16" else b""
    body = PENDULUM.replace('"arm"', '"bras_é"')
    data += body.encode("utf-8" if encoding == "utf-8-sig" else encoding)
    assert read_urdf(data).bodies[1].name == "bras_é"


@pytest.mark.parametrize("model", [humanoid(), humanoid(floating_base=False), quadruped()], ids=str)
def test_written_robots_come_back(model):
    read = read_urdf(write_urdf(model), floating_base=model.joints[0].kind == "free_flyer")
    assert read.nv == model.nv and abs(read.mass - model.mass) < 1e-12
    for body in model.bodies[1:]:
        again = read.bodies[read.body_index(body.name)]
        np.testing.assert_allclose(again.inertia.dynamic_parameters, body.inertia.dynamic_parameters, atol=1e-15)
        assert again.placement.is_close(body.placement, 1e-15)
        np.testing.assert_array_equal(again.joint.axis, body.joint.axis)
    assert set(model.frames) <= set(read.frames)


@pytest.mark.parametrize("small", ["1e-200", "-1e-170", "5e-324"])
def test_products_of_inertia_whose_squares_vanish(small):
    inertia = f'<inertia ixx="1" iyy="1" izz="1" ixy="{small}" ixz="0" iyz="0"/>'
    text = f'<robot name="r"><link name="l"><inertial><mass value="1"/>{inertia}</inertial></link></robot>'
    assert read_urdf(text, floating_base=True).warnings == ()
