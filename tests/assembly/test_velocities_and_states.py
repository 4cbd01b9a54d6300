"""Velocities that keep loops closed, and what is said about a state."""

import numpy as np
import pytest
from mechanisms import PARALLELOGRAM, five_bar, five_bar_pose, four_bar, four_bar_pose, random_closed_graph

import linkwright as lw

ROUNDING = 1e-12


@pytest.mark.parametrize("weighted", ["inertia", None])
@pytest.mark.parametrize("seed", range(8))
def test_projected_velocities_keep_loops_closed(seed, weighted):
    model, q = random_closed_graph(seed)
    v = np.random.default_rng(seed).normal(size=model.nv)
    J = lw.reference(model, "constraint_jacobian")(q)
    closed = lw.project_velocity(model, q, v, weighted=weighted)
    assert np.abs(J @ closed).max() < ROUNDING * max(1, np.abs(J).max() * np.abs(v).max())
    again = lw.project_velocity(model, q, closed, weighted=weighted)
    assert again == pytest.approx(closed, abs=ROUNDING * 10)
    # nearest: what was taken away is perpendicular to every motion that is left
    M = lw.reference(model, "crba")(q) if weighted else np.eye(model.nv)
    other = lw.project_velocity(model, q, np.random.default_rng(seed + 1).normal(size=model.nv), weighted=weighted)
    assert abs((v - closed) @ M @ other) < 1e-10 * np.abs(M).max()


def test_a_batch_of_velocities(rng):
    model = five_bar()
    q = np.array([five_bar_pose(2.0 + k / 10, 1.0)[0] for k in range(4)])
    v = rng.normal(size=(4, 4))
    together = lw.project_velocity(model, q, v)
    assert together == pytest.approx(np.array([lw.project_velocity(model, *x) for x in zip(q, v, strict=True)]))
    assert lw.project_velocity(model, q[0], v).shape == (4, 4)


def test_a_driven_crank_moves_the_others_as_the_closed_form_does():
    model, step = four_bar(), 1e-5
    v = lw.project_velocity(model, four_bar_pose(0.8), [1.0, 9.0, -3.0], fixed="crank_joint")
    expected = (four_bar_pose(0.8 + step) - four_bar_pose(0.8 - step)) / (2 * step)
    assert v == pytest.approx(expected, abs=1e-9)


def test_velocities_that_do_not_fit_together_are_refused():
    model = four_bar()
    with pytest.raises(lw.NoConvergence, match="do not let crank_joint, rocker_joint move") as caught:
        lw.project_velocity(model, four_bar_pose(0.8), [1.0, 0.0, 5.0], fixed=["crank_joint", "rocker_joint"])
    assert caught.value.residuals["pin"] > 0.01


def test_bad_velocities_are_named():
    model, q = four_bar(), four_bar_pose(0.8)
    for change, message in [
        ({"v": [0, np.nan, 0]}, r"v\[1\] is nan"),
        ({"v": np.zeros(2)}, "shape"),
        ({"weighted": "mass"}, "weighted"),
    ]:
        arguments = {"v": np.zeros(3), **change}
        with pytest.raises(lw.LinkwrightError, match=message):
            lw.project_velocity(model, q, arguments.pop("v"), **arguments)


def test_without_constraints_nothing_changes():
    model = lw.load("humanoid")
    v = np.arange(model.nv, dtype=float)
    assert np.array_equal(lw.project_velocity(model, model.neutral(), v), v)
    check = lw.check_state(model, model.neutral(), v)
    assert check.closed and check.mobility == model.nv and not check.singular and check.rank == 0


def test_a_closed_state_is_told_from_an_open_one():
    model, q = four_bar(), four_bar_pose(0.8)
    check = lw.check_state(model, q, lw.project_velocity(model, q, np.ones(3)))
    assert check.raise_if_open() is check and not check.singular
    # five rows of which the plane needs two
    assert (check.rows, check.rank, check.redundancy, check.mobility) == (5, 2, 3, 1)
    moving = lw.check_state(model, q, [1.0, 0.0, 0.0])
    assert not moving.closed and moving.position["pin"].largest < 1e-12 < moving.velocity["pin"].metres
    with pytest.raises(lw.NoConvergence, match=r"m/s.* OPEN"):
        moving.raise_if_open()
    gap = lw.check_state(model, q + np.array([0, 0.01, 0]))
    assert gap.position["pin"].metres == pytest.approx(0.5 * 0.01, rel=1e-3)
    with pytest.raises(lw.NoConvergence, match="project_configuration"):
        gap.raise_if_open()


def test_singular_poses_are_flagged():
    flat = four_bar(PARALLELOGRAM)
    check = lw.check_state(flat, np.zeros(3))
    assert check.singular and check.rank == 1 and check.usual_rank == 2 and check.mobility == 2
    assert "SINGULAR" in str(check)
    assert lw.check_state(flat, [1e-6, -1e-6, 1e-6]).singular
    for crank in (0.1, 0.5, 1.5):
        assert not lw.check_state(flat, [crank, -crank, crank]).singular


@pytest.mark.parametrize("seed", range(8))
def test_generic_poses_are_not_flagged(seed):
    model, q = random_closed_graph(seed)
    check = lw.check_state(model, q)
    J = lw.reference(model, "constraint_jacobian")(q)
    assert check.closed and not check.singular
    assert check.rank == np.linalg.matrix_rank(J, tol=1e-8 * np.linalg.norm(J, 2))


def test_constraints_met_anywhere_are_said_to_be():
    model = four_bar().with_constraints(lw.weld("crank", name="held"))
    check = lw.check_state(model, four_bar_pose(0.8), np.zeros(3))
    assert "met anywhere: held" in str(check) and "held" in check.velocity and check.mobility == 0
