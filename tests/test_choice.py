"""`compile(robot)`: a problem is named, and the cheapest exact algorithm that suits is taken."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, UnsupportedError
from linkwright.model.found_once import forget_models
from linkwright.programs import Wish, choice, choose
from linkwright.trace import count_operations


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "cache"))


def test_a_tree_takes_aba(rng):
    robot = lw.load("chain:3")
    f = lw.compile(robot)
    assert f.algorithm == "aba" and "the only one that suits" in str(f.choice)
    state = rng.normal(size=(3, 3))
    assert np.array_equal(f(*state), lw.compile(robot, "aba")(*state))
    assert lw.compile(robot, "aba").choice is None


def test_a_linkage_takes_the_fewest_operations_and_says_why():
    robot = lw.load("four_bar")
    f = lw.compile(robot, "forward_dynamics")
    counted = [c for c in f.choice.candidates if c.operations is not None]
    assert f.algorithm == f.choice.algorithm == counted[0].name
    assert counted[0].operations == min(c.operations for c in counted)
    program = lw.trace_program(robot, f.algorithm, outputs="a", iterations=2)
    assert counted[0].operations == count_operations(program).total
    text = str(f.choice)
    assert "needs constraint rows that are independent at every pose" in text and "approximate: penalties" in text
    assert f(robot.drawn, np.zeros(3), np.zeros(3)).status == 0


def test_reference_and_trace_choose_too():
    robot = lw.load("four_bar")
    name = choose(robot).algorithm
    assert lw.trace_program(robot).name == lw.trace_program(robot, "forward_dynamics").name == name
    state = robot.drawn, np.zeros(3), np.ones(3)
    assert np.array_equal(lw.reference(robot, outputs="a")(*state), lw.reference(robot, name, outputs="a")(*state))


def test_options_outputs_and_coordinates_narrow_the_choice():
    robot = lw.load("four_bar")
    assert choose(robot, wish=Wish(options=(("iterations", 3),))).algorithm in ("lcaba", "prox_bbo", "prox_ltl")
    inner = choose(robot, wish=Wish(options=(("coordinates", "independent"),)))
    assert inner.algorithm in ("cluster_aba", "projection", "lagrange")
    assert choose(robot, "inertia_matrix").algorithm == "crba"
    assert choose(robot, "inverse_dynamics", Wish(options=(("motors", ("crank_joint",)),))).algorithm == (
        "closed_loop_inverse_dynamics"
    )
    assert lw.compile(robot, "inverse_dynamics", coordinates="independent").inputs[0].name == "y"


def test_what_suits_nothing_says_why_for_each():
    with pytest.raises(UnsupportedError) as told:
        lw.compile(lw.load("four_bar"), "inverse_dynamics")
    assert "not rnea: knows no constraints" in str(told.value) and "expected names of driven joints" in str(told.value)
    with pytest.raises(InputError, match="'forward_dynamics'"):
        lw.compile(lw.load("four_bar"), "forward_dynamic")


def test_a_warm_start_counts_nothing(own_cache, monkeypatch):
    robot = lw.load("five_bar")
    first = choose(robot)

    def count(*_):
        raise AssertionError("traced although the choice is in the cache")

    forget_models()
    monkeypatch.setattr(choice, "count", count)
    assert choose(robot) == first
    forget_models()
    with pytest.raises(AssertionError):
        choose(robot, cache=False)


def test_inspect_and_simulate_ask_the_same_place():
    robot = lw.load("four_bar")
    from linkwright.analysis.costs import algorithm_costs

    chosen = [cost.name for cost in algorithm_costs(robot, times=False) if cost.chosen]
    assert chosen == [choose(robot).algorithm] == [lw.simulate(robot, steps=1).solver]
