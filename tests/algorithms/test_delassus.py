"""Delassus algorithms against each other and a dense reference, and the operation counts of their papers."""

import math
from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.constrained.pv_base import base_is_separable, floating_bases
from linkwright.algorithms.delassus.caba_osim import caba_osim
from linkwright.algorithms.delassus.delassus_dense import dense_delassus
from linkwright.algorithms.delassus.efpa import efpa
from linkwright.algorithms.delassus.kjr import kjr
from linkwright.algorithms.delassus.ltl_osim import ltl_osim
from linkwright.algorithms.delassus.pv_osim import pv_osim
from linkwright.algorithms.delassus.pv_osim_fast import pv_osim_fast
from linkwright.algorithms.delassus.pv_osimr import pv_osimr
from linkwright.codegen import compile_program
from linkwright.model import ModelBuilder, Tree
from linkwright.model.constraints import constrain
from linkwright.model.editing import attach
from linkwright.robots import chain, humanoid, quadruped, stem_with_branches
from linkwright.robots.random import random_tree
from linkwright.trace import count_operations, interpret, simplify, trace

ALGORITHMS = (dense_delassus, ltl_osim, kjr, efpa, pv_osim, pv_osimr)
LONG = np.longdouble
AGREEMENT = 1e-10  # relative to the largest entry; random trees have condition numbers up to 1e5


def constrained_tree(seed, kinds=("weld", "connect", "general")):
    """A random tree with 2 to 5 constraints of mixed kinds, often several on one body."""
    rng = np.random.default_rng(seed)
    model = random_tree(
        seed, int(rng.integers(5, 14)), branching=float(rng.choice([0.0, 0.3, 0.8])), armature=seed % 3 == 0,
        floating_base=bool(seed % 2), frames=4,
    )  # fmt: skip
    constraints = []
    for k in range(int(rng.integers(2, 6))):
        frame, name = f"frame_{rng.integers(1, 5)}", f"constraint_{k}"
        rows = rng.normal(size=(int(rng.integers(1, 4)), 6))
        made = {
            "weld": lw.weld(frame, name=name), "connect": lw.connect(frame, name=name),
            "general": constrain(frame, rows, name=name), "single": constrain(frame, rows[:1], name=name),
        }  # fmt: skip
        constraints.append(made[kinds[int(rng.integers(len(kinds)))]])
    return model.with_constraints(*constraints)


def size(model):
    return sum(c.size for c in model.constraints)


def by_definition(model, q):
    """J M^-1 J' from the library's Jacobians and M: nothing of the Delassus code is involved."""
    J = np.concatenate([c.rows @ lw.reference(model, "frame_jacobian", frame=c.frame)(q) for c in model.constraints])
    return J @ np.linalg.solve(lw.reference(model, "crba")(q), J.T)


def traced(model, *algorithms):
    tree = Tree(model)
    return simplify(trace(lambda q: {f.__name__: f(tree, q) for f in algorithms}, {"q": tree.nq}, "delassus"))


def check(model, q, found):
    expected = by_definition(model, q)
    for name, matrix in found.items():
        assert np.abs(matrix - expected).max() <= AGREEMENT * np.abs(expected).max(), name
        assert np.array_equal(matrix, matrix.T), name


@pytest.mark.parametrize("seed", range(40))
def test_random_trees(seed):
    model = constrained_tree(seed)
    q = model.random_configuration(seed, 2)
    tree = Tree(model)
    check(model, q[0], {f.__name__: np.array(f(tree, q[0].tolist()), dtype=float) for f in ALGORITHMS})
    found = interpret(traced(model, *ALGORITHMS), {"q": q})
    for k in range(2):
        check(model, q[k], {name: matrices[k] for name, matrices in found.items()})


@pytest.mark.parametrize("seed", (3, 8))
def test_compiled(seed):
    model = constrained_tree(seed)
    q = model.random_configuration(seed, 5)
    found = compile_program(traced(model, efpa, pv_osim, pv_osimr))(q)
    for k in range(5):
        check(model, q[k], {name: getattr(found, name)[k] for name in ("efpa", "pv_osim", "pv_osimr")})


