"""Toggle and singular poses of closed mechanisms: bounded answers, a flag, no NaN."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.bench.trust import recheck
from linkwright.referee import solve_kkt
from linkwright.robots import four_bar

PROXIMAL = ("lcaba", "prox_bbo", "prox_ltl")


@pytest.fixture(scope="module")
def flat():
    """A parallelogram folded flat: all links in line, where its two rows are one."""
    angle = 0.5
    model = four_bar(0.3, 0.2, 0.3, 0.2, angle=angle)
    q = -angle * np.array([1.0, -1.0, 1.0])
    assert np.abs(lw.reference(model, "constraint_error")(q)).max() < 1e-12
    return model, q


@pytest.mark.parametrize("name", PROXIMAL)
def test_a_flat_parallelogram(flat, name):
    """At rest in line, rows across the line are dependent; gravity still decides the acceleration."""
    model, q = flat
    exact = solve_kkt(model, q, np.zeros(3), np.zeros(3))
    assert exact.rank < exact.rows
    solution = lw.compile(model, name, iterations=5)(q, np.zeros(3), np.zeros(3))
    assert np.abs(solution.a - exact.a).max() < 1e-6 * np.abs(exact.a).max()
    assert solution.residual < 1e-6


@pytest.mark.parametrize("name", ["bbo", "ltl"])
def test_hard_solvers_flag_it(flat, name):
    model, q = flat
    assert lw.compile(model, name, outputs="status")(q, np.zeros(3), np.zeros(3)) == 2


@pytest.mark.parametrize("name", PROXIMAL)
def test_moving_through_the_toggle_is_bounded(flat, name):
    """Velocities that the loop cannot follow ask for what no acceleration gives; the residual says so."""
    model, q = flat
    v = np.array([1.0, -3.0, 2.0])
    solution = lw.compile(model, name, iterations=3, outputs=("a", "residual", "status"))(q, v, np.zeros(3))
    assert np.all(np.isfinite(solution.a)) and solution.residual > 1e-3 and solution.status == 0


def test_rows_that_cannot_move_are_called_dependent_and_not_a_number_is_called_so():
    """A pin given as a point in space: nothing moves across the plane, so that row's pivot is zero."""
    pin = four_bar().constraints[0]
    model = four_bar().without_constraints().with_constraints(lw.connect(pin.frame, pin.other))
    dynamics = lw.reference(model, "bbo", outputs=("a", "status"))
    q, zeros = model.drawn, np.zeros(model.nv)
    assert dynamics(q, zeros, zeros + 1.0).status == 2
    assert dynamics(q * np.nan, zeros, zeros).status == 3


def test_a_mixture_of_strong_and_dependent_directions_is_not_pushed_back():
    """`digit_like` with 5 digits: Lanczos' method met a pair that is no direction, and was off by 4e-6 in silence."""
    found = recheck("rounded", 81, 10, "lcaba", digits="double")
    assert found["status"] == 0 and found["error"] < 1e-7 and found["passes"] <= 12


def test_hard_solvers_call_dependent_what_the_digits_of_a_file_do():
    """A leg with 4 digits: rows that are dependent but for those have pivots as small as they are, not as rounding."""
    found = recheck("rounded", 55, 5, "ltl", held_out=True, digits="double")
    assert found["rank_tolerance"] > 1e-4 and found["status"] == 2
