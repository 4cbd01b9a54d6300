"""Hands that hold a cube: closed at the reference pose, within joint limits, fingertips on the faces."""

from __future__ import annotations

import numpy as np
import pytest
from closed_poses import frame_pose, gap, jacobian, mobility

import linkwright as lw
from linkwright.errors import ModelError
from linkwright.robots.grasps import CUBE_SIDE
from linkwright.robots.reaching import reach

#   dof rows mobility
EXPECTED = {
    "hand_with_cube": (22, 12, 10),
    "two_hands_with_cube": (38, 24, 14),
    "humanoid_with_cube": (73, 24, 49),
    "humanoid_with_cube_standing": (73, 36, 37),
}


@pytest.fixture(scope="module")
def model(request):
    known = {robot.name: robot for robot in lw.list_robots()}
    if not known[request.param].available:
        pytest.skip(f"needs {known[request.param].needs}")
    return lw.load(request.param)


@pytest.mark.parametrize(("model", "sizes"), EXPECTED.items(), indirect=["model"], ids=list(EXPECTED))
def test_closed_grasp(model, sizes):
    q = model.drawn
    assert (model.nv, model.nc, mobility(model, q)) == sizes
    assert all(gap(model, q, c) < 1e-12 for c in model.constraints)
    assert np.abs(lw.reference(model, "constraint_error")(q)).max() < 1e-12
    assert np.all(q >= model.stacked("lower")) and np.all(q <= model.stacked("upper"))
    for i, subtree in enumerate(model.graph.subtree):
        assert subtree == tuple(range(i, i + len(subtree)))  # depth first
    points = [model.frame(name).placement.translation for name in model.frames if name.endswith("_on_cube")]
    assert len({tuple(p) for p in points}) == len(points)  # distinct
    for point in points:
        assert np.abs(point).max() == pytest.approx(CUBE_SIDE / 2)  # on a face, not an edge
        assert np.sum(np.abs(point) > 0.99 * CUBE_SIDE / 2) == 1


@pytest.mark.parametrize("model", ["two_hands_with_cube"], indirect=True)
def test_reference_survives_writing_and_editing(model, tmp_path):
    lw.save(model, tmp_path / "grasp.json")
    again = lw.load(tmp_path / "grasp.json")
    assert again == model and np.array_equal(again.drawn, model.drawn)
    assert model.with_drawn(None) != model
    angle = model.drawn[model.iq[model.joint_index("right_joint_0.0")]]
    locked = lw.lock_joints(model, {"right_joint_0.0": angle})
    assert all(gap(locked, locked.drawn, c) < 1e-12 for c in locked.constraints)
    both = lw.attach(model, model, placement=(1, 0, 0), prefix="other_")
    assert np.array_equal(both.drawn, np.tile(model.drawn, 2))


@pytest.mark.parametrize("model", ["humanoid_with_cube_standing"], indirect=True)
def test_standing_humanoid_holds_the_cube_before_its_chest(model):
    q = model.drawn
    cube = frame_pose(model, q, "cube").translation
    chest = frame_pose(model, q, "torso").translation
    assert cube[0] > chest[0] + 0.15 and abs(cube[1]) < 1e-12
    a = lw.reference(model, "lcaba", outputs="a", iterations=4)(q, np.zeros(model.nv), np.zeros(model.nv))
    np.testing.assert_allclose(jacobian(model, q) @ a, 0, atol=1e-6 * np.abs(a).max())


def test_reaching_too_far():
    arm = lw.load("chain:3")
    with pytest.raises(ModelError, match="cannot bring tip"):
        reach(arm, np.array([0.1, 0.2, 0.3]), [joint.name for joint in arm.joints], {"tip": (5.0, 0.0, 0.0)})


def test_reference_must_fit():
    with pytest.raises(ModelError, match="drawn configuration"):
        lw.load("four_bar").with_drawn([0.0])
    with pytest.raises(ModelError, match="drawn configuration"):
        lw.load("four_bar").with_drawn([0.0, np.nan, 0.0])
