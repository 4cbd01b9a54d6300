"""`project_configuration` as a program: closed poses, and how they change with the pose given and with parameters."""

import sys
from pathlib import Path

import numpy as np
import pytest
from extended import central_difference
from test_tree_derivatives import question

import linkwright as lw
from linkwright.errors import InputError
from linkwright.trace import interpret

sys.path.insert(0, str(Path(__file__).parent.parent / "algorithms"))
from loop_cases import random_graph

NAME = "project_configuration"


def check(model, q, rng, *, wrt=("q",), **options):
    """Forth and back along a random direction, against differences in extended precision."""
    parameters = [x for x in wrt if x != "q"]
    program = lw.trace_program(model, NAME, outputs="q", parameters=parameters, **options)
    given = {"q": q, **lw.default_parameters(model, parameters)}
    direction = {x: rng.normal(size=model.nv if x == "q" else given[x].shape) for x in wrt}
    for name in {"placements", "constraint_placements"} & {*wrt}:  # quaternions stay of unit length
        of_unit, change = given[name][:, 3:], direction[name][:, 3:]
        change -= of_unit * np.sum(of_unit * change, axis=1, keepdims=True)
    rate = central_difference(program, given, direction, "q", model)
    forth = question("jvp", model, NAME, "q", wrt, values=True, **options).program()
    found = interpret(forth, {**given, **{f"{x}_dot": d for x, d in direction.items()}})
    assert found["status"] == 0
    np.testing.assert_allclose(found["q_dot"], rate, rtol=0, atol=1e-7 * max(1.0, np.abs(rate).max()))
    weights = rng.normal(size=model.nv)
    back = interpret(question("vjp", model, NAME, "q", wrt, **options).program(), {**given, "q_bar": weights})
    total = sum(np.sum(back[f"{x}_bar"] * d) for x, d in direction.items())
    assert abs(total - weights @ rate) <= 1e-7 * max(1.0, np.abs(weights * rate).sum())


@pytest.mark.parametrize("seed", [0, 1])  # with a floating base, and without
def test_random_graphs(seed, rng):
    case = random_graph(seed)
    assert case.closed
    q = case.model.integrate(case.q, 0.02 * rng.normal(size=case.model.nv))
    check(case.model, q, rng, passes=2, tolerance=1e-2)  # what is computed has these derivatives, closed or not


def test_parameters_of_a_driven_linkage(rng):
    """Lengths of links and where the closure is, with the crank held: one pose, whatever the inertias."""
    model = lw.load("four_bar")
    q = model.integrate(model.drawn, [0.3, -0.2, 0.1])
    check(model, q, rng, wrt=("q", "placements", "constraint_placements"), fixed="crank_joint", passes=3)
    masses = question("vjp", model, NAME, "q", "masses", fixed="crank_joint", passes=3).program()
    given = {"q": q, "masses": lw.default_parameters(model)["masses"], "q_bar": rng.normal(size=model.nv)}
    np.testing.assert_allclose(interpret(masses, given)["masses_bar"], 0.0, atol=1e-9)


def test_gear_ratios(rng):
    model = lw.load("chain:3").with_constraints(lw.transmission({"link_1_joint": 1.0, "link_3_joint": -2.0}, 0.1))
    check(model, 0.2 * rng.normal(size=3), rng, wrt=("q", "gear_ratios"), fixed=["link_2_joint"])


def test_a_driven_joint_moves_the_others_as_motors_do(rng):
    model = lw.load("jansen_leg")
    crank = model.joints[0].name
    slopes = lw.jacobian(model, NAME, of="q", fixed=crank, values=True)
    q = lw.project_configuration(model, model.integrate(model.drawn, 0.1 * np.eye(model.nv)[0]), fixed=crank)
    found = slopes(q)
    assert found.status == 0
    np.testing.assert_allclose(found.q, q, atol=1e-11)
    expected = np.zeros((model.nv, model.nv))  # what all others are given as makes no difference
    expected[:, 0] = lw.MotorMap(model, crank).matrix(q)[:, 0]
    np.testing.assert_allclose(found.dq_dq, expected, atol=1e-8)


def test_what_cannot_be_closed_is_said():
    model = lw.load("four_bar")
    closed = lw.compile(model, NAME, outputs=("q", "residual", "status"), fixed="crank_joint")
    apart = model.integrate(model.drawn, [0.0, 3.0, -2.0])
    q = np.stack([model.drawn, apart, np.full(3, np.nan)])
    found = closed(q)
    assert found.status[0] == 0 and found.residual[0] < 1e-12
    assert np.all((found.residual[:2] <= 1e-9) == (found.status[:2] == 0)) and found.status[2] == 3


@pytest.mark.parametrize("options, words", [
    ({"fixed": "crank"}, "crank"), ({"fixed": 3}, "names of joints"), ({"fixed": ["crank_joint"] * 2}, "each joint"),
    ({"passes": 0}, "Newton steps"), ({"tolerance": -1.0}, "more than 0"),
])  # fmt: skip
def test_options_that_mean_nothing(options, words):
    with pytest.raises(InputError, match=words):
        lw.trace_program(lw.load("four_bar"), NAME, **options)


def test_poses_of_trees_stay_as_they_are():
    model = lw.load("panda")
    q = model.neutral()
    found = lw.reference(model, NAME)(np.array([q, q * np.nan]))
    np.testing.assert_array_equal(found.q[0], lw.project_configuration(model, q))
    assert found.status.tolist() == [0, 3]


def test_joints_of_several_coordinates_are_refused():
    model = lw.load("stewart_platform")
    ball = next(joint.name for joint in model.joints if joint.nv > 1)
    with pytest.raises(InputError, match="joints of one"):
        lw.trace_program(model, NAME, fixed=ball)
