"""The bench of loop solvers measures what it says; linear families cost a constant number of operations a link."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import linkwright as lw
from linkwright.bench.loop_scaling import operations
from linkwright.bench.loop_systems import LINEAR, SYSTEMS, TABLE, pinocchio_constraints
from linkwright.bench.loop_times import closed_states, measure_model
from linkwright.robots import four_bar
from linkwright.trace import count_operations


@pytest.mark.parametrize("family", LINEAR)
def test_operations_grow_in_proportion_to_links(family):
    """The slope between sizes is constant; aligned axes here and there make it vary a little."""
    sizes = [operations(family, n) for n in (15, 29, 57)]
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(sizes)]
    assert max(slopes) < 1.06 * min(slopes)


def test_all_coupled_is_the_worst_case():
    (n, few), (m, many) = operations("all coupled", 30), operations("all coupled", 60)
    assert many / few > 1.5 * m / n


def test_operation_counts_of_the_grasps():
    """What is measured for [Sathya2025]'s systems, distinct contact points, one iteration; only ever lower."""
    limits = {"two hands + cube": 12_400, "humanoid + cube + feet": 32_000}
    for name, limit in limits.items():
        known = {robot.name: robot for robot in lw.list_robots()}[TABLE[name]]
        if not known.available:
            pytest.skip(f"needs {known.needs}")
        program = lw.trace_program(SYSTEMS[name](), "lcaba", outputs="a", iterations=1)
        assert count_operations(program).total <= limit


def test_closed_states_are_closed():
    model = lw.load("stewart_platform")
    q, v, _ = closed_states(model, np.random.default_rng(0))
    J = lw.reference(model, "constraint_jacobian")(q[0])
    np.testing.assert_allclose(v @ J.T, 0, atol=1e-12)
    assert np.abs(lw.reference(model, "constraint_error")(q)).max() < 1e-12


def test_what_pinocchio_cannot_express_is_named():
    pytest.importorskip("pinocchio")
    from linkwright.io.pinocchio.pinocchio_model import pinocchio_model

    planar, points = four_bar(), four_bar(closure="point")
    other = pinocchio_model(planar.without_constraints())
    assert pinocchio_constraints(planar, other) == "coupler_pin"
    (constraint,) = pinocchio_constraints(points, other)
    assert constraint[2] == "3d" and {constraint[0], constraint[3]} == {2, 3}


def test_measuring_without_a_peer():
    times = measure_model("four_bar", four_bar(), ("lcaba", "aba"), seconds=0.01)
    assert [(t.algorithm, t.iterations) for t in times.ours] == [("lcaba", 1), ("lcaba", 3), ("aba", None)]
    assert times.ours[0].operations < times.ours[1].operations and times.note
    assert times.ratio("lcaba", times.ours[0]) is None
