"""Implicit derivatives of constrained solvers: random graphs, moving, against differences in extended precision.

The reference is LTL, whose program without `status` is a straight line: the equations solved as they stand.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from extended import central_difference
from test_tree_derivatives import question

import linkwright as lw
from linkwright.derivatives import column_loops
from linkwright.derivatives.held_columns import holds
from linkwright.errors import InputError, UnsupportedError
from linkwright.model.parameters import PARAMETER_NAMES
from linkwright.robots.random import random_tree
from linkwright.robots.random_constraints import random_ground_constraint
from linkwright.trace import count_operations, interpret

sys.path.insert(0, str(Path(__file__).parent.parent / "algorithms"))
from loop_cases import random_graph

OUTPUTS = ("a", "lam", "forces")
LOOPS = ("lcaba", "prox_bbo", "mixed", "bbo", "prox_ltl", "ltl")
GROUND = ("constrained_aba", "prox_pv", "prox_ltls", "pv", "pv_early")


class Expected:
    """Derivatives along one random direction at one state."""

    def __init__(self, model, q, v, rng, wrt=("q", "v", "tau"), **options):
        parameters = [x for x in wrt if x in PARAMETER_NAMES]
        hard = lw.trace_program(model, "ltl", outputs=OUTPUTS, parameters=parameters, **options)
        self.given = {"q": q, "v": v}
        for x in hard.inputs[2:]:
            known = lw.default_parameters(model)
            self.given[x.name] = known[x.name] if x.name in known else rng.normal(size=x.shape)
        shapes = {x.name: x.shape for x in hard.inputs}
        self.direction = {name: rng.normal(size=model.nv if name == "q" else shapes[name]) for name in wrt}
        for name in {"placements", "constraint_placements"} & {*wrt}:  # quaternions stay of unit length
            of_unit, change = self.given[name][:, 3:], self.direction[name][:, 3:]
            change -= of_unit * np.sum(of_unit * change, axis=1, keepdims=True)
        self.rates = {
            name: central_difference(hard, self.given, self.direction, name, model) for name in OUTPUTS
        }
        self.weights = {name: rng.normal(size=rate.shape) for name, rate in self.rates.items()}

    def check(self, model, solver, *, of=OUTPUTS, tolerance=1e-7, **options):
        wrt = tuple(self.direction)
        forth = question("jvp", model, solver, of, wrt, **options).program()
        found = interpret(forth, {**self.given, **{f"{k}_dot": d for k, d in self.direction.items()}})
        assert found["status"] == 0
        for name in of:
            rate = self.rates[name]
            np.testing.assert_allclose(found[f"{name}_dot"], rate, rtol=0, atol=tolerance * max(1, np.abs(rate).max()))
        back = question("vjp", model, solver, of, wrt, **options).program()
        found = interpret(back, {**self.given, **{f"{name}_bar": self.weights[name] for name in of}})
        assert found["status"] == 0
        total = sum(np.sum(found[f"{name}_bar"] * d) for name, d in self.direction.items())
        expected = sum(np.sum(self.weights[name] * self.rates[name]) for name in of)
        size = sum(np.abs(self.weights[name] * self.rates[name]).sum() for name in of)
        assert abs(total - expected) <= tolerance * max(1.0, size)


@pytest.mark.parametrize("seed", range(5))
def test_random_graphs(seed, rng):
    case = random_graph(seed)
    Expected(case.model, case.q, case.v, rng).check(case.model, LOOPS[seed])


@pytest.mark.long
@pytest.mark.parametrize("seed", range(30))
def test_more_random_graphs(seed, rng):
    case = random_graph(seed)
    expected = Expected(case.model, case.q, case.v, rng)
    for solver in LOOPS:
        expected.check(case.model, solver)


@pytest.mark.parametrize("solver", GROUND)
def test_constraints_to_the_ground(solver, rng):
    model = random_tree(3, 4, frames=3, floating_base=True, armature=True, damping=True)
    model = model.with_constraints(random_ground_constraint(np.random.default_rng(2), model, "held"))
    Expected(model, model.random_configuration(rng), rng.normal(size=model.nv), rng).check(model, solver)


def test_stabilization_and_desired_accelerations(rng):
    model = lw.load("four_bar")
    options = {"baumgarte": 0.1, "desired": "input"}
    state = model.random_configuration(rng), rng.normal(size=model.nv)
    Expected(model, *state, rng, wrt=("q", "v", "desired"), **options).check(model, "lcaba", **options)


@pytest.mark.parametrize("parameters", [("masses", "constraint_placements"), ("placements",)])
def test_parameters(parameters, rng):
    case = random_graph(0)
    Expected(case.model, case.q, case.v, rng, wrt=("q", *parameters)).check(case.model, "lcaba")


def test_redundant_rows_change_nothing_but_multipliers(rng):
    case = random_graph(1)
    twice = case.model.with_constraints(*(replace(c, name=f"{c.name}_again") for c in case.model.constraints))
    Expected(case.model, case.q, case.v, rng).check(twice, "lcaba", of=("a",))


def test_jacobians_column_by_column(rng):
    """Compiled: a loop over columns around the solver's own."""
    case = random_graph(0)
    expected = Expected(case.model, case.q, case.v, rng)
    found = lw.jacobian(case.model, "lcaba", of=OUTPUTS)(**expected.given)
    assert found.status == 0
    for name, rate in expected.rates.items():
        blocks = [(np.asarray(getattr(found, f"d{name}_d{x}")), d) for x, d in expected.direction.items()]
        total = sum(J @ d for J, d in blocks)
        np.testing.assert_allclose(total, rate, rtol=0, atol=1e-7 * np.abs(rate).max())