def test_inactive_constraints_have_zero_rows(rng):
    model = humanoid().with_constraints(lw.weld("left_foot"), lw.connect("right_foot"), lw.weld("left_hand"))
    q, tree = model.random_configuration(rng).tolist(), Tree(model)
    full = by_definition(model, np.array(q))
    mask = np.repeat([1.0, 0.0, 1.0], [6, 3, 6])
    for f in ALGORITHMS:
        matrix = np.array(f(tree, q, active=[1.0, 0.0, 1.0]), dtype=float)
        assert np.allclose(matrix, full * np.outer(mask, mask), atol=1e-10), f.__name__
        assert not matrix[6:9].any()
    b, on = rng.normal(size=15), mask == 1
    x = np.array(pv_osim_fast(tree, q, active=[1.0, 0.0, 1.0]).solve(b))
    assert np.allclose(x[on], np.linalg.solve(full[np.ix_(on, on)], b[on]))
    assert np.allclose(x[~on], b[~on])


def test_nothing_to_constrain():
    tree = Tree(quadruped())
    assert all(f(tree, tree.model.random_configuration(0).tolist()) == [] for f in ALGORITHMS)
    assert pv_osim_fast(tree, tree.model.random_configuration(0).tolist()).solve([]) == []


# PV-OSIM-fast


@cache
def two_quadrupeds():
    feet = [lw.connect(f"{leg}_foot") for leg in ("FL", "RR")]
    one = quadruped().with_constraints(*feet)
    return attach(one, quadruped(floating_base=False).with_constraints(lw.connect("FL_foot")), prefix="fixed_")


SOLVABLE = {
    "quadruped standing": (lambda: quadruped().with_constraints(*standing()), True),
    "quadruped, foot welded": (lambda: quadruped().with_constraints(lw.weld("FL_foot")), False),
    "quadruped, trunk welded": (lambda: quadruped().with_constraints(lw.weld("trunk"), lw.connect("FL_foot")), False),
    "quadruped on the ground": (lambda: quadruped(floating_base=False).with_constraints(*standing()), False),
    "humanoid, feet and hands": (lambda: welded_humanoid("foot", "hand"), True),
    "two quadrupeds": (two_quadrupeds, True),
}


def standing():
    return [lw.connect(f"{leg}_foot") for leg in ("FL", "FR", "RL", "RR")]


@pytest.mark.parametrize("name", SOLVABLE)
def test_fast_solves(name, rng):
    model, separable = SOLVABLE[name][0](), SOLVABLE[name][1]
    tree = Tree(model)
    assert bool(floating_bases(tree) and base_is_separable(tree)) == separable
    q, b = model.random_configuration(rng), rng.normal(size=size(model))
    expected = np.linalg.solve(by_definition(model, q), b)
    eager = np.array(pv_osim_fast(tree, q.tolist()).solve(b))
    program = simplify(trace(lambda q, b: pv_osim_fast(tree, q).solve(b), {"q": tree.nq, "b": len(b)}))
    graph = interpret(program, {"q": q, "b": b})["out"]
    condition = np.linalg.cond(by_definition(model, q))
    for x in (eager, graph):
        assert np.abs(x - expected).max() <= 1e-11 * condition * np.abs(expected).max()


@pytest.mark.parametrize("seed", range(40))
def test_fast_on_random_trees(seed, rng):
    model = constrained_tree(seed, ("single",))
    tree, q, b = Tree(model), model.random_configuration(seed), rng.normal(size=size(model))
    matrix = by_definition(model, q)
    condition = np.linalg.cond(matrix)
    if condition > 1e8:
        pytest.skip("a redundant constraint, or one on the ground, has no OSIM")
    x, expected = np.array(pv_osim_fast(tree, q.tolist()).solve(b)), np.linalg.solve(matrix, b)
    assert np.abs(x - expected).max() <= 1e-11 * condition * np.abs(expected).max()


# cABA-OSIM


