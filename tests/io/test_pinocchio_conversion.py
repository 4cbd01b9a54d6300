"""Models and states to Pinocchio and back."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, MissingExtraError, UnsupportedError
from linkwright.io import from_pinocchio, from_pinocchio_model, load, pinocchio_model, to_pinocchio
from linkwright.io.pinocchio.pinocchio_state import pinocchio_nq
from linkwright.model import Pose
from linkwright.robots import humanoid, random_tree

pin = pytest.importorskip("pinocchio", reason="needs Pinocchio: pip install 'linkwright[bench]'")

SEEDS = range(12)
SNAPPED = 1e-8  # entries of placements within 1e-10 of 0 and 1 are snapped when a model is built; this adds up


def world_poses(model, q) -> list[Pose]:
    poses = [Pose.identity()]
    for i, body in enumerate(model.bodies[1:], start=1):
        poses.append(poses[body.parent] @ body.placement @ body.joint.displacement(q[model.iq[i]]))
    return poses


def random_q(model, seed: int, batch: int | None = None) -> np.ndarray:
    return model.random_configuration(np.random.default_rng(seed), batch)


def assert_same_poses(model, theirs, q, tolerance=1e-11):
    data = theirs.createData()
    pin.framesForwardKinematics(theirs, data, to_pinocchio(model, q))
    poses = world_poses(model, q)
    for name in [*(body.name for body in model.bodies[1:]), *model.frames]:
        frame = model.frame(name)
        ours = poses[frame.body] @ frame.placement
        index = next(k for k, f in enumerate(theirs.frames) if f.name == name and str(f.type) != "JOINT")
        np.testing.assert_allclose(ours.rotation, data.oMf[index].rotation, rtol=0, atol=tolerance)
        np.testing.assert_allclose(ours.translation, data.oMf[index].translation, rtol=0, atol=tolerance)


@pytest.mark.parametrize("seed", SEEDS)
def test_states_there_and_back(seed):
    model = random_tree(seed, 12)
    one, many = random_q(model, seed), random_q(model, seed, 5)
    for q in (one, many):
        there = to_pinocchio(model, q)
        assert there.shape == (*q.shape[:-1], pinocchio_nq(model))
        again = from_pinocchio(model, there)
        np.testing.assert_allclose(to_pinocchio(model, again), there, rtol=0, atol=1e-15)
        np.testing.assert_allclose(again, q, rtol=0, atol=1e-12)  # random angles are within half a turn


def test_states_of_the_wrong_size():
    model = random_tree(0, 12)
    with pytest.raises(InputError, match="q has shape"):
        to_pinocchio(model, np.zeros(3))
    with pytest.raises(InputError, match="in Pinocchio"):
        from_pinocchio(model, np.zeros((2, model.nq)))


@pytest.mark.parametrize("seed", SEEDS)
def test_model_to_pinocchio_has_the_same_poses(seed):
    model = random_tree(seed, 12, frames=4, limits=True, floating_base=seed % 2 == 0)
    theirs = pinocchio_model(model)
    assert (theirs.nq, theirs.nv) == (pinocchio_nq(model), model.nv)
    assert_same_poses(model, theirs, random_q(model, seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_model_there_and_back_moves_the_same(seed):
    model = random_tree(seed, 12, armature=True, damping=True, limits=True)
    theirs = pinocchio_model(model)
    again = from_pinocchio_model(theirs)
    second = pinocchio_model(again)
    for quantity in ("armature", "damping", "friction", "velocity_limit", "effort_limit", "lower", "upper"):
        by_name = {joint.name: joint for joint in again.joints}
        for ours in model.joints:
            returned = by_name[ours.name]
            if not (ours.kind == "planar" and quantity in ("lower", "upper")):  # Pinocchio cannot limit its angle
                np.testing.assert_array_equal(getattr(returned, quantity), getattr(ours, quantity))
    rng = np.random.default_rng(seed)
    q, v, tau = to_pinocchio(model, random_q(model, seed)), rng.normal(size=model.nv), rng.normal(size=model.nv)
    a = pin.aba(theirs, theirs.createData(), q, v, tau)
    np.testing.assert_allclose(pin.aba(second, second.createData(), q, v, tau), a, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", ["tree:14,2", "stem_with_branches:3,4", "mini_cheetah", "geared_chain:4"])
def test_bodies_of_any_numbering_are_right_for_all_algorithms(name):
    """Pinocchio's CRBA is right only for joints numbered depth first."""
    model = load(name).without_constraints()
    theirs, rng = pinocchio_model(model), np.random.default_rng(0)
    data = theirs.createData()
    q, v, tau = random_q(model, 0), rng.normal(size=model.nv), rng.normal(size=model.nv)
    there = to_pinocchio(model, q, v, tau)
    _, a = from_pinocchio(model, there[0], pin.aba(theirs, data, *there))
    np.testing.assert_allclose(a, lw.reference(model, "aba")(q, v, tau), rtol=1e-9, atol=1e-9)
    M = np.triu(pin.crba(theirs, data, there[0]))
    M = M + np.triu(M, 1).T
    ours = lw.reference(model, "crba")(q)
    power = there[1] @ M @ there[2]  # v' M tau, whatever the order of velocities
    assert power == pytest.approx(v @ ours @ tau, rel=1e-10)
    back = from_pinocchio(model, *there)
    for one, other in zip(back, (q, v, tau), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-14)


