"""Poses that close: against closed forms, on random graphs, on their branch, and where there is none."""

import numpy as np
import pytest
from loop_cases import random_graph
from mechanisms import (
    CRANK_ROCKER,
    DOUBLE_ROCKER,
    PARALLELOGRAM,
    five_bar,
    five_bar_pose,
    four_bar,
    four_bar_pose,
    random_closed_graph,
    wrapped,
)

import linkwright as lw

SEEDS = range(20)


def error(model, q):
    return np.abs(lw.reference(model, "constraint_error")(q)).max()


@pytest.fixture(scope="module")
def linkage():
    return four_bar()


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_crank_rocker_keeps_its_branch_over_a_full_turn(linkage, side):
    cranks = np.linspace(0.0, 2 * np.pi, 37)
    exact = np.array([four_bar_pose(t, side=side) for t in cranks])
    guesses = np.column_stack([cranks, np.zeros_like(cranks), np.zeros_like(cranks)])
    # in one go from the first pose, which for the last is a whole turn away
    found = lw.project_configuration(linkage, guesses, fixed="crank_joint", start=exact[0])
    assert np.array_equal(found[:, 0], cranks)
    assert np.abs(wrapped(found - exact)).max() < 1e-10
    assert np.abs(lw.reference(linkage, "constraint_error")(found)).max() < 1e-12
    # and from pose to pose
    q = exact[0]
    for k, t in enumerate(cranks):
        q = lw.project_configuration(linkage, [t, *q[1:]], fixed=["crank_joint"], start=q)
        assert np.abs(wrapped(q - exact[k])).max() < 1e-10


def test_a_five_bar_meets_its_closed_form(rng):
    model = five_bar()
    start = five_bar_pose(2.0, 1.0)[0]
    for left, right in rng.uniform([1.5, 0.3], [2.8, 1.6], (10, 2)):
        exact, tip = five_bar_pose(left, right)
        q = lw.project_configuration(model, [left, 0, right, 0], fixed=["left_motor", "right_motor"], start=start)
        assert np.abs(wrapped(q - exact)).max() < 1e-10
        pose = lw.reference(model, "forward_kinematics", frames=["tip"])(q)
        assert pose.positions[0][:2] == pytest.approx(tip, abs=1e-10)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_graphs_are_closed_again(seed):
    model, closed = random_closed_graph(seed)
    rng = np.random.default_rng(seed)
    assert error(model, closed) < 1e-12
    near = model.integrate(closed, rng.uniform(-0.03, 0.03, model.nv))
    q = lw.project_configuration(model, near)
    assert error(model, q) < 1e-12
    far = model.integrate(closed, rng.uniform(-0.6, 0.6, model.nv))
    q = lw.project_configuration(model, far, start=closed)
    assert error(model, q) < 1e-12
    # it went towards what was asked for, as far as the loops allow
    assert np.linalg.norm(model.difference(q, far)) <= np.linalg.norm(model.difference(closed, far)) + 1e-9


@pytest.mark.parametrize("seed", range(16))
def test_the_random_graphs_of_the_solvers(seed):
    """Constraints of every form, several at once. Half of the graphs are known to close; the others may, or say so."""
    case = random_graph(seed)
    rng = np.random.default_rng(seed)
    placed = case.model.without_constraints().with_constraints(
        *(c for c in case.model.constraints if c.has_position)
    )
    if case.closed:
        pushed = case.model.integrate(case.q, rng.uniform(-0.1, 0.1, case.model.nv))
        q = lw.project_configuration(case.model, pushed, start=case.q)
    else:
        try:
            q = lw.project_configuration(case.model, case.q)
        except lw.NoConvergence as failure:
            assert np.all(np.isfinite(failure.q))
            assert set(failure.residuals) == {c.name for c in placed.constraints}
            assert max(failure.residuals.values()) > 1e-12
            return
    assert not placed.nc or error(placed, q) < 1e-12


def test_a_closed_pose_stays_as_it_is(linkage):
    q = four_bar_pose(0.7)
    assert np.array_equal(lw.project_configuration(linkage, q), q)
    assert np.array_equal(lw.project_configuration(linkage, q, start=four_bar_pose(0.1)), q)


def test_a_batch_gives_what_single_calls_give(linkage, rng):
    q = four_bar_pose(0.7) + rng.uniform(-0.3, 0.3, (5, 3))
    found = lw.project_configuration(linkage, q)
    for one, together in zip(q, found, strict=True):
        assert lw.project_configuration(linkage, one) == pytest.approx(together, abs=1e-9)


def test_fixed_joints_keep_their_coordinates_to_the_last_bit(linkage):
    q = lw.project_configuration(linkage, [0.7123456789, 1.0, 1.7], fixed="crank_joint")
    assert q[0] == 0.7123456789
    assert error(linkage, q) < 1e-12


def test_constraints_without_a_place_are_met_anywhere():
    model = four_bar().with_constraints(lw.weld("crank", name="held"))
    q = lw.project_configuration(model, four_bar_pose(0.7) + 0.02)
    assert np.abs(lw.reference(four_bar(), "constraint_error")(q)).max() < 1e-12
    free = lw.load("humanoid").with_constraints(lw.weld("left_foot"))
    assert np.array_equal(lw.project_configuration(free, free.neutral()), free.neutral())


def test_some_directions_of_a_weld_close_although_their_rows_are_no_derivative():
    model = lw.load("humanoid").with_constraints(lw.weld("left_hand", "right_hand", directions="x rz", name="some"))
    q = lw.project_configuration(model, model.random_configuration(2))
    assert error(model, q) < 1e-12