def damped(model, q, mu):
    """(Lambda^-1 + 1/mu)^-1 in extended precision: a double inverse, then Newton's iteration."""
    tree = Tree(model)
    A = np.array(dense_delassus(tree, [LONG(x) for x in q]), dtype=LONG) + np.diag(1 / mu.astype(LONG))
    X, I = np.linalg.inv(A.astype(float)).astype(LONG), np.eye(len(A), dtype=LONG)
    for _ in range(4):
        X = X @ (2 * I - A @ X)
    return X


@pytest.mark.parametrize("name", SOLVABLE)
def test_damped_osim_of_robots(name, rng):
    model = SOLVABLE[name][0]()
    q, mu = model.random_configuration(rng), np.full(size(model), 1e7)
    found, expected = np.array(caba_osim(Tree(model), q.tolist(), mu.tolist())), damped(model, q, mu)
    assert np.abs(found - expected).max() <= 1e-8 * np.abs(expected).max()


@pytest.mark.parametrize("seed", range(40))
def test_damped_osim_of_random_trees(seed, rng):
    """The difference W - W .. W leaves a few mu times the machine precision; redundant constraints are welcome."""
    model = constrained_tree(seed)
    tree, q = Tree(model), model.random_configuration(seed)
    mu = 10 ** rng.uniform(5, 7, size(model)) if seed % 2 else np.full(size(model), 1e7)
    expected = damped(model, q, mu)
    program = simplify(trace(lambda q, mu: caba_osim(tree, q, mu), {"q": tree.nq, "mu": len(mu)}))
    for found in (caba_osim(tree, q.tolist(), mu.tolist()), interpret(program, {"q": q, "mu": mu})["out"]):
        error = np.abs(np.array(found) - expected).max()
        assert error <= 1e-8 * np.abs(expected).max() + 32 * mu.max() * np.finfo(float).eps


# Operation counts


def count(algorithm, model):
    return count_operations(traced(model, algorithm)).total


def count_solve(model):
    tree = Tree(model)
    program = trace(lambda q, b: pv_osim_fast(tree, q).solve(b), {"q": tree.nq, "b": size(model)})
    return count_operations(simplify(program)).total


def welded_humanoid(*limbs):
    return humanoid().with_constraints(*(lw.weld(f"{side}_{limb}") for limb in limbs for side in ("left", "right")))


def with_four_points(model, frames):
    builder, names = ModelBuilder.from_model(model), []
    for frame in frames:
        for k, (x, y) in enumerate(((0.1, 0.05), (0.1, -0.05), (-0.1, 0.05), (-0.1, -0.05))):
            names.append(f"{frame}_corner_{k}")
            builder.add_frame(names[-1], frame, (x, y, 0))
    return builder.build().with_constraints(*map(lw.connect, names))


