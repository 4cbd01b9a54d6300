"""Derivatives of a time step: trees and looped mechanisms, all integrators, against extended precision.

The reference is the step itself, with LTL where there are constraints: its equations solved as they stand.
"""

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest
from extended import central_difference
from test_tree_derivatives import question

import linkwright as lw
from linkwright.errors import InputError
from linkwright.robots.random import random_tree
from linkwright.trace import count_operations, interpret

sys.path.insert(0, str(Path(__file__).parent.parent / "algorithms"))
from loop_cases import random_graph
from test_parameters import NUMBERS, geared

INTEGRATORS = ("damped_euler", "euler", "implicitfast", "rk4")


def rubbed(model, friction=0.3):
    """With dry friction in every joint that is no free flyer."""
    bodies = []
    for body in model.bodies:
        joint = body.joint
        if joint is not None and joint.kind != "free_flyer":
            body = dataclasses.replace(body, joint=dataclasses.replace(joint, friction=friction))
        bodies.append(body)
    return dataclasses.replace(model, bodies=tuple(bodies))


def check(model, rng, *, of=("q", "v"), wrt=("q", "v", "tau"), given=None, tolerance=1e-8, reference=None, **options):
    """jvp, vjp and Jacobians along one random direction. `reference`: options of the program that is differenced."""
    program = question("jvp", model, "step", of, wrt, **options, **(reference or {})).request.program()
    known = lw.default_parameters(model)
    at = {"q": model.random_configuration(rng), "dt": 1e-3}
    at |= {x.name: known[x.name] if x.name in known else rng.normal(size=x.shape)
           for x in program.inputs if x.name not in at}  # fmt: skip
    at |= given or {}
    shapes = {x.name: x.shape for x in program.inputs}
    direction = {name: rng.normal(size=model.nv if name == "q" else shapes[name]) for name in wrt}
    if "inertias" in wrt:  # of light bodies: a difference must not be large against them
        direction["inertias"] *= 0.01
    for name in {"placements", "constraint_placements"} & {*wrt}:  # quaternions stay of unit length
        unit, change = at[name][:, 3:], direction[name][:, 3:]
        change -= unit * np.sum(unit * change, axis=1, keepdims=True)
    rates = {name: central_difference(program, at, direction, name, model) for name in of}
    forth = interpret(
        question("jvp", model, "step", of, wrt, **options).program(),
        {**at, **{f"{k}_dot": d for k, d in direction.items()}},
    )
    assert forth.get("status", 0) == 0
    weights = {name: rng.normal(size=rate.shape) for name, rate in rates.items()}
    back = interpret(
        question("vjp", model, "step", of, wrt, **options).program(),
        {**at, **{f"{k}_bar": w for k, w in weights.items()}},
    )
    columns = interpret(question("jacobian", model, "step", of, wrt, **options).program(), at)
    for name, rate in rates.items():
        bound = tolerance * max(1.0, np.abs(rate).max())
        np.testing.assert_allclose(forth[f"{name}_dot"], rate, rtol=0, atol=bound, err_msg=f"jvp of {name}")
        total = sum(np.tensordot(columns[f"d{name}_d{x}"], d, np.ndim(d)) for x, d in direction.items())
        np.testing.assert_allclose(total, rate, rtol=0, atol=bound, err_msg=f"jacobian of {name}")
    total = sum(np.sum(back[f"{name}_bar"] * d) for name, d in direction.items())
    expected = sum(np.sum(weights[name] * rates[name]) for name in of)
    assert abs(total - expected) <= tolerance * max(1.0, sum(np.abs(rate).sum() for rate in rates.values()))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_trees(integrator, rng):
    """Every joint kind, with springs, dampers, dry friction and limits."""
    tree = random_tree(1, 11, armature=True, damping=True, springs=True, limits=True)
    check(rubbed(tree), rng, integrator=integrator)


def test_a_free_flyer(rng):
    tree = random_tree(2, 3, floating_base=True, damping=True)
    check(tree, rng, integrator="damped_euler", of=("q", "v", "a", "lead"))
    check(tree, rng, integrator="rk4", wrt=("q", "v", "masses"))


@pytest.mark.parametrize(
    "parameters",
    [("masses", "gravity"), ("placements",), ("springs", "dampings", "armatures"), ("frictions", "inertias")],
    ids="-".join,
)
def test_parameters_of_trees(parameters, rng):
    model = rubbed(random_tree(3, 3, damping=True, springs=True))
    for integrator in ("damped_euler", "euler") if "frictions" in parameters else ("damped_euler",):
        check(model, rng, wrt=("q", *parameters), integrator=integrator)


@pytest.mark.parametrize("contact", ["soft", None])
def test_numbers_of_springs_tendons_actuators_and_rods(contact, rng):
    model = geared()
    q = lw.project_configuration(model, 0.3 * rng.normal(size=3))
    given = {"q": q, "v": lw.project_velocity(model, q, rng.normal(size=3)), "lam": np.zeros(1), "warm": np.zeros(3)}
    options = {"integrator": "implicitfast", "contact": contact, "actuators": "input", "friction": contact is not None}
    exact = {"tolerance": 1e-17, "iterations": 60} if contact else {"solver": "ltl"}
    wrt = ("q", "v", *NUMBERS)
    check(model, rng, given=given, wrt=wrt, tolerance=1e-7, reference=exact, **options)


def test_external_forces_and_the_length_of_the_step(rng):
    check(random_tree(4, 3), rng, wrt=("f_ext", "dt"), f_ext=True)


