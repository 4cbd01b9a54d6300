"""Parallel robots, bipeds with loops in their legs, and regular families: closed as drawn, as mobile as they say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from closed_poses import frame_pose, free_motions, gap, jacobian, mobility

import linkwright as lw
from linkwright.errors import InputError
from linkwright.model import Model
from linkwright.robots import (
    all_coupled,
    biped_with_box,
    chain_of_loops,
    common_tip,
    delta_robot,
    digit_like,
    ring,
    star,
    stewart_platform,
    two_bipeds_with_box,
)

#   dof rows mobility
EXPECTED = {
    "delta": (delta_robot(), 21, 18, 3),
    "delta, lopsided": (delta_robot(angles=(0.1, 0.4, 0.8)), 21, 18, 3),
    "stewart": (stewart_platform(), 24, 18, 6),
    "stewart, turned": (stewart_platform(rpy=(0.1, -0.2, 0.3)), 24, 18, 6),
    "digit": (digit_like(), 44, 48, 14),
    "digit in the air": (digit_like(standing=False), 44, 36, 26),
    "digit on a stand": (digit_like(standing=False, floating_base=False), 38, 36, 20),
    "box": (biped_with_box(), 50, 54, 14),
    "two and a box": (two_bipeds_with_box(), 94, 108, 22),
    "ring": (ring(12), 12, 6, 6),
    "planar ring": (ring(12, planar=True), 12, 6, 9),
    "floating ring": (ring(12, floating_base=True), 17, 6, 11),
    "large ring": (ring(100), 100, 6, 94),
    "loops": (chain_of_loops(5), 36, 30, 6),
    "planar loops": (chain_of_loops(3, planar=True), 22, 18, 13),
    "long loops": (chain_of_loops(2, 9, floating_base=True), 24, 12, 12),
    "coupled": (all_coupled(36), 36, 12, 24),
    "coupled, odd": (all_coupled(49), 49, 24, 25),
    "star": (star(5), 46, 30, 16),
    "standing star": (star(3, 5, floating_base=False), 31, 18, 13),
    "common tip": (common_tip(5), 41, 24, 17),
    "short common tip": (common_tip(3, 6, floating_base=False), 19, 12, 7),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_sizes_closure_and_mobility(name):
    model, dof, rows, free = EXPECTED[name]
    q = model.neutral()
    assert (model.nv, model.nc) == (dof, rows)
    assert all(gap(model, q, c) < 1e-12 for c in model.constraints)
    assert np.abs(lw.reference(model, "constraint_error")(q)).max() < 1e-12
    assert mobility(model, q) == free
    assert model.warnings == () and all(body.inertia.mass > 0 for body in model.bodies[1:])


@pytest.mark.parametrize("name", EXPECTED)
def test_bodies_are_numbered_depth_first(name):
    """As files are, and as Pinocchio's CRBA needs it."""
    graph = EXPECTED[name][0].graph
    for i, subtree in enumerate(graph.subtree):
        assert subtree == tuple(range(i, i + len(subtree)))


@pytest.mark.parametrize("name", ["delta", "stewart", "digit", "loops", "star"])
def test_dynamics_keep_the_loops_closed(name):
    model: Model = EXPECTED[name][0]
    q, still = model.neutral(), np.zeros(model.nv)
    a = lw.reference(model, "prox_ltl", outputs="a", iterations=5)(q, still, np.ones(model.nv))
    assert np.abs(a).max() > 1e-3
    np.testing.assert_allclose(jacobian(model, q) @ a, 0, atol=1e-6 * np.abs(a).max())


def test_delta_platform_does_not_turn():
    model = delta_robot(angles=(0.1, 0.4, 0.8))
    motions = free_motions(model, model.neutral())[model.iv[model.joint_index("platform_joint")]]
    np.testing.assert_allclose(motions[3:], 0, atol=1e-12)
    assert np.linalg.matrix_rank(motions[:3], tol=1e-6) == 3


def test_delta_has_the_lengths_asked_for():
    model = delta_robot(0.3, 0.25, 0.7, 0.06, angles=(0.2, 0.5, 0.1))
    q = model.neutral()
    for rod in ("rod1a", "rod2b", "rod3a"):
        ends = [frame_pose(model, q, name).translation for name in (rod, f"{rod}_end_on_platform")]
        assert math.dist(*ends) == pytest.approx(0.7, rel=1e-12)
    assert frame_pose(model, q, "platform").translation[2] < -0.4


def test_stewart_platform_moves_any_way():
    model = stewart_platform()
    motions = free_motions(model, model.neutral())[model.iv[model.joint_index("platform_joint")]]
    assert np.linalg.matrix_rank(motions, tol=1e-6) == 6


def test_motors_of_a_leg_move_it_all():
    """With the torso held, the six motors of each leg and the arms' determine every motion."""
    model = digit_like(standing=False, floating_base=False)
    motors = ("hip_roll", "hip_yaw", "thigh", "shin", "toe_a", "toe_b", "shoulder_roll", "shoulder_pitch",
              "shoulder_yaw", "elbow")  # fmt: skip
    driven = [
        model.iv[model.joint_index(f"{side}_{motor}_joint")].start for side in ("left", "right") for motor in motors
    ]
    motions = free_motions(model, model.neutral())
    assert np.linalg.matrix_rank(motions[driven], tol=1e-6) == 20 == motions.shape[1]


def test_biped_is_symmetric_and_stands_on_level_ground():
    model = two_bipeds_with_box()
    q = model.neutral()
    feet = [frame_pose(model, q, f"{who}_{side}_foot").translation for who in ("first", "second")
            for side in ("left", "right")]  # fmt: skip
    assert {round(foot[2], 12) for foot in feet} == {-1.0}
    np.testing.assert_allclose(feet[0] * [1, -1, 1], feet[1])
    box = frame_pose(model, q, "box").translation
    np.testing.assert_allclose((feet[0] + feet[3]) / 2 * [1, 0, 0], box * [1, 0, 0], atol=1e-12)  # point symmetry


@pytest.mark.parametrize("build", [ring, chain_of_loops, star, common_tip])
def test_elimination_stays_local(build):
    """What makes LCABA's cost linear: no link has more neighbours when the mechanism is larger."""
    from linkwright.algorithms.constrained.elimination_order import elimination_order
    from linkwright.model import Tree

    widest = [max(len(neighbours) for _, neighbours in elimination_order(Tree(build(n)))) for n in (4, 12, 30)]
    assert widest[0] == widest[1] == widest[2] <= 2


def test_numbers_in_names():
    assert lw.load("chain_of_loops:3,8").nv == 25
    assert lw.load("star:2,3", floating_base=False).nv == 13


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: delta_robot(forearm=0.2), "forearms of 0.2 do not meet"),
        (lambda: delta_robot(angles=(0.1, 0.2)), "expected three"),
        (lambda: delta_robot(arm=-1.0), "arm"),
        (lambda: stewart_platform(height=0.0), "height"),
        (lambda: stewart_platform(base_gap=2.0), "base_gap"),
        (lambda: ring(2), "from 3"),
        (lambda: chain_of_loops(2000), "number of links"),
        (lambda: all_coupled(8), "more than 12 links"),
        (lambda: star(0), "pairs"),
        (lambda: common_tip(1), "branches"),
    ],
)
def test_refused_with_the_numbers(call, words):
    with pytest.raises(InputError, match=words):
        call()
