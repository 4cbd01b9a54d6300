"""Constrained solvers against the dense referee: independent, redundant, singular and infeasible constraints."""

import builtins
from dataclasses import replace

import numpy as np
import pytest
from constrained_cases import (
    HARD,
    PROXIMAL,
    STIFFNESS,
    Case,
    error,
    iterated,
    ladder,
    random_case,
    remaining,
    scaled_eigenvalues,
)

import linkwright as lw
from linkwright import connect, weld
from linkwright.algorithms.constrained.pv import pv
from linkwright.algorithms.constrained.pv_base import base_is_separable, floating_bases, pv_auto, pv_with_base_last
from linkwright.algorithms.constrained.pv_early import pv_early
from linkwright.algorithms.rows.constrained_problem import PROBABLY, ConstrainedProblem
from linkwright.algorithms.tree.aba import aba
from linkwright.errors import InputError, MissingExtraError
from linkwright.model import Tree
from linkwright.model.constraints import constrain
from linkwright.referee import solve_kkt
from linkwright.robots import chain, humanoid, quadruped
from linkwright.trace import count_operations, interpret, simplify, trace

# Accelerations, relative to the largest of them or to 1.
HARD_TOLERANCE = 1e-9
# Penalties of 1e5 inertias leave eleven digits, and constraint forces are larger than their effect.
PROXIMAL_TOLERANCE = 1e-6
SWEEP = 500
EXTENDED = 50


def check_accelerations(case, exact, names):
    values = scaled_eigenvalues(case.delassus)
    condition = values[-1] / values[0]  # what multipliers suffer from, as they solve a system with this matrix
    for name in names:
        tolerance = HARD_TOLERANCE if name in HARD else PROXIMAL_TOLERANCE + 10 * remaining(case)
        solution = case.solve(name)
        assert error(solution.a, exact.a) < tolerance, name
        assert error(solution.lam, exact.lam) < tolerance * condition, name


