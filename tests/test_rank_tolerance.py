"""One rank tolerance, in one metric, wherever the library asks which directions of the constraints count; and numbers
that are no tolerances."""

import math

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.clusters.resolving.cluster_plan import ClusterPlan
from linkwright.algorithms.clusters.resolving.involvement import NumericRows
from linkwright.algorithms.clusters.resolving.scaled_rows import ScaledRows
from linkwright.algorithms.rows.row_scales import rank_tolerance, row_scales
from linkwright.errors import InputError
from linkwright.model import Tree
from linkwright.referee import solve_kkt
from linkwright.robots import four_bar

ANGLE = 0.5
BAD = (-1.0, math.nan, math.inf, True, "x")


@pytest.fixture(scope="module")
def parallelogram():
    return four_bar(0.3, 0.2, 0.3, 0.2, angle=ANGLE)


def folded(distance):
    """So far from flat, where two rows are one; closed all the way."""
    return (distance - ANGLE) * np.array([1.0, -1.0, 1.0])


def exact(model, q, tau):
    zeros = np.zeros(model.nv)
    return solve_kkt(model, q, zeros, tau, rank_tolerance=rank_tolerance(model), scales=row_scales(model))


@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1.5e-5, 7e-6, 1e-6, 1e-8])
def test_all_agree_on_the_rank_on_the_way_to_a_toggle(parallelogram, distance):
    model, q = parallelogram, folded(distance)
    rank = 2 if distance > 1e-5 else 1  # the scaled singular value is 0.94 times the distance
    assert exact(model, q, np.zeros(3)).rank == rank
    assert lw.check_state(model, q).rank == rank
    assert lw.mobility(model, q).rank == rank
    v = lw.project_velocity(model, q, np.array([1.0, -3.0, 2.0]))
    across = np.linalg.svd(lw.reference(model, "constraint_jacobian")(q))[2][rank:]
    assert np.linalg.matrix_rank(across) == 3 - rank  # directions that velocities keep
    np.testing.assert_allclose(np.linalg.norm(across @ v), np.linalg.norm(v), rtol=1e-4)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_clusters_say_singular_where_a_direction_no_longer_counts(parallelogram, dtype):
    """And near there, within three times the tolerance at least; whatever the rank is where pivots were chosen."""
    tolerance = rank_tolerance(parallelogram, dtype)
    status = lw.reference(parallelogram, "cluster_aba", coordinates="spanning", outputs="status", dtype=dtype)

    def said(distance):
        return status(folded(distance).astype(dtype), np.zeros(1, dtype), np.ones(1, dtype))

    assert [said(share * tolerance) for share in (1.5, 0.9, 0.1)] == [2, 2, 2]
    assert [said(share * tolerance) for share in (10.0, 100.0)] == [0, 0]


@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1.5e-5, 7e-6, 1e-6, 1e-8])
def test_planning_of_clusters_counts_as_all_others_do(parallelogram, distance):
    model, q = parallelogram, folded(distance)
    cluster = next(c for c in ClusterPlan(model).graph.clusters if c.constraints)
    rows = NumericRows(Tree(model, choose_cheap_frames=False), cluster.bodies, cluster.constraints)
    assert ScaledRows(model, q).rank(rows, rows(q)[0]) == lw.check_state(model, q).rank


@pytest.mark.parametrize("solver", ["lcaba", "prox_bbo", "prox_ltl"])
@pytest.mark.parametrize("distance", [1e-2, 1e-4, 1e-6, 1e-8])
def test_solvers_drop_what_the_referee_drops(parallelogram, solver, distance):
    model, q, tau = parallelogram, folded(distance), np.ones(3)
    a = lw.reference(model, solver, outputs="a")(q, np.zeros(3), tau)
    expected = exact(model, q, tau).a
    assert np.abs(a - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("solver", ["bbo", "ltl"])
def test_solvers_for_independent_rows_say_that_they_are_not(parallelogram, solver):
    status = lw.reference(parallelogram, solver, outputs="status")
    zeros, tau = np.zeros(3), np.ones(3)
    assert status(folded(1e-4), zeros, tau) == 0 and status(folded(3e-6), zeros, tau) == 2


def test_a_tolerance_of_the_users_own(parallelogram):
    """At 1e-4 the second row counts, unless it is said not to."""
    q, zeros, tau = folded(1e-4), np.zeros(3), np.ones(3)
    a = lw.reference(parallelogram, "lcaba", outputs="a", rank_tolerance=1e-2)(q, zeros, tau)
    scales = row_scales(parallelogram)
    dropped = solve_kkt(parallelogram, q, zeros, tau, rank_tolerance=1e-2, scales=scales)
    assert dropped.rank == 1 and np.abs(a - dropped.a).max() < 1e-6 * np.abs(dropped.a).max()
    assert np.abs(a - exact(parallelogram, q, tau).a).max() > 1e-3 * np.abs(a).max()


@pytest.mark.parametrize("tolerance", [*BAD, 0, None])
def test_assembly_refuses_what_is_no_tolerance(parallelogram, tolerance):
    for function in (lw.project_configuration, lw.check_state):
        with pytest.raises(InputError, match=r"tolerance is .*expected a positive number"):
            function(parallelogram, parallelogram.drawn, tolerance=tolerance)


@pytest.mark.parametrize("tolerance", BAD)
def test_the_referee_refuses_what_is_no_tolerance(parallelogram, tolerance):
    zeros = np.zeros(3)
    with pytest.raises(InputError, match="rank_tolerance is"):
        solve_kkt(parallelogram, zeros, zeros, zeros, rank_tolerance=tolerance, scales=np.ones(2))


@pytest.mark.parametrize("scales", [np.ones(3), np.zeros(2), np.array([1.0, np.nan]), -np.ones(2)])
def test_the_referee_refuses_scales_that_are_none(parallelogram, scales):
    zeros = np.zeros(3)
    with pytest.raises(InputError, match="2 positive numbers"):
        solve_kkt(parallelogram, zeros, zeros, zeros, rank_tolerance=1e-5, scales=scales)


@pytest.mark.parametrize("time", [*BAD, 0])
def test_stabilization_takes_seconds(parallelogram, time):
    with pytest.raises(InputError, match=r"baumgarte is .*positive time constant"):
        lw.reference(parallelogram, "lcaba", baumgarte=time)


@pytest.mark.parametrize("solver", ["lcaba", "prox_bbo", "prox_ltl", "bbo", "ltl"])
def test_status_is_an_output_nobody_has_to_ask_for(parallelogram, solver):
    zeros = np.zeros(3)
    assert lw.reference(parallelogram, solver)(folded(0.3), zeros, zeros).status == 0