def test_stretched_out_poses_where_no_small_motion_helps(linkage):
    """All links in line: the error has a maximum along the line."""
    q = lw.project_configuration(linkage, np.zeros(3))
    assert error(linkage, q) < 1e-12


def test_through_a_toggle_nothing_runs_away():
    """The parallelogram laid flat, and a dead centre: closed, finite and near."""
    flat = four_bar(PARALLELOGRAM)
    for crank in (0.0, 1e-9, 1e-4, np.pi):
        q = lw.project_configuration(flat, [crank, -crank, crank], fixed="crank_joint")
        assert error(flat, q) < 1e-12 and np.abs(wrapped(q - [crank, -crank, crank])).max() < 1e-5
    a, b, c, d = DOUBLE_ROCKER
    limit = np.arccos((a * a + d * d - (b + c) ** 2) / (2 * a * d))  # coupler and rocker in line
    rocker = four_bar(DOUBLE_ROCKER)
    start = four_bar_pose(0.5, DOUBLE_ROCKER)
    q = lw.project_configuration(rocker, [limit - 1e-7, 0, 0], fixed="crank_joint", start=start)
    assert error(rocker, q) < 1e-12
    with pytest.raises(lw.NoConvergence, match="do not stay closed") as caught:
        lw.project_configuration(rocker, [limit + 0.01, 0, 0], fixed="crank_joint", start=start)
    assert np.all(np.isfinite(caught.value.q))
    assert 0 < caught.value.residuals["pin"] < 0.1


def test_a_loop_that_cannot_close_is_listed_with_its_gap():
    model = four_bar((0.2, 0.5, 0.4, 1.5))  # a gap of 0.4 m at best
    with pytest.raises(lw.NoConvergence, match=r"'pin' \(coupler_end - rocker_end\): 0.4 m") as caught:
        lw.project_configuration(model, np.zeros(3))
    assert caught.value.residuals["pin"] == pytest.approx(0.4, abs=1e-6)
    with pytest.raises(lw.NoConvergence, match="start cannot be closed"):
        lw.project_configuration(model, np.zeros(3), start=np.ones(3))


def test_the_sample_of_a_batch_that_fails_is_named():
    rocker, start = four_bar(DOUBLE_ROCKER), four_bar_pose(0.5, DOUBLE_ROCKER)
    with pytest.raises(lw.NoConvergence, match=r"sample 1 of 3"):
        lw.project_configuration(rocker, [[0.6, 0, 0], [3.0, 0, 0], [0.7, 0, 0]], fixed="crank_joint", start=start)


def test_contradictory_closures_are_each_listed():
    model = four_bar().with_constraints(
        lw.couple("crank_joint", "rocker_joint", [0.0, 1.0], name="gear"),
        lw.couple("coupler_joint", "rocker_joint", [0.0, 1.0, 1e-9], name="belt"),
    )
    with pytest.raises(lw.NoConvergence) as caught:
        lw.project_configuration(model, np.zeros(3))
    assert set(caught.value.residuals) == {"pin", "gear", "belt"}
    for name in ("'pin'", "'gear' (joints crank_joint, rocker_joint)", "rad OPEN"):
        assert name in str(caught.value)


@pytest.mark.parametrize("distance", [1e3, 1e20, 1e49])
def test_an_anchor_out_of_this_world_is_listed_and_nothing_overflows(distance):
    anchored = lw.connect("coupler_end", "rocker_end", at=(distance, 0, 0), name="far")
    model = four_bar().without_constraints().with_constraints(anchored)
    with pytest.raises(lw.NoConvergence, match="'far'") as caught:
        lw.project_configuration(model, np.zeros(3))
    assert np.all(np.isfinite(caught.value.q))
    assert not lw.check_state(model, np.zeros(3)).closed


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(4)}, r"shape \(4,\); expected \(3,\)"),
        ({"q": "closed"}, "expected numbers"),
        ({"q": [0, np.nan, 0]}, r"q\[1\] is nan \(joint 'coupler_joint'\)"),
        ({"q": np.zeros((2, 3)), "start": np.zeros((3, 3))}, "batches differ"),
        ({"start": [0, 0, np.inf]}, "start"),
        ({"fixed": "crank"}, "no joint named 'crank'. Did you mean 'crank_joint'"),
        ({"fixed": ["crank_joint", "crank_joint"]}, "each joint once"),
        ({"fixed": 3}, "names of joints"),
        ({"tolerance": 0.0}, "tolerance"),
        ({"model": "four-bar"}, "expected a Model"),
    ],
)
def test_bad_input_is_named(linkage, change, message):
    arguments = {"model": linkage, "q": np.zeros(3), **change}
    with pytest.raises(lw.LinkwrightError, match=message):
        lw.project_configuration(arguments.pop("model"), arguments.pop("q"), **arguments)


def test_quaternions_must_have_unit_length():
    model = lw.load("humanoid").with_constraints(lw.connect("left_hand", "right_hand"))
    q = model.neutral()
    q[6] = 2.0
    with pytest.raises(lw.LinkwrightError, match=r"quaternion of joint .* has length 2"):
        lw.project_configuration(model, q)


def test_all_links_in_one_line_with_a_full_turn_is_found_from_the_drawing():
    """Without a start the as-drawn pose counts, here itself open."""
    cranks = np.linspace(0.1, 3.0, 7)
    model = four_bar(CRANK_ROCKER)
    q = lw.project_configuration(model, [[t, 0, 0] for t in cranks], fixed="crank_joint")
    sides = {side for t, found in zip(cranks, q, strict=True) for side in (1.0, -1.0)
             if np.abs(wrapped(found - four_bar_pose(t, side=side))).max() < 1e-9}  # fmt: skip
    assert len(sides) == 1  # all on one branch
