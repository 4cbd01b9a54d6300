"""PV-early, PV with eq. (49) and PV-OSIM-fast where joints hardly act on constraints: right, or flagged.

Thousands of states at once (a scalar is an array). PV by eq. (47) or a dense solution is what they are compared with;
the referee confirms the states where they differ most.
"""

from functools import cache

import numpy as np
import pytest
from constrained_cases import error, ladder

import linkwright as lw
from linkwright import connect, weld
from linkwright.algorithms.constrained.pv import pv
from linkwright.algorithms.constrained.pv_base import pv_auto
from linkwright.algorithms.constrained.pv_early import pv_early
from linkwright.algorithms.delassus.delassus_dense import dense_delassus
from linkwright.algorithms.delassus.pv_osim_fast import pv_osim_fast
from linkwright.algorithms.rows.constrained_problem import PERHAPS, ConstrainedProblem
from linkwright.model import GROUND, Inertia, Joint, Model, ModelBuilder, Pose, Tree
from linkwright.model.joint import free_flyer
from linkwright.referee import solve_kkt
from linkwright.robots import chain, humanoid, quadruped
from linkwright.robots.random import random_tree
from linkwright.robots.random_constraints import random_ground_constraint
from linkwright.spatial.partial_factorization import PartialLDL
from linkwright.trace import count_operations, simplify, trace

RIGHT = 1e-6
FEET = [f"{leg}_foot" for leg in ("FL", "FR", "RL", "RR")]
LIMBS = ("left_foot", "right_foot", "left_hand", "right_hand")


def chain_of_masses(masses, *, floating_base: bool) -> Model:
    builder, parent = ModelBuilder("masses"), GROUND
    for k, mass in enumerate(masses, start=1):
        inertia = Inertia.box(mass, (0.3, 0.05, 0.05), (0.15, 0, 0))
        joint = Joint(name=f"joint_{k}", kind="revolute", axis="z", second_axis="y")
        if k == 1 and floating_base:
            joint = free_flyer("joint_1")
        parent = builder.add_body(
            f"link_{k}", joint, parent=parent,
            placement=Pose.from_rpy((0.3 if k > 1 else 0.0, 0, 0), (np.pi / 2, 0.1, 0)), inertia=inertia,
        )  # fmt: skip
    builder.add_frame("tip", parent, (0.3, 0, 0))
    return builder.build()


SYSTEMS = {
    "floating chain": lambda: chain(8, floating_base=True).with_constraints(weld("tip")),
    "chain": lambda: chain(8).with_constraints(weld("tip")),
    "arm of six joints": lambda: chain(6).with_constraints(weld("tip")),
    "ladder": lambda: ladder(4),
    "quadruped": lambda: quadruped().with_constraints(*map(connect, FEET)),
    "humanoid": lambda: humanoid().with_constraints(*map(weld, LIMBS)),
    "heavy tip": lambda: chain_of_masses([1.0] * 7 + [1e6], floating_base=True).with_constraints(weld("tip")),
    "heavy base": lambda: chain_of_masses([1e6] + [1.0] * 7, floating_base=True).with_constraints(weld("tip")),
    "mixed masses": lambda: chain_of_masses(10.0 ** np.linspace(-3, 3, 8), floating_base=False).with_constraints(
        connect("tip")
    ),
}


@cache
def system(name: str) -> Model:
    return SYSTEMS[name]()


def states(model: Model, count: int, seed: int = 0, *, straight: bool = False):
    """(q, v, tau), at random or 1e-8 to 1e-1 rad away from how the mechanism is drawn."""
    rng = np.random.default_rng(seed)
    if straight:
        steps = 10.0 ** rng.uniform(-8, -1, (count, 1)) * rng.normal(size=(count, model.nv))
        q = np.stack([model.integrate(model.neutral(), step) for step in steps])
    else:
        q = model.random_configuration(rng, count)
    return q, rng.normal(size=(count, model.nv)), 10 * rng.normal(size=(count, model.nv))


def solve(solver, model: Model, q, v, tau, **options):
    """(accelerations, whether flagged)."""
    count = len(q)
    with np.errstate(all="ignore"):
        solution = solver(ConstrainedProblem(Tree(model), list(q.T), list(v.T), list(tau.T), **options))
    a, pivots = (
        np.stack([np.broadcast_to(np.asarray(x, dtype=float), count) for x in values], axis=1)
        for values in (solution.a, solution.pivots)
    )
    dependent = np.broadcast_to(0.0 if solution.unsure is None else solution.unsure, count) > PERHAPS
    return a, ~(pivots > 0).all(axis=1) | ~np.isfinite(a).all(axis=1) | dependent


def errors(a, exact) -> np.ndarray:
    return np.array([error(x, y) for x, y in zip(a, exact, strict=True)])


