"""Forward over reverse against differences of gradients in extended precision."""

import sys
from pathlib import Path

import numpy as np
import pytest
from extended import STEP, moved, run
from test_contact_derivatives import EXACT as LAST_DIGIT
from test_contact_derivatives import STANDING, arm, ball
from test_tree_derivatives import question

import linkwright as lw
from linkwright.programs.cluster_state import plan_of
from linkwright.robots.random import random_tree
from linkwright.trace import count_operations, interpret

sys.path.insert(0, str(Path(__file__).parent.parent / "algorithms"))
from loop_cases import random_graph

EXACT = {"tolerance": 1e-12}  # solutions to more digits than usual: errors add up over three of them


def check(
    model, algorithm, given, rng, *, of=None, wrt=None, bound=1e-8, reference=None, exact=None, size=STEP, **options
):  # fmt: skip
    """`reference`: the program whose gradients are differenced, if not this one; `exact`: its further options."""
    asked = question("hessian_vector", model, algorithm, of, wrt, values=True, **options)
    program = asked.program()
    at = {x.name: given[x.name] if x.name in given else rng.normal(size=x.shape) for x in program.inputs}
    found = interpret(program, at)
    assert found.get("status", 0) == 0
    own = {} if reference else {**options, **(exact or {})}
    back = question("vjp", model, reference or algorithm, asked.of, asked.wrt, **own).program()
    names = {x.name for x in back.inputs}
    ends = []
    for step in (size, -size):
        along = {name: moved(model, name, at[name], at[f"{name}_dot"], step) for name in asked.wrt}
        ends.append(run(back, {k: x for k, x in {**at, **along}.items() if k in names}))
    largest = max(1.0, *(np.abs(found[f"{name}_bar_dot"]).max() for name in asked.wrt))
    for name in asked.wrt:
        rate = np.asarray((ends[0][f"{name}_bar"] - ends[1][f"{name}_bar"]) / (2 * size), float)
        np.testing.assert_allclose(found[f"{name}_bar_dot"], rate, rtol=0, atol=bound * largest, err_msg=name)
        np.testing.assert_allclose(found[f"{name}_bar"], (ends[0][f"{name}_bar"] + ends[1][f"{name}_bar"]) / 2,
                                   rtol=1e-6, atol=1e-6 * np.abs(found[f"{name}_bar"]).max())  # fmt: skip


@pytest.mark.parametrize("algorithm", ["rnea", "aba", "potential_energy", "step"])
def test_trees(algorithm, rng):
    model = random_tree(3, 6, damping=True, springs=True, armature=True)
    check(model, algorithm, {"q": model.random_configuration(rng), "dt": 1e-2}, rng)


def test_parameters(rng):
    model = random_tree(1, 3)
    given = {"q": model.random_configuration(rng), "masses": lw.default_parameters(model)["masses"]}
    check(model, "aba", given, rng, wrt=("q", "masses"))


@pytest.mark.parametrize("seed", [0, 1])
def test_loops(seed, rng):
    case = random_graph(seed)
    given = {"q": case.q, "v": case.v}
    check(case.model, "lcaba", given, rng, bound=1e-7, reference="ltl", **EXACT)


ROLLING = {**STANDING, "v": np.array([0.3, -0.1, -0.5, 0.4, 0.2, -0.3])}
PUSHED = {"q": np.array([1e-4, 2e-4, 3e-4, -0.004]), "v": np.array([0.03, 0.02, -0.01, 0.05]),
          "tau": np.array([0.1, -0.2, 0.3, 0.1]), "dt": np.array(0.002)}  # fmt: skip
TOUCHING = {
    "stuck": (ball(condim=3).on_ground(0.4), "contact_dynamics", {**STANDING, "v": np.zeros(6)}, {}),
    "sliding": (ball(condim=3).on_ground(0.4), "contact_dynamics", ROLLING, {}),
    "pyramid": (ball(condim=6).on_ground(0.4), "contact_dynamics", ROLLING, {"cone": "pyramidal"}),
    "soft": (arm(), "contact_dynamics", PUSHED, {"equality": "soft"}),  # with a pair, a limit, dry friction
    "step": (ball(condim=4).on_ground(0.4), "step", ROLLING, {"integrator": "implicitfast"}),
}


@pytest.mark.parametrize("case", TOUCHING)
def test_contacts(case, rng):
    """At the solution, whose active set and law are what they are; impedances change within a millimetre."""
    model, algorithm, given, options = TOUCHING[case]
    of, wrt = (("q", "v") if algorithm == "step" else ("a",)), ("q", "v", "tau")
    options = {**options, "exact": LAST_DIGIT, "size": np.longdouble(1e-9)}
    check(model, algorithm, given, rng, of=of, wrt=wrt, bound=1e-8, **options)


def test_contacts_with_closed_loops(rng):
    """Hard equalities are found to fewer digits, so differences are taken over a longer way."""
    exact = {"exact": LAST_DIGIT, "size": np.longdouble(1e-7)}
    check(arm(), "contact_dynamics", PUSHED, rng, of=("a",), wrt=("v", "tau"), bound=1e-7, equality="hard", **exact)


def test_positions_found_by_newtons_method(rng):
    model = lw.load("stewart_platform")
    found = plan_of(model, lw.programs.RECIPES["spanning_position"].options)
    asked = question("hessian_vector", model, "spanning_position", "q")
    y = found.drawn[found.coordinates]
    program, back = asked.program(), question("vjp", model, "spanning_position", "q").program()
    at = {x.name: y if x.name == "y" else rng.normal(size=x.shape) for x in program.inputs}
    ends = [run(back, {"y": y + np.asarray(at["y_dot"], np.longdouble) * s, "q_bar": at["q_bar"]}) for s in
            (STEP, -STEP)]  # fmt: skip
    rate = np.asarray((ends[0]["y_bar"] - ends[1]["y_bar"]) / (2 * STEP), float)
    np.testing.assert_allclose(interpret(program, at)["y_bar_dot"], rate, rtol=0, atol=1e-7 * np.abs(rate).max())


def test_compiled_symmetric_and_cheap(rng):
    """Where configurations are flat the matrix behind it is symmetric."""
    model = lw.load("chain:4")
    product = lw.hessian_vector(model, "kinetic_energy", wrt="q")
    q, v, one, other = rng.normal(size=(4, model.nv))
    assert one @ product(q, v, 1.0, other) == pytest.approx(other @ product(q, v, 1.0, one))
    own = count_operations(lw.trace_program(model, "aba")).total
    assert count_operations(question("hessian_vector", model, "aba").program()).total < 8 * own


def test_functions_of_ones_own(rng):
    def cubic(x):
        return x[0] * x[0] * x[1]

    x, d = rng.normal(size=(2, 2))
    found = lw.hessian_vector(cubic, inputs={"x": 2})(x, 1.0, d)
    np.testing.assert_allclose(found, [2 * x[1] * d[0] + 2 * x[0] * d[1], 2 * x[0] * d[0]], rtol=1e-12)
