"""[Sathya2025] Figures 10 and 11 on fewer states: few iterations suffice, and who bears a large mu."""

import pytest

import linkwright as lw
from linkwright.bench.convergence import measure


@pytest.fixture(scope="module", params=["two_hands_with_cube", "digit_like"])
def results(request):
    known = {robot.name: robot for robot in lw.list_robots()}[request.param]
    if not known.available:
        pytest.skip(f"needs {known.needs}")
    found = measure(request.param, lw.load(request.param), ("lcaba", "prox_bbo"), count=200, iterations=(4,))
    return {r.algorithm: r for r in found}


def test_four_iterations_reach_a_residual_of_a_millionth(results):
    """Redundant closures: six rows each on the biped, whose 48 rows outnumber its 44 joints' velocities."""
    assert all(r.largest[4] < 1e-6 for r in results.values())


def test_penalties_in_the_inertias_cost_digits_and_those_in_the_dual_do_not(results):
    lcaba, prox_bbo = results["lcaba"].error, results["prox_bbo"].error
    assert lcaba[1e10] > 100 * lcaba[1e6]
    assert prox_bbo[1e11] < 1e-8
    assert prox_bbo[1e11] < 1e-3 * lcaba[1e11]
