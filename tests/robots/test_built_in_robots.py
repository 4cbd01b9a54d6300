"""Mechanisms built in code: sizes, shapes, plausible numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from linkwright.errors import InputError
from linkwright.model import Pose
from linkwright.model.joints import JOINT_KINDS
from linkwright.robots import chain, humanoid, quadruped, random_tree, stem_with_branches, tree

EVERY = [
    chain(5), chain(5, floating_base=True), tree(10, 3), tree(10, 1.5, floating_base=True), stem_with_branches(),
    stem_with_branches(1, 1, 1, floating_base=False), quadruped(), quadruped(floating_base=False), humanoid(),
    humanoid(floating_base=False), random_tree(0), random_tree(1, floating_base=True),
]  # fmt: skip


@pytest.mark.parametrize("model", EVERY, ids=str)
def test_physically_possible(model):
    assert model.warnings == ()
    assert all(body.inertia.mass > 0 for body in model.bodies[1:])


def world_poses(model) -> dict[str, Pose]:
    """Where everything is at the neutral configuration."""
    poses = [Pose.identity()]
    for body in model.bodies[1:]:
        poses.append(poses[body.parent] @ body.placement)
    return {name: poses[model.frame(name).body] @ model.frame(name).placement for name in
            [*(body.name for body in model.bodies), *model.frames]}  # fmt: skip


def test_chain():
    model = chain(7, kind="prismatic")
    assert [body.parent for body in model.bodies[1:]] == list(range(7))
    assert {joint.kind for joint in model.joints} == {"prismatic"}
    floating = chain(7, floating_base=True)
    assert floating.nv == 6 + 6 and floating.nbodies == 8
    np.testing.assert_allclose(world_poses(chain(4, length=0.5))["tip"].translation, [2, 0, 0], atol=1e-12)


def test_skew_of_a_chain():
    planar, right, skew = chain(3, skew=0), chain(3), chain(3, skew=0.3)
    assert np.array_equal(planar.bodies[2].placement.rotation, np.eye(3))
    assert np.count_nonzero(right.bodies[2].placement.rotation) == 3
    assert np.count_nonzero(skew.bodies[2].placement.rotation) == 5


def test_tree_branches():
    assert tree(7, 2).graph.parent == (0, 0, 1, 1, 2, 2, 3, 3)
    assert tree(6, 1).graph.parent == (0, 0, 1, 2, 3, 4, 5)
    assert max(len(children) for children in tree(40, 3).graph.children) == 3


def test_stem_with_branches_is_the_papers():
    model = stem_with_branches(54, 10, 7)
    assert model.nbodies - 1 == 54 + 10 * 7 * 2 == 194  # [Sathya2024] sec. VIII-B
    assert model.nv == 6 + 193
    leaves = [model.bodies[i].name for i in model.graph.leaves]
    assert len(leaves) == 20 and all(name.endswith("_7") for name in leaves)
    one = stem_with_branches(5, 1, 7)
    assert max(len(children) for children in one.graph.children[1:]) == 2  # the base, from which it goes both ways
    assert {"front_1_tip", "rear_1_tip"} == set(one.frames)


def test_branches_lead_away_from_the_stem():
    poses = world_poses(stem_with_branches(6, 3, 4))
    assert all(poses[f"front_{k}_tip"].translation[0] < 0 for k in (1, 2, 3))
    assert len({tuple(np.round(poses[f"rear_{k}_tip"].translation, 6)) for k in (1, 2, 3)}) == 3


def test_quadruped():
    model = quadruped()
    assert (model.nv, model.nq) == (18, 19) and model.mass == pytest.approx(12.8)
    assert quadruped(floating_base=False).nv == 12
    feet = [world_poses(model)[f"{leg}_foot"].translation for leg in ("FL", "FR", "RL", "RR")]
    np.testing.assert_allclose(sum(feet) / 4, [0, 0, feet[0][2]], atol=1e-12)
    assert feet[0][0] > 0 < feet[0][1] and feet[3][0] < 0 > feet[3][1]


def test_humanoid():
    model = humanoid()
    assert (model.nv, model.nq) == (36, 37) and model.mass == pytest.approx(76.5)
    poses = world_poses(model)
    height = poses["head"].translation[2] + 0.2 - poses["left_foot"].translation[2]
    assert 1.5 < height < 2
    assert abs(world_poses(humanoid(floating_base=False))["left_foot"].translation[2]) < 0.05  # stands on the ground


@pytest.mark.parametrize("model", [quadruped(), humanoid()], ids=str)
def test_left_and_right_are_mirror_images(model):
    mirror = np.diag([1.0, -1.0, 1.0])
    names = [body.name for body in model.bodies]
    for name in names:
        other = name.replace("left", "right") if "left" in name else name.replace("L_", "R_", 1)
        if other == name or other not in names:
            continue
        a, b = (model.bodies[names.index(n)] for n in (name, other))
        np.testing.assert_allclose(mirror @ a.placement.translation, b.placement.translation)
        np.testing.assert_allclose(mirror @ a.inertia.tensor @ mirror, b.inertia.tensor)
        # an axis is mirrored as an axial vector, so that equal angles are mirror images
        np.testing.assert_allclose(-mirror @ a.joint.axis, b.joint.axis)


def test_random_trees_repeat_and_differ():
    assert random_tree(3, 8) == random_tree(3, 8)
    assert random_tree(3, 8) != random_tree(4, 8)


def test_random_tree_uses_every_kind():
    for seed in range(5):
        model = random_tree(seed, len(JOINT_KINDS))
        assert {joint.kind for joint in model.joints} == set(JOINT_KINDS)
    assert {joint.kind for joint in random_tree(0, 6, kinds=["revolute", "planar"]).joints} == {"revolute", "planar"}


def test_random_tree_shapes():
    assert random_tree(0, 9, branching=0).graph.parent == (0, 0, 1, 2, 3, 4, 5, 6, 7, 8)
    floating = random_tree(2, 9, branching=1, floating_base=True)
    assert floating.joints[0].name == "root_joint" and 0 not in floating.graph.parent[2:]


def test_random_tree_quantities():
    model = random_tree(1, 20, armature=True, damping=True, springs=True, limits=True, frames=5)
    for quantity in ("armature", "damping", "stiffness"):
        assert np.any(model.stacked(quantity) > 0)
    assert np.isfinite(model.stacked("upper")).any() and len(model.frames) == 5
    plain = random_tree(1, 20)
    assert not any(np.any(plain.stacked(quantity)) for quantity in ("armature", "damping", "stiffness"))


@pytest.mark.parametrize(
    "call",
    [
        lambda: chain(0), lambda: chain(2.5), lambda: chain("3"), lambda: tree(4, 0.5), lambda: tree(4, math.nan),
        lambda: stem_with_branches(1, 0), lambda: stem_with_branches(9000, 100, 100), lambda: random_tree(0, 0),
        lambda: random_tree(-1), lambda: random_tree(0, kinds=["hinge"]), lambda: random_tree(0, kinds=[]),
    ],
)  # fmt: skip
def test_wrong_numbers(call):
    with pytest.raises(InputError):
        call()