def test_compiled_in_batches(rng):
    model = lw.load("four_bar")
    gradient = lw.vjp(model, "lcaba", values=True)
    assert [x.name for x in gradient.outputs] == ["a", "q_bar", "v_bar", "tau_bar", "status"]
    q, (v, tau, w) = model.random_configuration(rng, 9), rng.normal(size=(3, 9, model.nv))
    found = gradient(q, v, tau, w)
    np.testing.assert_array_equal(gradient(q[4], v[4], tau[4], w[4]).q_bar, found.q_bar[4])
    np.testing.assert_array_equal(found.a, lw.compile(model, "lcaba", outputs="a")(q, v, tau))


def test_cost():
    """Gradients take less than three evaluations: one more solution by the same factors, one sweep back."""
    held = lw.load("humanoid").with_constraints(lw.weld("left_foot"), lw.weld("right_foot"))
    for solver in ("lcaba", "constrained_aba"):
        own = count_operations(lw.trace_program(held, solver, outputs=("a", "status"))).total
        assert count_operations(question("vjp", held, solver, values=True).program()).total < 3 * own


def test_counted_iterations_are_differentiated_as_they_are(rng):
    case = random_graph(1)
    options = {"iterations": 2}
    counted = lw.trace_program(case.model, "lcaba", outputs="a", **options)
    given = {"q": case.q, "v": case.v, "tau": case.tau}
    direction = {name: rng.normal(size=case.model.nv) for name in given}
    rate = central_difference(counted, given, direction, "a", case.model)
    back = question("vjp", case.model, "lcaba", "a", **options).program()
    w = rng.normal(size=case.model.nv)
    found = interpret(back, {**given, "a_bar": w})
    total = sum(found[f"{name}_bar"] @ d for name, d in direction.items())
    assert abs(total - w @ rate) <= 1e-7 * np.abs(w * rate).sum()


def test_refusals():
    model = lw.load("four_bar")
    with pytest.raises(InputError, match="'residual' of 'lcaba' tells of the way"):
        lw.vjp(model, "lcaba", of="residual")
    with pytest.raises(InputError, match="'active' switches"):
        lw.jvp(model, "lcaba", wrt="active", active="input")
    with pytest.raises(UnsupportedError, match="'lcaba' has a loop that ends when a condition holds"):
        lw.vjp(model, "lcaba", iterations=5, tolerance=1e-6)


@pytest.mark.parametrize("twice", [False, True])
@pytest.mark.parametrize("damping", [False, True])
def test_held_by_the_ground(damping, twice, rng, monkeypatch):
    """Welds and points on the ground: columns in joint space, also of rows that depend on one another; in a straight
    line, and in loops wherever they are possible."""
    model = random_tree(5, 5, floating_base=True, armature=damping, damping=damping, springs=True,
                        kinds=["revolute", "prismatic", "spherical"])  # fmt: skip
    held = model.with_constraints(lw.weld("body_5", name="foot"), lw.connect("body_3", name="hand"))
    expected = Expected(held, held.random_configuration(rng), rng.normal(size=held.nv), rng)
    if twice:
        held = held.with_constraints(lw.weld("body_5", name="again"))
    asked = question("jacobian", held, "lcaba")
    assert holds(asked) and not holds(question("jacobian", held, "lcaba", wrt=("q", "masses")))
    for price in (0.0, 1e9):
        monkeypatch.setattr(column_loops, "LOOP", price)
        found = interpret(asked.program(), expected.given)
        total = sum(found[f"da_d{name}"] @ d for name, d in expected.direction.items())
        rate = expected.rates["a"]
        assert found["status"] == 0
        np.testing.assert_allclose(total, rate, rtol=0, atol=1e-7 * np.abs(rate).max())