# (LTL-OSIM, KJR, EFPA, PV-OSIM, PV-OSIMr, PV-OSIM-fast with one solve)
SNAPSHOTS = {
    "quadruped standing": (lambda: quadruped().with_constraints(*standing()), (3331, 5148, 3517, 2781, 2781, 3057)),
    "humanoid, feet welded": (lambda: welded_humanoid("foot"), (8826, 5578, 6656, 5542, 5542, 6461)),
    "humanoid, feet and hands welded": (
        lambda: welded_humanoid("foot", "hand"), (14738, 14110, 13956, 11214, 11763, 13099),
    ),
    "humanoid, four points a foot": (
        lambda: with_four_points(humanoid(), ("left_foot", "right_foot")), (10730, 6287, 8503, 7582, 6275, 12569),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_counts(name):
    make, expected = SNAPSHOTS[name]
    model = make()
    assert (*(count(f, model) for f in (ltl_osim, kjr, efpa, pv_osim, pv_osimr)), count_solve(model)) == expected


@pytest.fixture(scope="module")
def talos():
    pytest.importorskip("pinocchio", reason="comes with the robots extra")
    return lw.load("talos")


def test_talos_as_atlas_in_the_paper(talos):
    """[Sathya2023] sec. IV-C and IV-E: equal with one weld a foot, 19.9 % with points, and 1.5 % the other way."""
    feet = ("left_sole_link", "right_sole_link")
    hands = ("gripper_left_base_link", "gripper_right_base_link")
    welded = talos.with_constraints(*map(lw.weld, feet))
    assert count(pv_osim, welded) == count(pv_osimr, welded) < count(efpa, welded) < count(ltl_osim, welded)
    points = with_four_points(talos, feet)
    assert 1.15 < count(pv_osim, points) / count(pv_osimr, points) < 1.25
    all_limbs = talos.with_constraints(*map(lw.weld, feet + hands))
    assert 0.96 < count(pv_osim, all_limbs) / count(pv_osimr, all_limbs) < 1.0


def test_fast_is_the_cheapest_way_to_a_solution():
    """[Sathya2024] Fig. 2: half of LTL on humanoids, although LTL's factorization and solution are left out here."""
    model = welded_humanoid("foot", "hand")
    assert count_solve(model) < 0.9 * count(ltl_osim, model)


# Scaling


def loaded_chain(k):
    """k^2 links on a floating base, every k-th one welded: [Sathya2023] Fig. 4a."""
    model = chain(k * k, floating_base=True)
    return model.with_constraints(*(lw.weld(f"link_{j * k}", name=f"weld_{j}") for j in range(1, k + 1)))


@pytest.mark.parametrize(("algorithm", "degree", "leading"), [(pv_osimr, 2, 498), (efpa, 3, 156), (pv_osim, 4, 12)])
def test_complexity(algorithm, degree, leading):
    """Counts are polynomials in k, from small k on exactly: of degree 2, 3 and 4 as the paper's orders say."""
    first = {pv_osimr: 7, efpa: 6, pv_osim: 3}[algorithm]
    ks = np.arange(first, first + degree + 2)
    counts = np.array([count(algorithm, loaded_chain(int(k))) for k in ks])
    assert not np.diff(counts, degree + 1).any()
    assert np.diff(counts, degree)[0] == leading * math.factorial(degree)
    polynomial = np.polynomial.Polynomial.fit(ks, counts, degree)
    assert abs(math.log2(polynomial(200) / polynomial(100)) - degree) < 0.15


@cache
def stem_counts(algorithm, branches):
    """(operations per stem link, operations with four of them)."""
    counts = []
    for stem in (4, 6):
        model = stem_with_branches(stem, branches, 7)
        tips = [f"{end}_{k}_tip" for end in ("front", "rear") for k in range(1, branches + 1)]
        counts.append(count(algorithm, model.with_constraints(*map(lw.weld, tips))))
    return (counts[1] - counts[0]) / 2, counts[0]


def crossing(branches):
    """The stem from which on EFPA is cheaper than PV-OSIM; counts are linear in the stem's length."""
    (pv_slope, pv), (efpa_slope, start) = stem_counts(pv_osim, branches), stem_counts(efpa, branches)
    return math.inf if efpa_slope >= pv_slope else 4 + (start - pv) / (pv_slope - efpa_slope)


def test_where_efpa_overtakes_pv_osim():
    """[Sathya2024] Fig. 2f: from 9 branches on. An outward joint costs us 26 operations a row, not 54: from 5 on.

    docs/delassus.md has the arithmetic.
    """
    assert crossing(4) == math.inf
    assert 30 < crossing(5) < 40
    assert 12 < crossing(6) < 18


@pytest.mark.parametrize("branches", (1, 2, 4))
def test_stem_costs_pv_osimr_no_more_with_more_branches(branches):
    """[Sathya2023] Fig. 3: no difference with one branch, and then O(n) against O(n m^2)."""
    slope, start = stem_counts(pv_osimr, branches)
    assert slope == 300
    if branches == 1:
        assert (slope, start) == stem_counts(pv_osim, 1)
    else:
        assert slope < 0.6 * stem_counts(pv_osim, branches)[0]


def test_constraint_on_every_link():
    """[Sathya2023] Fig. 4b, where every link branches: PV-OSIMr stays well below EFPA, and both far below PV-OSIM."""
    model = chain(12, floating_base=True)
    model = model.with_constraints(*(lw.weld(f"link_{j}") for j in range(1, 13)))
    assert count(pv_osimr, model) < 0.75 * count(efpa, model) < 0.5 * count(pv_osim, model)