def test_exact_when_no_frame_is_turned():
    model = humanoid()
    assert_same_poses(model, pinocchio_model(model), random_q(model, 1))
    again = from_pinocchio_model(pinocchio_model(model))
    assert [body.name for body in again.bodies] == [body.name for body in model.bodies]
    assert set(again.frames) == set(model.frames)
    for a, b in zip(again.bodies, model.bodies, strict=True):
        assert a.placement.is_close(b.placement, 1e-15)
        np.testing.assert_allclose(a.inertia.dynamic_parameters, b.inertia.dynamic_parameters, rtol=0, atol=1e-14)


@pytest.mark.parametrize("name", ["talos", "panda", "tiago", "baxter", "centauro"])
def test_pinocchio_reading_the_file_gives_the_same_model(name):
    from linkwright.robots.catalog import find_robot

    robot = find_robot(name)
    if not robot.available:
        pytest.skip(f"{name} needs {robot.needs}")
    ours = load(name)
    theirs = (
        pin.buildModelFromUrdf(str(robot.path()), pin.JointModelFreeFlyer())
        if robot.floating_base
        else pin.buildModelFromUrdf(str(robot.path()))
    )
    converted = load(theirs)
    assert [body.name for body in converted.bodies] == [body.name for body in ours.bodies]
    assert [joint.kind for joint in converted.joints] == [joint.kind for joint in ours.joints]
    assert set(ours.frames) == set(converted.frames) - {"root_joint"}
    q = random_q(ours, 3)
    for a, b in zip(world_poses(ours, q), world_poses(converted, q), strict=True):
        assert a.is_close(b, SNAPPED)
    assert_same_poses(ours, theirs, q, SNAPPED)


def single(joint_model):
    model = pin.Model()
    index = model.addJoint(0, joint_model, pin.SE3.Random(), "j")
    model.appendBodyToJoint(index, pin.Inertia.Random(), pin.SE3.Random())
    return model


def composite(*joints):
    result = pin.JointModelComposite(joints[0], pin.SE3.Random())
    for joint in joints[1:]:
        result.addJoint(joint, pin.SE3.Random())
    return result


@pytest.mark.parametrize(
    "joint_model",
    [
        pin.JointModelSphericalZYX(),
        composite(pin.JointModelPX(), pin.JointModelRUBZ(), pin.JointModelUniversal(np.eye(3)[0], np.eye(3)[2])),
        composite(pin.JointModelRY()),
        pin.JointModelHelicalUnaligned(np.array([0.6, 0.0, 0.8]), 0.2),
        pin.JointModelHY(0.3),
    ],
    ids=["Euler angles", "composite", "composite of one", "skew helical", "helical"],
)
def test_joints_that_are_taken_apart(joint_model):
    theirs = single(joint_model)
    ours = from_pinocchio_model(theirs)
    again = pinocchio_model(ours)
    rng = np.random.default_rng(4)
    q, v, tau = pin.neutral(theirs), rng.normal(size=theirs.nv), rng.normal(size=theirs.nv)
    q = pin.integrate(theirs, q, rng.normal(size=theirs.nv))
    assert (again.nq, again.nv) == (theirs.nq, theirs.nv)
    a = pin.aba(theirs, theirs.createData(), q, v, tau)
    np.testing.assert_allclose(pin.aba(again, again.createData(), q, v, tau), a, rtol=1e-9, atol=1e-9)


def test_skew_continuous_joint_is_read():
    text = '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="continuous"><parent link="a"/>'
    text += '<child link="b"/><axis xyz="1 2 3"/></joint></robot>'
    converted = from_pinocchio_model(pin.buildModelFromXML(text))
    assert converted.joints[0].kind == "continuous"
    np.testing.assert_allclose(converted.joints[0].axis, load(text).joints[0].axis, atol=1e-15)


def test_cylindrical_is_recognised():
    model = random_tree(0, 3, kinds=["cylindrical"])
    assert {joint.kind for joint in from_pinocchio_model(pinocchio_model(model)).joints} == {"cylindrical"}


def test_joints_that_linkwright_does_not_have():
    with pytest.raises(UnsupportedError, match="'j' is a Ellipsoid joint"):
        from_pinocchio_model(single(pin.JointModelEllipsoid(1.0, 2.0, 3.0)))


def test_mimic_joints_of_pinocchio_are_refused_by_name():
    text = '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
    text += '<joint name="a_lead" type="prismatic"><parent link="a"/><child link="b"/>'
    text += '<limit lower="0" upper="1" effort="1" velocity="1"/></joint>'
    text += '<joint name="follow" type="prismatic"><parent link="a"/><child link="c"/><mimic joint="a_lead"/>'
    text += '<limit lower="0" upper="1" effort="1" velocity="1"/></joint></robot>'
    with pytest.raises(UnsupportedError, match="'follow' is a mimic joint"):
        from_pinocchio_model(pin.buildModelFromXML(text, mimic=True))


def test_without_pinocchio_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pinocchio", None)
    with pytest.raises(MissingExtraError, match=r"linkwright\[bench\]"):
        pinocchio_model(humanoid())


def test_springs_cannot_be_given_to_pinocchio():
    with pytest.raises(UnsupportedError, match="springs"):
        pinocchio_model(random_tree(0, 4, kinds=["revolute"], springs=True))
