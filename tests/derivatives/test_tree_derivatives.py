"""Derivatives of programs of trees: every joint kind, moving, against central differences in extended precision."""

import numpy as np
import pytest
from extended import central_difference

import linkwright as lw
from linkwright.derivatives.question import Question
from linkwright.robots.random import random_tree
from linkwright.trace import count_operations, interpret

PROGRAMS = {
    "rnea": {}, "aba": {}, "crba": {}, "bias_torques": {}, "gravity_torques": {}, "coriolis_torques": {},
    "center_of_mass": {}, "center_of_mass_velocity": {}, "centroidal_momentum": {}, "kinetic_energy": {},
    "potential_energy": {}, "forward_kinematics": {}, "frame_velocities": {}, "frame_accelerations": {},
    "frame_jacobian": {"frame": "frame_1"}, "integrate": {}, "difference": {}, "ltl_solve": {},
}  # fmt: skip


def question(kind, model, algorithm, of=None, wrt=None, values=False, f_ext=False, **options):
    return Question.of_model(
        kind, model, algorithm, of, wrt, values=values, parameters=(), f_ext=f_ext, options=options,
        precision="float64",
    )  # fmt: skip


def tree(seed=0, n=11):
    return random_tree(seed, n, armature=True, damping=True, springs=True, frames=2)


def state(model, program, rng) -> dict:
    """Random values of all inputs of a program."""
    known = lw.default_parameters(model)
    given = {}
    for x in program.inputs:
        if x.name in ("q", "q0", "q1"):
            given[x.name] = model.random_configuration(rng)
        elif x.name in known:
            given[x.name] = known[x.name]
        else:
            given[x.name] = rng.normal(size=x.shape)
    return given


def check(model, algorithm, rng, *, of=None, wrt=None, tolerance=1e-9, **options):
    """All three kinds of derivatives along random directions."""
    asked = question("jacobian", model, algorithm, of, wrt, **options)
    program = asked.request.program()
    given = state(model, program, rng)
    if algorithm == "difference":
        given["q1"] = model.integrate(given["q0"], 0.5 * rng.normal(size=model.nv))
    back = question("vjp", model, algorithm, of, wrt, **options).program()
    forth = question("jvp", model, algorithm, of, wrt, **options).program()
    width = {name: model.nv if name in ("q", "q0", "q1") else None for name in asked.wrt}
    shapes = {x.name: x.shape for x in program.inputs}
    direction = {name: rng.normal(size=width[name] or shapes[name]) for name in asked.wrt}
    rates = {name: central_difference(program, given, direction, name, model) for name in asked.of}
    found = interpret(forth, {**given, **{f"{k}_dot": d for k, d in direction.items()}})
    size = max(1.0, *(np.abs(rate).max(initial=0) for rate in rates.values()))
    for name, rate in rates.items():
        np.testing.assert_allclose(found[f"{name}_dot"], rate, rtol=0, atol=tolerance * size, err_msg=f"jvp of {name}")
    weights = {name: rng.normal(size=rate.shape) for name, rate in rates.items()}
    expected = sum(np.sum(weights[name] * rates[name]) for name in rates)
    gradient = interpret(back, {**given, **{f"{k}_bar": w for k, w in weights.items()}})
    assert gradient.keys() == {f"{name}_bar" for name in asked.wrt}
    total = sum(np.sum(gradient[f"{name}_bar"] * direction[name]) for name in asked.wrt)
    assert abs(total - expected) <= tolerance * max(1.0, sum(np.abs(rate).sum() for rate in rates.values()))
    return asked, given, direction, rates


@pytest.mark.parametrize("algorithm", PROGRAMS)
def test_programs_of_trees(algorithm, rng):
    check(tree(n=11), algorithm, rng, **PROGRAMS[algorithm])


@pytest.mark.parametrize("algorithm", ["rnea", "integrate", "center_of_mass", "frame_jacobian"])
def test_jacobians_are_their_products(algorithm, rng):
    model = tree(1, 6)
    options = PROGRAMS[algorithm]
    asked, given, direction, rates = check(model, algorithm, rng, **options)
    found = interpret(asked.program(), given)
    for of, rate in rates.items():
        total = 0.0
        for wrt, d in direction.items():
            J = found[f"d{of}_d{wrt}"]
            assert J.shape == rate.shape + d.shape
            total = total + np.tensordot(J, d, d.ndim)
        np.testing.assert_allclose(total, rate, rtol=1e-8, atol=1e-8 * max(1, np.abs(rate).max()))


@pytest.mark.parametrize(
    "parameters",
    [("gravity", "masses"), ("inertias",), ("placements",), ("springs", "dampings", "armatures")],
    ids="-".join,
)
def test_parameters(parameters, rng):
    algorithm = "aba" if parameters[0] in ("inertias", "springs") else "rnea"
    check(tree(2, 6), algorithm, rng, wrt=("q", *parameters), tolerance=1e-8)


def test_external_forces(rng):
    check(tree(3, 8), "aba", rng, wrt=("q", "f_ext"))