def test_naming_a_command_asks_for_actuators(rng):
    model = random_tree(4, 3)
    joints = [joint.name for joint in model.joints if joint.nv == 1]
    model = model.with_actuators(lw.position_servo(joints[0], kp=5.0, kv=0.2, time_constant=0.1), lw.motor(joints[1]))
    check(model, rng, of=("q", "v", "act"), wrt=("q", "ctrl", "act"))
    with pytest.raises(InputError, match="no input of 'aba' named 'ctrl'"):
        lw.jacobian(model, "aba", wrt="ctrl")


@pytest.mark.parametrize(("seed", "integrator"), [(0, "damped_euler"), (1, "rk4")])
def test_loops(seed, integrator, rng):
    case = random_graph(seed)
    given = {"q": case.q, "v": case.v}
    check(case.model, rng, given=given, tolerance=1e-7, integrator=integrator, reference={"solver": "ltl"})


def test_projection_and_parameters_of_loops(rng):
    model = lw.load("four_bar")
    q, v = model.drawn, np.zeros(model.nv)
    given, wrt = {"q": q, "v": v, "tau": v}, ("tau", "masses", "placements", "constraint_placements")
    check(model, rng, given=given, tolerance=1e-7, wrt=wrt, reference={"solver": "ltl"}, of=("q", "v", "lam"))
    check(model, rng, given=given, tolerance=1e-7, wrt=("q", "v"), projection=True, reference={"solver": "ltl"})


def test_memory_of_the_solver_has_no_influence(rng):
    """Multipliers to start from are part of the way to a solution."""
    model = lw.load("four_bar")
    program = question("jacobian", model, "step", "v", ("lam", "lead"), warm_start="input").program()
    given = {x.name: rng.normal(size=x.shape) for x in program.inputs} | {"q": model.drawn, "dt": 1e-3}
    found = interpret(program, given)
    np.testing.assert_array_equal(found["dv_dlam"], 0.0)
    assert np.abs(found["dv_dlead"]).max() > 0


def test_a_step_in_parts_is_told(rng):
    """The derivative is that of the step taken at once; where that is not what a step does, the status says so."""
    model = lw.load("four_bar")
    gradient = lw.vjp(model, "step")
    rest = np.zeros(model.nv)
    calm = gradient(model.drawn, rest, rest, 1e-3, rest, rest)
    hit = gradient(model.drawn, rest, np.full(model.nv, 1e6), 1e-3, rest, rest)
    assert calm.status == 0 and hit.status == 1
    turning = lw.project_velocity(model, model.drawn, [100.0, 0.0, 0.0], fixed="crank_joint")  # 0.1 rad in a step
    assert gradient(model.drawn, turning, rest, 1e-3, rest, rest).status == 1
    standing = lw.vjp(model.with_shapes(lw.sphere("rocker", 0.01, name="ball")).on_ground(0.6), "step")
    assert [float(standing(model.drawn, s * turning, rest, 1e-3, rest, rest).status) for s in (0.1, 2.0)] == [0, 1]


@pytest.mark.parametrize(("integrator", "solutions"), [("damped_euler", 1), ("rk4", 4)])
def test_all_steps_in_parts_are_told_and_no_others(integrator, solutions, rng):
    model, count = lw.load("four_bar"), 200
    step = lw.compile(model, "step", integrator=integrator, outputs=("iterations",))
    gradient = lw.vjp(model, "step", integrator=integrator)
    q = lw.project_configuration(model, model.drawn)
    wild = rng.normal(size=(count, 3)) * 10 ** rng.uniform(-2, 2, size=(count, 1))
    v = lw.project_velocity(model, np.tile(q, (count, 1)), wild)
    tau = rng.normal(size=(count, 3)) * 10 ** rng.uniform(-2, 1.5, size=(count, 1))
    state = np.tile(q, (count, 1)), v, tau, np.full(count, 1e-3)
    in_parts = step(*state) > solutions
    assert 20 < in_parts.sum() < count - 20
    np.testing.assert_array_equal(gradient(*state, np.ones_like(v), np.ones_like(v)).status, in_parts.astype(float))


def test_compiled_in_batches(rng):
    model = lw.load("four_bar")
    A = lw.jacobian(model, "step", values=True)
    q, v, tau = np.tile(model.drawn, (5, 1)), *0.01 * rng.normal(size=(2, 5, model.nv))
    v *= 0  # from rest, where loops are closed
    found = A(q, v, tau, np.full(5, 1e-3))
    assert found.dq_dq.shape == (5, model.nv, model.nv) and not found.status.any()
    np.testing.assert_array_equal(A(q[3], v[3], tau[3], 1e-3).dv_dv, found.dv_dv[3])
    np.testing.assert_allclose(found.v, lw.compile(model, "step", outputs="v")(q, v, tau, np.full(5, 1e-3)), rtol=1e-12)


@pytest.mark.parametrize("name", ["chain:12", "four_bar"])
@pytest.mark.parametrize("integrator", ["damped_euler", "rk4"])
def test_cost(name, integrator):
    model = lw.load(name)
    own = count_operations(lw.trace_program(model, "step", integrator=integrator)).total
    gradient = question("vjp", model, "step", values=True, integrator=integrator).program()
    assert count_operations(gradient).total <= 4 * own


def test_refusals():
    for name in ("status", "residual", "worst"):
        with pytest.raises(InputError, match=f"output {name!r} of 'step' tells of the way"):
            lw.vjp(lw.load("four_bar"), "step", of=name)