@pytest.mark.parametrize("block", range(SWEEP // 10))
def test_random_trees_agree_with_the_referee(block):
    for seed in range(10 * block, 10 * block + 10):
        case = random_case(seed)
        assert case.exact.rank == case.exact.rows and case.exact.feasible
        check_accelerations(case, case.exact, [*HARD, *PROXIMAL])


@pytest.mark.parametrize("seed", range(0, SWEEP, SWEEP // EXTENDED))
def test_a_stratified_sample_agrees_with_fifty_digits(seed):
    case = random_case(seed + seed // 10 % 10)  # every size and kind of base
    exact = case.referee("extended")
    assert exact.residual < 1e-30
    check_accelerations(case, exact, HARD)
    assert error(case.exact.a, exact.a) < HARD_TOLERANCE


def test_the_sweep_meets_both_ways_of_eliminating_a_base():
    cases = [random_case(seed) for seed in range(0, 60, 2)]
    separable = [base_is_separable(case.tree) for case in cases if floating_bases(case.tree)]
    assert 5 < sum(separable) < len(separable) - 5


@pytest.mark.parametrize("seed", range(25))
def test_a_constraint_given_twice_changes_no_acceleration(seed):
    case = random_case(seed)
    first = case.model.constraints[0]
    again = case.with_constraints(
        *case.model.constraints, replace(first, name="again"),
        desired=np.r_[case.desired, case.desired[: first.size]],
    )  # fmt: skip
    torques = case.jacobian.T @ case.exact.lam
    for name in (*PROXIMAL, "pv_early"):
        solution = again.solve(name)
        tolerance = PROXIMAL_TOLERANCE + 10 * remaining(again)
        assert error(solution.a, case.exact.a) < tolerance, name
        # how the two share the force is not unique, what they exert together is
        assert error(again.jacobian.T @ np.array(solution.lam, dtype=float), torques) < 1e3 * tolerance, name
    assert again.exact.rank == case.model.nc < again.exact.rows and again.exact.feasible
    # the referee's choice is the shortest: both pull alike
    shared = again.exact.lam[: first.size] - again.exact.lam[-first.size :]
    assert np.abs(shared).max() < 1e-6 * (1 + np.abs(again.exact.lam).max())


def at_rest(model, q, rng):
    return Case(model, q, np.zeros(model.nv), rng.normal(size=model.nv), np.zeros(model.nc))


def singular_cases(rng):
    """Poses where joints line up, so that some constraint loses what moved it; feasible, since nothing moves."""
    straight = chain(8).with_constraints(weld("tip"))
    yield "straight chain", at_rest(straight, straight.neutral(), rng)
    floating = chain(8, floating_base=True).with_constraints(weld("tip"))
    yield "straight floating chain", at_rest(floating, floating.neutral(), rng)
    planar = chain(5, skew=0.0).with_constraints(weld("tip"))
    yield "planar chain", at_rest(planar, planar.random_configuration(rng), rng)
    legs = humanoid().with_constraints(weld("left_foot"), weld("right_foot"))
    yield "straight legs", at_rest(legs, legs.neutral(), rng)
    limbs = humanoid().with_constraints(*map(weld, ("left_foot", "right_foot", "left_hand", "right_hand")))
    yield "straight legs and arms", at_rest(limbs, limbs.neutral(), rng)
    stuck = quadruped().with_constraints(*(weld(f"{leg}_foot") for leg in ("FL", "FR", "RL", "RR")))
    yield "welded feet", at_rest(stuck, stuck.random_configuration(rng), rng)


def test_singular_poses(rng):
    for label, case in singular_cases(rng):
        assert case.exact.feasible
        for name in (*PROXIMAL, "pv_early"):
            assert error(case.solve(name).a, case.exact.a) < PROXIMAL_TOLERANCE + 10 * remaining(case), (label, name)
        if case.exact.rank == case.exact.rows:  # only limbs are singular, the mechanism is not
            for name in ("pv", "ltl"):
                assert error(case.solve(name).a, case.exact.a) < HARD_TOLERANCE, (label, name)
            assert error(case.solve("pv_auto").a, case.exact.a) < PROXIMAL_TOLERANCE, label


def test_solvers_say_where_they_used_a_penalty(rng):
    """Only where two directions of a limb are lost at once; the floating chain is as right as a penalty can be."""
    for label, case in singular_cases(rng):
        flagged = case.solve("pv_early").unsure == PROBABLY  # evidence.py then tells whether the answer stands
        assert flagged == (label == "straight floating chain"), label
        if not flagged:
            assert error(case.solve("pv_early").a, case.exact.a) < HARD_TOLERANCE, label
        if floating_bases(case.tree) and base_is_separable(case.tree):
            assert min(case.solve("pv_auto").pivots) > 0
            assert error(case.solve("pv_auto").a, case.exact.a) < HARD_TOLERANCE, label
    case = dict(singular_cases(rng))["straight legs and arms"]
    for leaning in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-12):
        bent = replace(case, q=case.model.integrate(case.q, leaning * rng.normal(size=case.model.nv)))
        assert error(bent.solve("pv_early").a, bent.exact.a) < HARD_TOLERANCE, leaning


@pytest.mark.parametrize("seed", range(20))
def test_contradictions_are_settled_by_least_squares(seed):
    case = random_case(seed)
    first = case.model.constraints[0]
    rng = np.random.default_rng(seed)
    clash = case.with_constraints(
        *case.model.constraints, replace(first, name="again"), desired=rng.normal(size=case.model.nc + first.size)
    )
    assert not clash.exact.feasible
    # the same penalty for all rows, since it weighs them; iterations divide errors by 1 + mu times an eigenvalue
    mu = STIFFNESS / np.diag(clash.delassus).mean()
    values = np.linalg.eigvalsh(clash.delassus)
    left = (1 + mu * values[values > 1e-9 * values[-1]][0]) ** -5.0
    for name in PROXIMAL:
        solution = clash.solve(name, np.full(clash.model.nc, mu))
        assert error(solution.a, clash.exact.a) < PROXIMAL_TOLERANCE + 10 * left, name


@pytest.mark.parametrize("seed", range(20))
def test_one_iteration_is_the_soft_solver(seed):
    case = random_case(seed)
    soft = iterated("prox_ltl", case.problem(case.penalties), 1)  # LTL-soft itself loses digits to stiff penalties
    solution = iterated("constrained_aba", case.problem(case.penalties), 1)
    assert error(solution.a, np.array(soft.a)) < 1e-8
    assert error(solution.lam, np.array(soft.lam)) < 1e-6
    # a soft constraint gives in by lam/mu
    assert error(solution.residuals, np.array(solution.lam) / case.penalties) < 1e-9


@pytest.mark.parametrize("seed", range(15))
def test_no_constraints_gives_aba(seed):
    case = random_case(seed).with_constraints()
    problem = case.problem()
    f_ext = None if case.f_ext is None else [lw.spatial.Force.from_public(row) for row in case.f_ext.tolist()]
    if f_ext is not None:
        f_ext = [case.tree.force_from_user(i, f) for i, f in enumerate(f_ext)]
    a = np.array(aba(case.tree, case.q.tolist(), case.v.tolist(), case.tau.tolist(), f_ext=f_ext))
    assert error(a, case.exact.a) < HARD_TOLERANCE
    for name in HARD:
        assert error(HARD[name](problem).a, a) < HARD_TOLERANCE, name
    for name in PROXIMAL:
        assert error(iterated(name, case.problem(np.zeros(0)), 3).a, a) < HARD_TOLERANCE, name


# Seeds with several constraints.
@pytest.mark.parametrize("seed", [0, 3, 4, 6, 7, 8, 12, 14, 15, 16, 17, 18, 19, 22, 24, 26])
def test_an_inactive_constraint_is_as_good_as_removed(seed):
    case = random_case(seed)
    constraints = case.model.constraints
    assert len(constraints) > 1
    for k, idle in enumerate(constraints):
        start = sum(c.size for c in constraints[:k])
        kept = np.r_[0:start, start + idle.size : case.model.nc]
        without = case.with_constraints(*constraints[:k], *constraints[k + 1 :], desired=case.desired[kept])
        masked = replace(case, active=tuple(0.0 if c is idle else 1.0 for c in constraints))
        for name in (*HARD, *PROXIMAL):
            solution = masked.solve(name)
            tolerance = HARD_TOLERANCE
            if name == "pv_early":  # the schedule counts on all rows
                tolerance = PROXIMAL_TOLERANCE
            if name in PROXIMAL:
                tolerance = PROXIMAL_TOLERANCE + 10 * remaining(without)
            assert error(solution.a, without.exact.a) < tolerance, name
            assert np.abs(np.delete(np.array(solution.lam, dtype=float), kept)).max() < 1e-6, name


@pytest.mark.parametrize("seed", range(0, 60, 6))
@pytest.mark.parametrize("solver", [pv_auto, pv_early])
def test_traced_and_batched_runs_agree_with_numbers(seed, solver):
    case = random_case(seed)
    n, rng = len(case.model.constraints), np.random.default_rng(seed)
    batch = {
        "q": case.model.random_configuration(rng, 3), "v": rng.normal(size=(3, case.model.nv)),
        "tau": rng.normal(size=(3, case.model.nv)), "active": np.ones((3, n)),
    }  # fmt: skip

    def run(q, v, tau, active):
        solution = solver(ConstrainedProblem(case.tree, list(q), list(v), list(tau), active=list(active)))
        return {"a": solution.a, "lam": solution.lam, "pivots": list(solution.pivots)}

    program = simplify(trace(run, {name: x.shape[1] for name, x in batch.items()}))
    traced = interpret(program, batch)
    columns = run(**{name: list(x.T) for name, x in batch.items()})
    for k in range(3):
        one = run(**{name: x[k].tolist() for name, x in batch.items()})
        scale = 1 + np.abs(one["a"]).max()
        assert np.abs(traced["a"][k] - one["a"]).max() < 1e-8 * scale
        assert np.abs([x[k] for x in columns["a"]] - np.array(one["a"])).max() < 1e-8 * scale
        assert np.abs(traced["lam"][k] - one["lam"]).max() < 1e-6 * (1 + np.abs(one["lam"]).max())


# The base last


@pytest.mark.parametrize("seed", range(20))
def test_a_stratified_sample_compiles_to_the_same(seed):
    """By name through `compile`, single and batched with a ragged tail, against the referee."""
    case = random_case(seed)
    for name in (("pv", "ltl", "pv_early")[seed % 3], tuple(PROXIMAL)[seed % 4]):
        options = {"iterations": 5} if name in PROXIMAL else {}
        function = lw.compile(
            case.model, name, desired="input", f_ext=case.f_ext is not None, outputs=("a", "residual"), **options
        )
        inputs = [case.q, case.v, case.tau, *([] if case.f_ext is None else [case.f_ext]), case.desired]
        single = function(*inputs)
        # automatic penalties come from other poses, so they may be a few times softer than `remaining` supposes
        tolerance = PROXIMAL_TOLERANCE + 10 * remaining(case) if name in PROXIMAL else 10 * HARD_TOLERANCE
        assert error(single.a, case.exact.a) <= tolerance
        batch = function(*(np.repeat(x[None], 5, axis=0) for x in inputs))
        assert np.array_equal(batch.a, np.repeat(single.a[None], 5, axis=0))


def test_which_bases_are_separable():
    feet = [f"{leg}_foot" for leg in ("FL", "FR", "RL", "RR")]
    assert base_is_separable(Tree(quadruped().with_constraints(*map(connect, feet))))
    assert not base_is_separable(Tree(quadruped().with_constraints(weld("FL_foot"))))  # six rows, three joints
    assert not base_is_separable(Tree(quadruped().with_constraints(connect("FL_foot"), connect("trunk"))))
    assert base_is_separable(Tree(humanoid().with_constraints(weld("left_foot"), weld("right_foot"))))


def test_the_base_last_is_right_cheaper_and_left_alone_where_it_fails(rng):
    model = humanoid().with_constraints(*map(weld, ("left_foot", "right_foot", "left_hand", "right_hand")))
    tau = rng.normal(size=model.nv)
    case = Case(model, model.random_configuration(rng), rng.normal(size=model.nv), tau, np.zeros(24))
    for solver in (pv_with_base_last, pv_auto):
        solution = solver(case.problem())
        assert error(solution.a, case.exact.a) < HARD_TOLERANCE and error(solution.lam, case.exact.lam) < 1e-8
        assert min(solution.pivots) > 0
    assert operations(model, pv_with_base_last) < 0.75 * operations(model, pv)
    welded = quadruped().with_constraints(weld("FL_foot"))
    assert operations(welded, pv_auto) == operations(welded, pv)


def test_rows_that_ask_for_nothing_are_dropped_by_pv_early(rng):
    """A row of zeros, alone on its body or among others; a body with more rows than directions."""
    model = humanoid().with_constraints(
        constrain("left_hand", np.zeros((2, 6))), constrain("left_foot", np.r_[np.eye(6), rng.normal(size=(3, 6))]),
        constrain("right_foot", [[0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 2, 0, 0, 0]]),
    )  # fmt: skip
    v, tau = np.zeros(model.nv), rng.normal(size=model.nv)
    case = Case(model, model.random_configuration(rng), v, tau, np.zeros(model.nc))
    solution = case.solve("pv_early")
    assert error(solution.a, case.exact.a) < HARD_TOLERANCE
    assert error(solution.lam, case.exact.lam) < 1e-8  # here also the shortest


# Operation counts


def operations(model, solver):
    tree = Tree(model)

    def run(q, v, tau):
        return solver(ConstrainedProblem(tree, list(q), list(v), list(tau))).a

    return count_operations(simplify(trace(run, {"q": model.nq, "v": model.nv, "tau": model.nv}))).total


def test_pv_early_is_linear_on_the_ladder():
    counts = {rungs: operations(ladder(rungs), pv_early) for rungs in (10, 20, 40)}
    assert counts[40] - counts[20] == 2 * (counts[20] - counts[10])  # exactly
    assert operations(ladder(4), pv) > 3 * operations(ladder(2), pv)


@pytest.mark.parametrize("name, options", [("constrained_aba", {"iterations": 3}), ("pv_soft", {})])
def test_penalty_solvers_are_linear_on_the_ladder(name, options):
    """From rung to rung nearly the same operations are added: 6657, 6645, 6646, 6645 for three rungs of PV-soft."""
    counts = [
        count_operations(lw.trace_program(ladder(rungs), name, outputs="a", **options)).total for rungs in (4, 7, 10)
    ]
    assert counts[2] - counts[1] == pytest.approx(counts[1] - counts[0], rel=0.002)


def test_pv_early_is_the_cheapest_on_robots():
    feet = [f"{leg}_foot" for leg in ("FL", "FR", "RL", "RR")]
    for model in (quadruped().with_constraints(*map(connect, feet)), humanoid().with_constraints(weld("left_foot"))):
        assert operations(model, pv_early) < operations(model, pv_auto) < operations(model, pv)


def test_the_ladder_is_solved(rng):
    model = ladder(4)
    case = Case(
        model, model.random_configuration(rng), rng.normal(size=model.nv), rng.normal(size=model.nv),
        rng.normal(size=model.nc),
    )  # fmt: skip
    for name in HARD:
        assert error(case.solve(name).a, case.exact.a) < HARD_TOLERANCE, name


# The referee


def test_the_referee_reports_forces_on_the_constraints_frame():
    rod, still = chain(1, floating_base=True), np.zeros(6)
    held = solve_kkt(rod.with_constraints(weld("tip")), rod.neutral(), still, still)
    weight, reach = 9.81 * rod.mass, 0.15  # from the tip back to the centre of mass
    assert np.allclose(held.forces["tip"], [0, 0, weight, 0, weight * reach, 0], atol=1e-9)
    assert held.rank == held.rows == 6 and held.feasible and np.abs(held.a).max() < 1e-9
    lifted = rod.with_constraints(constrain("link_1", [[0, 0, 2.0, 0, 0, 0]], name="lifted"))
    solution = solve_kkt(lifted, rod.neutral(), still, still, desired=[2.0])
    assert solution.a[2] == pytest.approx(1.0)
    assert solution.forces["lifted"] == pytest.approx([0, 0, -2 * solution.lam[0], 0, 0, 0])


def test_the_referee_is_the_same_in_both_precisions_when_it_is_infeasible():
    case = random_case(3)
    first = replace(case.model.constraints[0], name="again")
    desired = np.arange(case.model.nc + first.size, dtype=float)
    clash = case.with_constraints(*case.model.constraints, first, desired=desired)
    exact = clash.referee("extended")
    assert not exact.feasible and exact.rank == clash.exact.rank
    assert error(clash.exact.a, exact.a) < 1e-9 and error(clash.exact.lam, exact.lam) < 1e-8
    assert clash.exact.residual == pytest.approx(exact.residual)


def test_the_referee_refuses_what_it_cannot_read(monkeypatch):
    case = random_case(1)
    q, v, tau = case.q, case.v, case.tau
    with pytest.raises(InputError, match="precision is 'quad'; expected 'double' or 'extended'"):
        solve_kkt(case.model, q, v, tau, precision="quad")
    with pytest.raises(InputError, match="tau has shape"):
        solve_kkt(case.model, q, v, tau[:-1])
    with pytest.raises(InputError, match="desired has shape"):
        solve_kkt(case.model, q, v, tau, desired=[0.0] * (case.model.nc + 1))

    real = builtins.__import__

    def without_mpmath(name, *args, **kwargs):
        if name == "mpmath":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_mpmath)
    with pytest.raises(MissingExtraError, match=r"linkwright\[test\]"):
        solve_kkt(case.model, q, v, tau, precision="extended")