def test_no_dependence_is_exactly_zero(rng):
    model = tree(4, 6)
    program = question("vjp", model, "potential_energy", wrt=("dampings",)).program()
    found = interpret(program, {**state(model, program, rng), "energy_bar": np.array(2.0)})
    np.testing.assert_array_equal(found["dampings_bar"], 0.0)
    assert count_operations(program).total == 0


@pytest.mark.parametrize("links", [(15, 45), pytest.param((45, 200), marks=pytest.mark.long)])
@pytest.mark.parametrize("algorithm", ["rnea", "aba"])
def test_cost_of_gradients(algorithm, links):
    """At most four times the function, and linear in the number of links."""
    per_link = []
    for n in links:
        model = lw.load(f"chain:{n}")
        own = count_operations(lw.trace_program(model, algorithm)).total
        gradient = count_operations(question("vjp", model, algorithm, values=True).program()).total
        assert gradient <= 4 * own
        per_link.append(gradient / n)
    assert per_link[1] < 1.15 * per_link[0]


def test_compiled_like_any_other_function(rng):
    model = tree(5, 4)
    gradient = lw.vjp(model, "rnea", values=True)
    assert [x.name for x in gradient.inputs] == ["q", "v", "a", "tau_bar"]
    assert [x.name for x in gradient.outputs] == ["tau", "q_bar", "v_bar", "a_bar"]
    q, v, a, w = model.random_configuration(rng, 9), *rng.normal(size=(3, 9, model.nv))
    found = gradient(q, v, a, w)
    program = question("vjp", model, "rnea", values=True).program()
    expected = interpret(program, {"q": q, "v": v, "a": a, "tau_bar": w})
    for name, value in expected.items():
        np.testing.assert_allclose(getattr(found, name), value, rtol=1e-12, atol=1e-11)
    one = gradient(q[3], v[3], a[3], w[3])
    np.testing.assert_array_equal(one.q_bar, found.q_bar[3])
    again = lw.vjp(model, "rnea", values=True)
    assert again.from_cache and again.operations == gradient.operations


def test_warm_starts_do_not_trace(monkeypatch):
    model = lw.load("chain:3")
    lw.jacobian(model, "rnea", wrt="q")
    monkeypatch.setattr(Question, "program", lambda self: pytest.fail("traced"))
    assert lw.jacobian(model, "rnea", wrt="q").from_cache


def test_functions_of_ones_own(rng):
    def rosenbrock(x):
        return (1.0 - x[0]) * (1.0 - x[0]) + 100.0 * (x[1] - x[0] * x[0]) * (x[1] - x[0] * x[0])

    x = rng.normal(size=(5, 2))
    slope = np.stack([-2 * (1 - x[:, 0]) - 400 * x[:, 0] * (x[:, 1] - x[:, 0] ** 2), 200 * (x[:, 1] - x[:, 0] ** 2)], 1)
    np.testing.assert_allclose(lw.jacobian(rosenbrock, inputs={"x": 2})(x), slope, rtol=1e-12)
    np.testing.assert_allclose(lw.vjp(rosenbrock, inputs={"x": 2})(x, np.full(5, 2.0)), 2 * slope, rtol=1e-12)
    direction = rng.normal(size=(5, 2))
    along = lw.jvp(rosenbrock, inputs={"x": 2}, values=True)(x, direction)
    np.testing.assert_allclose(along.out_dot, np.sum(slope * direction, 1), rtol=1e-10)


def test_single_precision(rng):
    model = tree(6, 4)
    q, v, a, w = model.random_configuration(rng), *rng.normal(size=(3, model.nv))
    exact = lw.vjp(model, "rnea")(q, v, a, w)
    rough = lw.vjp(model, "rnea", dtype="float32")(*(x.astype(np.float32) for x in (q, v, a, w)))
    assert rough.q_bar.dtype == np.float32
    np.testing.assert_allclose(rough.q_bar, exact.q_bar, rtol=1e-3, atol=1e-4 * np.abs(exact.q_bar).max())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: lw.jacobian(m, "rnae"), "no algorithm named 'rnae'"),
        (lambda m: lw.jacobian(m, "rnea", of="a"), "no output of 'rnea' named 'a'"),
        (lambda m: lw.vjp(m, "rnea", wrt="tau"), "no input of 'rnea' named 'tau'"),
        (lambda m: lw.jvp(m, "aba", of="status"), "no derivative"),
        (lambda m: lw.jvp(m, "aba", wrt=("q", "q")), "each name once"),
        (lambda m: lw.jvp(m, "aba", inputs={"x": 2}), "belongs to jvp"),
        (lambda m: lw.vjp(3.0), "cannot differentiate float"),
        (lambda m: lw.vjp(lambda x: x, inputs={"x": 2}, wrt="y"), "no input of '<lambda>' named 'y'"),
        (lambda m: lw.vjp(lambda x: x, inputs={"x": 2}, parameters="masses"), "are for models"),
        (lambda m: lw.vjp(m, "rnea", dtype="int"), "dtype"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(lw.LinkwrightError, match=message):
        call(lw.load("chain:2"))