def confirm(model, q, v, tau, a, flagged, suspects):
    """The referee on the states in question: (silent errors, flagged although right)."""
    exact = [solve_kkt(model, q[k], v[k], tau[k]).a for k in suspects]
    right = errors(a[suspects], exact) < RIGHT
    return int(np.sum(~right & ~flagged[suspects])), int(np.sum(right & flagged[suspects]))


@pytest.mark.parametrize("solver", [pv_early, pv_auto])
@pytest.mark.parametrize("name", SYSTEMS)
def test_random_poses(name, solver):
    """pv_early was off by 2e-2 in 25 of 20,000 states of the floating chain, in 150 of the ladder's, unflagged."""
    model = system(name)
    q, v, tau = states(model, 1000 if name == "ladder" else 4000)
    a, flagged = solve(solver, model, q, v, tau)
    other, _ = solve(pv, model, q, v, tau)
    suspects = np.unique(np.r_[np.argsort(-errors(a, other))[:10], np.flatnonzero(flagged)[:30]])
    silent, needless = confirm(model, q, v, tau, a, flagged, suspects)
    assert silent == 0
    assert flagged.mean() < 0.02 and needless <= 0.02 * len(q)


@pytest.mark.parametrize("solver", [pv_early, pv_auto])
@pytest.mark.parametrize("name", ["quadruped", "humanoid"])
def test_straight_limbs_of_a_mechanism_that_is_not_singular(name, solver):
    """Each limb loses one direction: nothing is flagged, and all is as right as elsewhere."""
    model = system(name)
    q, v, tau = states(model, 500, straight=True)
    q[0] = model.neutral()
    a, flagged = solve(solver, model, q, v, tau)
    other, doubted = solve(pv, model, q, v, tau)
    assert not flagged.any() and not doubted.any()
    assert errors(a, other).max() < 1e-11
    assert error(a[0], solve_kkt(model, q[0], v[0], tau[0]).a) < 1e-11


@pytest.mark.parametrize("name", ["floating chain", "ladder", "chain", "arm of six joints"])
@pytest.mark.parametrize("moving", [True, False])
def test_chains_that_lose_two_directions(name, moving):
    model = system(name)
    q, v, tau = states(model, 300, straight=True)
    v = v * moving
    suspects = np.arange(0, 300, 5)
    for solver in (pv_early, pv_auto):
        a, flagged = solve(solver, model, q, v, tau)
        assert confirm(model, q, v, tau, a, flagged, suspects)[0] == 0
        if name in ("floating chain", "ladder"):  # the mechanisms themselves are not singular
            exact = [solve_kkt(model, q[k], v[k], tau[k]).a for k in suspects]
            assert errors(a[suspects], exact).max() < 1e-7
            assert solver is pv_early or not flagged.any()


@pytest.mark.parametrize("seed", range(24))
def test_trees_with_any_number_of_constraints(seed):
    """Independent, redundant, contradictory: what is not flagged is what the referee finds."""
    rng = np.random.default_rng([11, seed])
    tree = random_tree(
        seed, 3 + seed % 8, branching=(0.2, 0.5, 0.8)[seed % 3], floating_base=seed % 2 == 0, frames=4,
        armature=seed % 4 == 1,
    )  # fmt: skip
    model = tree.with_constraints(*(random_ground_constraint(rng, tree, f"c{k}") for k in range(1 + seed % 5)))
    q, v, tau = states(model, 16, seed)
    for scale in (0.0, 1.0):
        exact = [solve_kkt(model, *state) for state in zip(q, scale * v, tau, strict=True)]
        for solver in (pv_early, pv_auto):
            a, flagged = solve(solver, model, q, scale * v, tau)
            off = errors(a, [x.a for x in exact])
            assert np.all(flagged | (off < RIGHT)), solver.__name__
            if all(x.rank == x.rows for x in exact):
                assert not flagged.any()


def test_a_constraint_switched_off_is_no_reason_to_flag(rng):
    model = system("humanoid")
    q, v, tau = states(model, 50)
    active = (rng.uniform(size=(50, 4)) < 0.5).astype(float)
    for solver in (pv_early, pv_auto):
        a, flagged = solve(solver, model, q, v, tau, active=list(active.T))
        assert not flagged.any()
        for k in range(10):
            kept = model.without_constraints().with_constraints(
                *(c for c, on in zip(model.constraints, active[k], strict=True) if on)
            )
            assert error(a[k], solve_kkt(kept, q[k], v[k], tau[k]).a) < 1e-9


# PV-OSIM-fast


