"""Constraints between two bodies: LCABA and the joint-space solvers against the dense referee."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.elimination import elimination_order
from linkwright.errors import UnsupportedError
from linkwright.model import Tree
from linkwright.referee import DenseDynamics, solve_kkt
from linkwright.robots.random import random_tree
from linkwright.trace import count_operations

INDEPENDENT_TOLERANCE = 1e-8
REDUNDANT_TOLERANCE = 1e-6
SMALLEST_EIGENVALUE = 1e-4  # of the Delassus matrix scaled to a unit diagonal, in what counts as independent
# Each iteration divides the error by 1 + mu times an eigenvalue. With penalties estimated at other poses, five are not
# enough for the smallest one allowed (4e-4 is left on seed 2); twenty are.
CONVERGED = {"lcaba": {"iterations": 20}, "prox_ltl": {"iterations": 20}}
FIVE = {"lcaba": {"iterations": 5}, "prox_ltl": {"iterations": 5}}


def random_graph(seed):
    """A tree of 4 to 12 bodies with two to four closures, between bodies and to the ground, independent at q."""
    rng = np.random.default_rng([11, seed])
    model = random_tree(
        seed, 4 + seed % 9, branching=0.8, frames=5, floating_base=seed % 2 == 0, armature=seed % 3 == 1,
        springs=seed % 4 == 2, damping=seed % 4 == 3,
    )  # fmt: skip
    q, v = model.random_configuration(rng), rng.normal(size=model.nv)
    names = [f"frame_{k}" for k in range(1, 6)] + [body.name for body in model.bodies[1:]]
    kept = []
    for k in range(40):
        first, second = (str(x) for x in rng.choice(names, 2, replace=False))
        other = "world" if rng.random() < 0.25 else second
        if model.frame(first).body in (0, model.frame(other).body):
            continue
        kinds = rng.choice(["x", "y", "z", "rx", "ry", "rz"], int(rng.integers(1, 4)), replace=False)
        candidate = (
            lw.connect(first, other, name=f"c{k}") if rng.random() < 0.4
            else lw.weld(first, other, name=f"c{k}", directions=list(kinds))
        )  # fmt: skip
        if independent(model.with_constraints(*kept, candidate), q, v):
            kept.append(candidate)
        if len(kept) == 2 + seed % 3:
            break
    held = model.with_constraints(*kept)
    return held, q, v, rng.normal(size=model.nv), rng.normal(size=held.nc)


def independent(model, q, v):
    dynamics = DenseDynamics(model, q, v)
    J = dynamics.constraint_rows()[0].astype(float)
    delassus = J @ np.linalg.solve(dynamics.M.astype(float), J.T)
    if np.any(np.abs(J).max(axis=1) < 1e-6):  # a direction in which the two bodies cannot move anyway
        return False
    scale = 1 / np.sqrt(np.diag(delassus))
    return np.linalg.eigvalsh(delassus * np.outer(scale, scale))[0] > SMALLEST_EIGENVALUE


def error(a, exact):
    return np.abs(a - exact).max() / max(1.0, np.abs(exact).max())


@pytest.mark.parametrize("seed", range(80))
def test_random_graphs_agree_with_the_referee(seed):
    model, q, v, tau, desired = random_graph(seed)
    exact = solve_kkt(model, q, v, tau, desired=desired)
    for name, options in {"ltl": {}, **CONVERGED}.items():
        solution = lw.reference(model, name, desired="input", **options)(q, v, tau, desired)
        assert error(solution.a, exact.a) < INDEPENDENT_TOLERANCE, name
        for c in model.constraints:
            size = max(1.0, np.abs(exact.forces[c.name]).max(), np.abs(solution.a).max())
            assert np.abs(solution.forces[c.name] - exact.forces[c.name]).max() < 1e-5 * size


def test_the_sweep_meets_loops_and_parents_as_neighbours():
    """Otherwise parts of LCABA would go untested."""
    loops, near, many = 0, 0, 0
    for seed in range(80):
        model = random_graph(seed)[0]
        tree = Tree(model)
        loops += model.has_loops
        for i, neighbours in elimination_order(tree):
            near += tree.parent[i] in neighbours
            many += len(neighbours) > 1
    assert loops > 70 and near > 20 and many > 20


@pytest.mark.parametrize("seed", range(0, 80, 8))
def test_compiled_to_the_same(seed):
    model, q, v, tau, desired = random_graph(seed)
    exact = solve_kkt(model, q, v, tau, desired=desired)
    function = lw.compile(model, "lcaba", desired="input", outputs="a", **CONVERGED["lcaba"])
    single = function(q, v, tau, desired)
    assert error(single, exact.a) < INDEPENDENT_TOLERANCE
    batch = function(*(np.repeat(x[None], 7, axis=0) for x in (q, v, tau, desired)))
    assert np.array_equal(batch, np.repeat(single[None], 7, axis=0))


@pytest.mark.parametrize("seed", range(0, 80, 4))
def test_a_closure_given_twice_changes_no_acceleration(seed):
    model, q, v, tau, _ = random_graph(seed)
    exact = solve_kkt(model, q, v, tau)
    twice = model.with_constraints(*(replace(c, name=f"{c.name}_again") for c in model.constraints))
    for name, options in FIVE.items():
        solution = lw.reference(twice, name, **options)(q, v, tau)
        assert error(solution.a, exact.a) < REDUNDANT_TOLERANCE


def test_ground_constraints_cost_what_constrained_aba_costs():
    robot = lw.load("humanoid")
    held = robot.with_constraints(lw.weld("left_foot"), lw.connect("right_hand"))

    def total(model, name, **options):
        return count_operations(lw.trace_program(model, name, outputs="a", **options)).total

    for iterations in (1, 3):
        assert total(held, "lcaba", iterations=iterations) == total(held, "constrained_aba", iterations=iterations)
    assert total(robot, "lcaba", iterations=3) == total(robot, "aba")


def four_bar():
    """Crank, coupler and rocker of a parallelogram, the coupler's end closed onto the rocker's."""
    link = lw.Inertia.box(1.0, (0.05, 0.05, 0.4), (0, 0, 0.2))
    builder = lw.ModelBuilder("four-bar")
    builder.add_body("crank", lw.revolute("crank_joint", "y"), inertia=link)
    builder.add_body("coupler", lw.revolute("coupler_joint", "y"), parent="crank", placement=(0, 0, 0.4), inertia=link)
    builder.add_body("rocker", lw.revolute("rocker_joint", "y"), placement=(0.4, 0, 0), inertia=link)
    builder.add_frame("coupler_end", "coupler", (0, 0, 0.4))
    builder.add_frame("rocker_end", "rocker", (0, 0, 0.4))
    closure = lw.weld("coupler_end", "rocker_end", directions="x z", name="pin")  # the plane's two directions
    return builder.build().with_constraints(closure)


def test_a_parallelogram_moves_as_one():
    """Crank and rocker stay parallel: q = [t, pi/2 - t, t], so their accelerations agree and the coupler's oppose."""
    model = four_bar()
    t, rate = 0.3, 1.7
    q, v = np.array([t, np.pi / 2 - t, t]), np.array([rate, -rate, rate])
    solution = lw.compile(model, "lcaba", iterations=4)(q, v, np.zeros(3))
    assert solution.a[0] == pytest.approx(solution.a[2], rel=1e-9) == pytest.approx(-solution.a[1], rel=1e-9)
    # Lagrange: the links turn alike and the coupler only translates
    turning = 2 * (1.0 * (0.05**2 + 0.4**2) / 12 + 1.0 * 0.2**2) + 1.0 * 0.4**2
    falling = 9.81 * (2 * 0.2 + 0.4) * np.sin(t)
    assert solution.a[0] == pytest.approx(falling / turning, rel=1e-9)
    assert solution.residual < 1e-9


@pytest.mark.parametrize("name", ["constrained_aba", "pv", "pv_early", "prox_pv", "prox_ltls", "pv_soft", "pv_osimr"])
def test_solvers_for_trees_refuse_loops_and_name_one_that_does_not(name):
    with pytest.raises(UnsupportedError, match="lcaba"):
        lw.compile(four_bar(), name)


def test_stabilization_of_a_closure_pulls_its_frames_together(rng):
    model = four_bar()
    q, v, tau = rng.normal(size=(3, 3))
    T = 0.1
    a = lw.reference(model, "ltl", baumgarte=T, outputs="a")(q, v, tau)
    pose = lw.reference(model, "forward_kinematics", frames=["coupler_end", "rocker_end"])(q)
    gap = pose.rotations[0].T @ (pose.positions[0] - pose.positions[1])  # in the first frame's coordinates
    # the rows are those of a weld: velocity of the rocker's body at the coupler's end, not of its own end
    J, drift = (x.astype(float) for x in DenseDynamics(model, q, v).constraint_rows())
    expected = -2 / T * (J @ v) - gap[[0, 2]] / T**2
    assert np.allclose(J @ a + drift, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
