"""The solver that a simulation takes unasked: the one with the fewest operations, hopeless ones not even counted."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.model import tree_of
from linkwright.programs import RECIPES, Wish, choice
from linkwright.programs.choice import solver_of
from linkwright.programs.least_operations import least_of_bbo, least_of_joint_space, least_of_lcaba

LEAST = {"lcaba": least_of_lcaba, "prox_ltl": least_of_joint_space, "prox_bbo": least_of_bbo}
ASKED = Wish("a", options=(("desired", "input"),))
MECHANISMS = ("four_bar", "five_bar", "jansen_leg", "delta_robot", "stewart_platform", "hand_with_cube", "digit_like")


def counts(model):
    return {name: choice.count(model, RECIPES[name], ASKED) for name in LEAST}


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_cheapest_is_chosen_and_bounds_are_below_counts(name, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    model = lw.load(name)
    exact = counts(model)
    for solver, least in LEAST.items():
        assert least(tree_of(model)) <= exact[solver], solver
    assert solver_of(model, None) == min(exact, key=exact.__getitem__)


@pytest.mark.parametrize("seed", range(6))
def test_bounds_on_random_trees_with_loops(seed):
    rng = np.random.default_rng(seed)
    tree = lw.robots.random_tree(seed, 9)
    names = [body.name for body in tree.bodies[1:]]
    pairs = [rng.choice(names, 2, replace=False) for _ in range(3)]
    model = tree.with_constraints(*(lw.connect(str(a), str(b), name=f"c{k}") for k, (a, b) in enumerate(pairs)))
    exact = counts(model)
    assert all(least(tree_of(model)) <= exact[solver] for solver, least in LEAST.items())


def test_many_rows_are_compared_too(monkeypatch):
    """With a row on all bodies LCABA has 24 times the operations of proxBBO; it is not even traced. That row
    carried and loops by penalties are cheaper still."""
    model = lw.load("digit_like")
    model = model.with_constraints(lw.center_of_mass(directions="z", name="com"))
    counted = []
    count = choice.count
    monkeypatch.setattr(choice, "count", lambda m, r, wish: (counted.append(r.name), count(m, r, wish))[1])
    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    assert solver_of(model, None) == "mixed"
    assert {"mixed", "prox_bbo"} <= set(counted) and "lcaba" not in counted