def osim(model: Model, q, b):
    """(Lambda b, whether flagged, the same by the definition, its condition number), for many postures."""
    count = len(q)
    with np.errstate(all="ignore"):
        operator = pv_osim_fast(Tree(model), list(q.T))
        x = np.stack(operator.solve(list(b.T)), axis=1)
        pivots = np.stack([np.broadcast_to(p, count) for p in operator.pivots], axis=1)
        matrix = [[np.broadcast_to(x, count) for x in row] for row in dense_delassus(Tree(model), list(q.T))]
    matrix = np.moveaxis(np.array(matrix, dtype=float), -1, 0)
    exact = np.einsum("brs,bs->br", np.linalg.pinv(matrix, rcond=1e-15, hermitian=True), b)
    return x, ~(pivots > 0).all(axis=1), exact, np.linalg.cond(matrix)


@pytest.mark.parametrize("name", ["floating chain", "quadruped", "humanoid"])
def test_the_osim_of_straight_limbs(name, rng):
    """The quadruped as it is drawn was off by a factor of 6.5."""
    model = system(name)
    q, _, _ = states(model, 500, straight=True)
    q[0] = model.neutral()
    x, flagged, exact, condition = osim(model, q, rng.normal(size=(500, model.nc)))
    assert not flagged.any()
    assert np.max(np.abs(x - exact).max(axis=1) / np.abs(exact).max(axis=1) / condition) < 1e-11


@pytest.mark.parametrize("name", ["chain", "arm of six joints"])
def test_a_singular_delassus_matrix_is_flagged(name, rng):
    model = system(name)
    q, _, _ = states(model, 500, straight=True)
    q[0] = model.neutral()
    x, flagged, exact, condition = osim(model, q, rng.normal(size=(500, model.nc)))
    assert flagged[0] and np.all(flagged[condition > 1e12])
    off = np.abs(x - exact).max(axis=1) / np.abs(exact).max(axis=1)
    assert np.all(flagged | (off < RIGHT + 1e-15 * condition))  # which is what the matrix to compare with has lost


def test_dependent_rows_have_no_osim(rng):
    model = humanoid().with_constraints(weld("left_foot"), weld("right_foot"), weld("left_foot", name="again"))
    q = model.random_configuration(rng, 5)
    for options in ({}, {"apply": "input"}):
        inputs = [rng.normal(size=(5, model.nc))] if options else []
        function = lw.reference(model, "pv_osim_fast", outputs=("osim", "status"), **options)
        assert function(q, *inputs).status.tolist() == [2] * 5
        independent = model.without_constraints().with_constraints(*model.constraints[:2])
        function = lw.reference(independent, "pv_osim_fast", outputs=("osim", "status"), **options)
        assert not function(q, *[b[:, :12] for b in inputs]).status.any()


# Operation counts: before rows were put off 3077, 9376, 2949 (a rung), 1465; 15562.


def count(model: Model, solver) -> int:
    tree = Tree(model)

    def run(q, v, tau):
        return solver(ConstrainedProblem(tree, list(q), list(v), list(tau))).a

    return count_operations(simplify(trace(run, {"q": model.nq, "v": model.nv, "tau": model.nv}))).total


def test_what_it_costs():
    assert count(system("quadruped"), pv_early) == 3741
    assert count(system("humanoid"), pv_early) == 11247
    assert count(ladder(4), pv_early) - count(ladder(3), pv_early) < 1.28 * 2949
    assert count(system("arm of six joints"), pv_early) == 1519  # nothing is put off
    assert count(system("humanoid"), pv_auto) == 17493


# The factorization


@pytest.mark.parametrize("leave", [0, 1, 2])
@pytest.mark.parametrize("weak", [0, 1, 2])
def test_partial_factorization(leave, weak, rng):
    """C^-1 A C'^-1 is diag(D, R), and no weak pivot is divided by as long as rows can be put off."""
    for _ in range(20):
        F = rng.normal(size=(7, 7))
        F[:, :weak] *= 1e-7
        A = F @ F.T
        factor = PartialLDL(A.tolist(), np.diag(A).tolist(), leave)
        assert len(factor.pivots) == 7 - leave and any(factor.weak) == (weak > leave)
        if weak <= leave:
            half = [[*done, *left] for done, left in (factor.forward(column.tolist()) for column in A)]
            both = np.array([[*done, *left] for done, left in map(factor.forward, np.array(half).T.tolist())])
            expected = np.zeros((7, 7))
            expected[: 7 - leave, : 7 - leave] = np.diag(factor.pivots)
            expected[7 - leave :, 7 - leave :] = np.array(factor.R).reshape(leave, leave)
            assert np.abs(both - expected).max() < 1e-11 * np.abs(A).max()
        if weak == leave == 0:
            b = rng.normal(size=7)
            assert np.allclose(A @ factor.solve(b.tolist()), b)
