"""The same file read by Pinocchio: joint order, sizes, placements, inertias, limits and frames agree."""

from __future__ import annotations

import numpy as np
import pytest

from linkwright.io import load
from linkwright.robots import robots
from linkwright.robots.catalog import PackagedRobot

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install 'linkwright[bench]'")

# Entries of placements within 1e-10 of 0 or 1 are snapped when a model is built; they add up along merged links.
SNAPPED = 1e-9
PACKAGED = [robot for robot in robots() if isinstance(robot, PackagedRobot) and robot.file.endswith(".urdf")]


def both(robot: PackagedRobot, floating_base: bool):
    if not robot.available:
        pytest.skip(f"{robot.name} needs {robot.needs}")
    path = str(robot.path())
    theirs = pin.buildModelFromUrdf(path, pin.JointModelFreeFlyer()) if floating_base else pin.buildModelFromUrdf(path)
    return load(robot.name, floating_base=floating_base), theirs


@pytest.mark.parametrize("robot", PACKAGED, ids=lambda robot: robot.name)
def test_same_mechanism(robot):
    ours, theirs = both(robot, robot.floating_base)
    assert [joint.name for joint in ours.joints] == list(theirs.names)[1:]
    assert ours.nv == theirs.nv == robot.dof
    assert ours.nq + sum(joint.kind in ("continuous", "planar") for joint in ours.joints) == theirs.nq
    assert [body.parent for body in ours.bodies[1:]] == list(theirs.parents)[1:]
    for i, body in enumerate(ours.bodies):
        placement = theirs.jointPlacements[i]
        np.testing.assert_allclose(body.placement.rotation, placement.rotation, rtol=0, atol=SNAPPED)
        np.testing.assert_allclose(body.placement.translation, placement.translation, rtol=0, atol=SNAPPED)
        mass = theirs.inertias[i].mass
        assert body.inertia.mass == pytest.approx(mass, abs=SNAPPED)
        np.testing.assert_allclose(mass * body.inertia.com, mass * theirs.inertias[i].lever, rtol=0, atol=SNAPPED)
        np.testing.assert_allclose(body.inertia.tensor, theirs.inertias[i].inertia, rtol=0, atol=SNAPPED)


@pytest.mark.parametrize("robot", PACKAGED, ids=lambda robot: robot.name)
def test_same_limits_and_damping(robot):
    ours, theirs = both(robot, False)
    np.testing.assert_array_equal(ours.stacked("damping"), theirs.damping)
    np.testing.assert_array_equal(ours.stacked("friction"), theirs.upperDryFrictionLimit)
    for i, joint in enumerate(ours.joints, start=1):
        if joint.kind in ("revolute", "prismatic"):
            q, v = theirs.idx_qs[i], theirs.idx_vs[i]
            limits = theirs.lowerPositionLimit[q], theirs.upperPositionLimit[q]
            if np.isinf(joint.lower[0]) and np.isinf(joint.upper[0]):  # no range in the file: 0 to 0 there
                assert limits == (0, 0)
            else:
                assert (joint.lower[0], joint.upper[0]) == limits
            if np.isfinite(joint.effort_limit[0]):
                assert joint.effort_limit[0] == theirs.upperEffortLimit[v]
                assert joint.velocity_limit[0] == theirs.upperVelocityLimit[v]


@pytest.mark.parametrize("name", ["talos", "tiago", "panda", "icub", "jvrc1", "ur5"])
def test_same_frames(name):
    robot = next(robot for robot in PACKAGED if robot.name == name)
    ours, theirs = both(robot, robot.floating_base)
    for frame in theirs.frames:
        if frame.name in ("universe", "root_joint", "world"):
            continue
        same = ours.frame(frame.name)
        assert same.body == frame.parentJoint
        np.testing.assert_allclose(same.placement.rotation, frame.placement.rotation, rtol=0, atol=SNAPPED)
        np.testing.assert_allclose(same.placement.translation, frame.placement.translation, rtol=0, atol=SNAPPED)


def test_children_are_ordered_by_joint_name():
    text = '<robot name="r"><link name="root"/><link name="a"/><link name="b"/><link name="c"/>'
    for joint, child in (("j2", "a"), ("j10", "b"), ("J9", "c")):
        text += f'<joint name="{joint}" type="continuous"><parent link="root"/><child link="{child}"/></joint>'
    text += "</robot>"
    names = [joint.name for joint in load(text).joints]
    assert names == ["J9", "j10", "j2"] == list(pin.buildModelFromXML(text).names)[1:]
