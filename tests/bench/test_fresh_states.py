"""States that `linkwright bench trust` found on seeds nobody had tried, one of each cause."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.bench.trust import recheck
from linkwright.referee import solve_kkt
from linkwright.robots import chain


def verdict(*case, **options):
    return recheck(*case, digits="double", **options)


def test_descent_ends_by_the_weakest_direction_it_met():
    """Here the last step goes along a strong one; what is left of the weak one is 7e-11, and 5e-6 of accelerations."""
    found = verdict("ground", 5, 15, "prox_ltls", seed=8)
    assert found["status"] == 0 and found["error"] < 1e-6


@pytest.mark.parametrize(
    ("number", "sample", "solver"), [(2, 3, "prox_ltls"), (0, 11, "lcaba"), (0, 11, "prox_bbo")]
)
def test_contradictions_of_directions_just_below_the_tolerance_are_said(number, sample, solver):
    found = verdict("toggles", number, sample, solver, "reference32", seed=7)
    assert found["contradiction"] == "yes" and found["status"] == 4 and found["error"] < 1e-6


def test_vectors_that_mix_dependent_directions_with_others_are_not_the_last():
    found = verdict("redundant", 2, 10, "prox_bbo", "reference32", seed=12)
    assert found["contradiction"] == "yes" and found["status"] == 4 and found["passes"] < 10


def test_rows_taken_as_given_are_dependent_by_evidence():
    """BBO's pivots show 12 times the rank tolerance as less than it."""
    found = verdict("rounded", 2, 11, "bbo", "reference32", seed=13)
    assert found["status"] == 0 and found["error"] < 1e-6


@pytest.mark.parametrize("solver", ["bbo", "pv_early"])
def test_directions_of_three_tolerances_count(solver):
    found = verdict("mass ratios", 5, 8, solver, seed=7)
    weakest = found["exact"].singular_values.min() / found["rank_tolerance"]
    assert 3 < weakest < 4 and found["status"] == 0 and found["error"] < 1e-7


def test_pv_early_drops_rows_beside_a_rod():
    """Welded, a chain of five joints leaves a row over; whether it is met is asked of rods, too."""
    model = chain(5).with_constraints(lw.weld("tip"), lw.rod("link_3", length=0.5))
    rng = np.random.default_rng(0)
    q, v, tau = model.random_configuration(rng), np.zeros(5), rng.normal(size=5)
    found = lw.reference(model, "pv_early", outputs=("a", "status"))(q, v, tau)
    assert found.status == 0 and np.abs(found.a - solve_kkt(model, q, v, tau).a).max() < 1e-9


@pytest.mark.parametrize("solver", ["bbo", "ltl"])
def test_loops_closed_by_points_on_a_floating_base_are_dependent(solver):
    """Two four-bars: nothing moves across their planes."""
    builder = lw.ModelBuilder("two_four_bars")
    builder.add_body("base", lw.free_flyer("root"), inertia=lw.Inertia.box(10.0, (1.0, 1.0, 0.3)))
    for k in range(2):
        lengths = {"crank": 0.2, "coupler": 0.5, "rocker": 0.3}
        places = {"crank": ("base", (0, k, 0)), "coupler": (f"crank{k}", (0.2, 0, 0)), "rocker": ("base", (0.5, k, 0))}
        for name, (parent, at) in places.items():
            bar = lw.Inertia.box(0.5, (lengths[name], 0.02, 0.02), (lengths[name] / 2, 0, 0))
            joint = lw.revolute(f"{name}{k}_joint", axis="y")
            builder.add_body(f"{name}{k}", joint, parent=parent, placement=at, inertia=bar)
            builder.add_frame(f"{name}{k}_end", f"{name}{k}", (lengths[name], 0, 0))
    tree = builder.build()
    model = tree.with_constraints(*(lw.connect(f"coupler{k}_end", f"rocker{k}_end") for k in range(2)))
    rng = np.random.default_rng(1)
    q = lw.project_configuration(model, model.random_configuration(rng))
    v = lw.project_velocity(model, q, rng.normal(size=model.nv))
    assert lw.reference(model, solver, outputs="status")(q, v, np.zeros(model.nv)) == 2
    assert lw.reference(model, "lcaba", outputs="status")(q, v, np.zeros(model.nv)) == 0


def test_what_is_held_in_every_way_stays_at_rest():
    """Soft penalties take a digit a pass: residuals, small beside the accelerations of the first one, end just below
    what is allowed."""
    found = verdict("toggles", 5, 1, "prox_ltls", seed=42)
    assert found["status"] == 0 and np.abs(found["a"]).max() < 1e-6 and np.abs(found["exact"].a).max() < 1e-9


@pytest.mark.parametrize("solver", ["lcaba", "constrained_aba"])
def test_joints_held_in_oblique_directions_get_softer_penalties(solver):
    """A free-flyer held in some directions: what penalties leave of its inertia in the others is a 1e-9th of them."""
    for found in (verdict("ground", 10, 1, solver, seed=15, held_out=True), verdict("ground", 11, 5, solver, seed=41)):
        assert found["status"] == 0 and found["error"] < 1e-6  # were 1.6e-5 and 3e-6


def test_rows_unmet_for_all_to_see_may_be_called_so():
    """A weld of a tip a millionth as heavy: 0.08 m/s^2 are left of it, beside 10 that there are and 3e7 without it."""
    found = verdict("mass ratios", 5, 3, "lcaba", seed=8)
    assert found["status"] == 4 and found["contradiction"] == "no" and found["verdict"] == "right"
    assert found["exact"].residual < 1e-8 * found["exact"].asked
    assert found["exact"].residual > 1e-3 * found["exact"].moving


@pytest.mark.parametrize("solver", ["lcaba", "prox_bbo"])
def test_quaternions_of_floats_have_unit_length_in_double_precision(solver):
    """Every constraint is given twice, at rest: gravity, stretched by 1e-7, looked like a contradiction."""
    found = verdict("redundant", 4, 3, solver, "reference32", seed=51)
    assert found["status"] == 0 and found["error"] < 1e-6


def test_a_straight_limb_that_loses_two_directions_is_not_singular():
    """On a floating base: 1.5e-9 stands in for a pivot of 7e-17, and evidence shows that this does no harm."""
    found = verdict("toggles", 8, 15, "pv_early", seed=55)
    assert found["status"] == 0 and found["error"] < 1e-7
