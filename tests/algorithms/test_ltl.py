"""L'L factorization: exact zeros, solves, products."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.algorithms.tree.ltl import (
    above,
    ltl_factor,
    ltl_solve,
    multiply_L,
    multiply_LT,
    solve_L,
    solve_LT,
    velocity_parents,
)
from linkwright.algorithms.tree.trunk import TrunkAndLimbs, trunk_velocities
from linkwright.model import Tree
from linkwright.robots.random import random_tree
from linkwright.trace import count_operations, interpret, simplify, trace


@pytest.mark.parametrize("seed", range(10))
def test_factor_solve_and_multiply(seed, rng, quick_backend):
    model = random_tree(seed, 10, armature=True, branching=0.8)
    q, b = model.random_configuration(rng, 3), rng.normal(size=(3, model.nv))
    M = lw.reference(model, "crba")(q)
    L = quick_backend(model, "ltl_factor", {"q": q})
    size, condition = np.abs(M).max(), np.linalg.cond(M).max()
    assert np.abs(np.swapaxes(L, 1, 2) @ L - M).max() < 1e-12 * size
    assert np.all(np.triu(L, 1) == 0)
    x = quick_backend(model, "ltl_solve", {"q": q, "b": b})
    assert np.abs(np.einsum("kij,kj->ki", M, x) - b).max() < 1e-12 * condition
    back = quick_backend(model, "ltl_multiply", {"q": q, "x": x})
    assert np.abs(back - b).max() < 1e-12 * condition


def test_no_fill_in():
    model = random_tree(4, 12, branching=1.0)
    parents = velocity_parents(Tree(model))
    L = lw.reference(model, "ltl_factor")(model.random_configuration(1))
    for k in range(model.nv):
        allowed, j = {k}, parents[k]
        while j >= 0:
            allowed.add(j)
            j = parents[j]
        assert {int(j) for j in np.flatnonzero(L[k])} <= allowed


def test_triangular_products_and_solves(rng):
    model = random_tree(6, 8)
    parents = velocity_parents(Tree(model))
    M = lw.reference(model, "crba")(model.random_configuration(rng))
    L = ltl_factor(M.tolist(), parents)
    dense, x = np.array(L, dtype=float), rng.normal(size=model.nv)
    assert np.allclose(multiply_L(L, parents, x), dense @ x)
    assert np.allclose(multiply_LT(L, parents, x), dense.T @ x)
    assert np.allclose(solve_L(L, parents, dense @ x), x)
    assert np.allclose(solve_LT(L, parents, dense.T @ x), x)


@pytest.mark.parametrize("solutions", [1, 30, 1000])
def test_limbs_follow_their_trunk(solutions, rng):
    """Whatever the trunk, the solution is that of L'L; and of unit vectors limbs have it with half of the work."""
    model = random_tree(3, 14, branching=0.4, floating_base=True)
    parents = velocity_parents(Tree(model))
    L = lw.reference(model, "ltl_factor")(model.random_configuration(2))
    trunk = trunk_velocities(parents, solutions)
    assert all(parents[k] < 0 or parents[k] in trunk for k in trunk)
    parts = TrunkAndLimbs(L, parents, trunk)

    def rest(z):
        return parts.following(parts.trunk_inward(z))

    b = rng.normal(size=model.nv)
    found, expected = rest(parts.limbs_alone(b)), ltl_solve(L, parents, b)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12 * np.abs(expected).max())
    units: list[list[float]] = []
    for j, unit in enumerate(np.eye(model.nv)):
        units.append(parts.limbs_of_unit(j, units))
        z = parts.limbs_alone(unit)
        np.testing.assert_allclose(units[-1], z, rtol=0, atol=1e-12 * np.abs(z).max())
    inverse: list[list[float]] = []
    for t in sorted(trunk):
        inverse.append(parts.trunk_of_unit(t, inverse))
        x = parts.trunk_outward(parts.trunk_inward(np.eye(model.nv)[t]))
        np.testing.assert_allclose(inverse[-1], x, rtol=0, atol=1e-12 * np.abs(x).max())


def test_work_of_trunk_and_limbs_is_that_of_their_operations(rng):
    """Multiply-adds and places of entries, told beforehand, are those of symbols."""
    model = random_tree(5, 12, branching=0.5, floating_base=True)
    n, parents = model.nv, velocity_parents(Tree(model))
    L = np.zeros((n, n))
    for k in range(n):
        L[k, list(above(k, parents, itself=True))] = rng.uniform(1.0, 2.0, 1 + len(list(above(k, parents))))
    parts = TrunkAndLimbs(L, parents, trunk_velocities(parents, 100))
    assert parts.limbs
    steps = (
        (parts.limbs_alone, parts.work_of_limbs_alone), (parts.trunk_inward, parts.work_of_trunk_inward),
        (parts.trunk_outward, parts.work_of_trunk_outward), (parts.following, parts.work_of_following),
        (parts.limbs_following, parts.work_of_limbs_following),
    )  # fmt: skip
    for run, work in steps:
        for j in range(n):
            at = frozenset({j, *above(j, parents)})
            program = trace(
                lambda b, run=run, at=at: {"x": run([x if k in at else 0.0 for k, x in enumerate(b)])}, {"b": n}
            )  # fmt: skip
            found = interpret(program, {"b": rng.normal(size=n)})["x"]
            operations = count_operations(simplify(program))
            cost, after = work(at)
            assert after == set(np.flatnonzero(found))
            assert cost == operations.multiplications


def test_a_long_limb_follows_when_there_are_many_solutions():
    chain = [*range(-1, 20)]
    assert trunk_velocities(chain, 1) == set(range(21))
    legs = [*range(-1, 5), 5, 6, 7, 5, 9, 10]  # two legs of three on a floating base
    assert trunk_velocities(legs, 36) == set(range(6))
