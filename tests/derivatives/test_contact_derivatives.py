"""Derivatives at the solution of the soft law: contacts, limits, dry friction, hard and soft equalities.

The reference is the program itself, its Newton's method carried on in extended precision.
"""

import numpy as np
import pytest
from extended import central_difference
from test_tree_derivatives import question

import linkwright as lw
from linkwright.trace import count_operations, interpret

STEP = np.longdouble(1e-9)  # impedances change within a millimetre
EXACT = {"tolerance": 1e-17, "iterations": 60}
STANDING = {"q": np.array([0, 0, 0.0993, 0, 0, 0, 1.0]), "tau": np.zeros(6), "dt": np.array(0.002)}


def ball(**surface) -> lw.Model:
    builder = lw.ModelBuilder("ball")
    builder.add_body("ball", lw.free_flyer("free"), inertia=lw.Inertia(2.0, np.zeros(3), np.eye(3) * 0.008))
    return builder.build().with_shapes(lw.sphere("ball", 0.1, name="skin", **surface))


def check(model, algorithm, given, rng, *, of, wrt=("q", "v", "tau"), tolerance=1e-7, step=STEP, **options):
    program = question("jvp", model, algorithm, of, wrt, **options, **EXACT).request.program()
    shapes = {x.name: x.shape for x in program.inputs}
    direction = {name: rng.normal(size=model.nv if name == "q" else shapes[name]) for name in wrt}
    rates = {name: central_difference(program, given, direction, name, model, step) for name in of}
    forth = question("jvp", model, algorithm, of, wrt, **options).program()
    found = interpret(forth, {**given, **{f"{k}_dot": d for k, d in direction.items()}})
    assert found["status"] == 0
    size = max(1.0, *(np.abs(rate).max() for rate in rates.values()))
    for name, rate in rates.items():
        np.testing.assert_allclose(found[f"{name}_dot"], rate, rtol=0, atol=tolerance * size, err_msg=name)
    weights = {name: rng.normal(size=rate.shape) for name, rate in rates.items()}
    back = question("vjp", model, algorithm, of, wrt, **options).program()
    found = interpret(back, {**given, **{f"{k}_bar": w for k, w in weights.items()}})
    assert found["status"] == 0
    total = sum(np.sum(found[f"{name}_bar"] * d) for name, d in direction.items())
    expected = sum(np.sum(weights[name] * rates[name]) for name in of)
    assert abs(total - expected) <= tolerance * sum(np.abs(rate).sum() for rate in rates.values())
    return rates


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
@pytest.mark.parametrize("condim", [1, 3, 6])
@pytest.mark.parametrize("speed", [0.0, 0.3])
def test_a_ball(cone, condim, speed, rng):
    """At rest, where friction has no direction, and rolling or sliding."""
    given = {**STANDING, "v": speed * rng.normal(size=6) - [0, 0, 2 * speed, 0, 0, 0]}
    rates = check(
        ball(condim=condim).on_ground(0.4), "contact_dynamics", given, rng, of=("a", "contact_force"), cone=cone
    )
    assert np.abs(rates["contact_force"]).max() > 1.0


def test_what_does_not_touch_changes_nothing(rng):
    given = {**STANDING, "q": np.array([0, 0, 0.5, 0, 0, 0, 1.0]), "v": rng.normal(size=6)}
    rates = check(ball().on_ground(0.4), "contact_dynamics", given, rng, of=("a", "contact_force", "gap"))
    np.testing.assert_array_equal(rates["contact_force"], 0.0)


def arm() -> lw.Model:
    """Two links on the floor, the second pushes a block; with a limit, dry friction, and a slider that follows."""
    builder = lw.ModelBuilder("arm")
    bar = lw.Inertia.box(1.0, (0.05, 0.05, 0.4)).moved(lw.Pose.from_rpy((0, 0, -0.2), (0, 0, 0)))
    cube = lw.Inertia.box(0.5, (0.1, 0.1, 0.1))
    shoulder = lw.revolute("shoulder", axis=(0, 1, 0), lower=0.0013, upper=2.0, damping=0.1, armature=0.01)
    elbow = lw.revolute("elbow", axis=(0, 1, 0), friction=20.0)
    builder.add_body("upper", shoulder, placement=at(0, 0, 0.8493), inertia=bar)
    builder.add_body("lower", elbow, parent="upper", placement=at(0, 0, -0.4), inertia=bar)
    builder.add_body("block", lw.prismatic("slide", axis=(1, 0, 0)), inertia=cube, placement=at(0.1593, 0, 0.25))
    builder.add_body("slider", lw.prismatic("rail", axis=(1, 0, 0)), inertia=cube, placement=at(0, 0.3, 0.38))
    tip = lw.sphere("lower", 0.05, at=(0, 0, -0.4), name="tip")
    shin, stone = lw.sphere("lower", 0.06, at=(0, 0, -0.2), name="shin"), lw.sphere("block", 0.1, name="stone")
    model = builder.build().with_shapes(tip, shin, stone).on_ground(0.6)
    model = model.with_contacts(lw.contact("shin", "stone", friction=0.3))
    return model.with_constraints(lw.couple("rail", "elbow", [0.0, 0.4, 0.3], name="follows"))


def at(*position) -> lw.Pose:
    return lw.Pose.from_rpy(position, (0, 0, 0))


@pytest.mark.parametrize("equality", ["hard", "soft"])
def test_pairs_limits_friction_and_equalities(equality, rng):
    model = arm()
    given = {"q": np.zeros(4), "v": np.array([0.03, 0.02, -0.01, 0.05]), "tau": 0.3 * rng.normal(size=4)}
    of = ("a", "contact_force", "limit_torque", "friction_torque", "forces")
    rates = check(
        model, "contact_dynamics", {**given, "dt": np.array(0.002)}, rng, of=of, wrt=("q", "v", "tau", "dt"),
        equality=equality,
    )  # fmt: skip
    touching = np.abs(rates["contact_force"]).max(axis=1)
    assert (touching > 1).sum() == 2 and all(np.abs(rates[name]).max() > 1e-3 for name in of)


@pytest.mark.parametrize("integrator", ["damped_euler", "euler", "implicitfast"])
def test_steps(integrator, rng):
    given = {"q": np.zeros(4), "v": np.array([0.03, 0.02, -0.01, 0.05]), "tau": np.zeros(4), "dt": np.array(0.002)}
    check(arm(), "step", given, rng, of=("q", "v", "contact_force"), integrator=integrator)
    free = {**STANDING, "v": 0.2 * rng.normal(size=6)}
    check(ball(condim=4).on_ground(0.4), "step", free, rng, of=("q", "v"), integrator=integrator)


def test_parameters_and_memory(rng):
    model = ball().on_ground(0.4)
    known = lw.default_parameters(model)
    given = {**STANDING, "v": 0.1 * rng.normal(size=6), "masses": known["masses"], "warm": rng.normal(size=6)}
    check(model, "contact_dynamics", given, rng, of=("a",), wrt=("q", "masses", "warm"), warm_start="input")
    back = question("vjp", model, "contact_dynamics", "a", "warm", warm_start="input").program()
    found = interpret(back, {**given, "a_bar": rng.normal(size=6)})
    np.testing.assert_array_equal(found["warm_bar"], 0.0)


@pytest.mark.parametrize("cone", ["elliptic", "pyramidal"])
def test_where_contacts_are_and_how_they_rub(cone, rng):
    """Placements of shapes, friction of contacts and of joints."""
    model = arm()
    known = lw.default_parameters(model, ("shape_placements", "contact_frictions", "frictions"))
    given = {"q": np.zeros(4), "v": np.array([0.3, 0.2, -0.1, 0.5]), "tau": np.zeros(4), "dt": np.array(0.002), **known}
    options = {"cone": cone}
    rubbing = {"of": ("a", "contact_force"), "wrt": ("contact_frictions", "frictions"), "step": np.longdouble(1e-5)}
    check(model, "contact_dynamics", given, rng, **rubbing, **options)
    found = question("vjp", model, "contact_dynamics", "a", ("shape_placements", "frictions"), **options)
    program = question("jvp", model, "contact_dynamics", "a", found.wrt, **options, **EXACT).request.program()
    direction = {name: rng.normal(size=known[name].shape) for name in found.wrt}
    direction["shape_placements"][:, 3:] = 0  # quaternions stay of unit length
    rate = central_difference(program, given, direction, "a", model, STEP)
    weights = rng.normal(size=4)
    back = interpret(found.program(), {**given, "a_bar": weights})
    total = sum(np.sum(back[f"{name}_bar"] * d) for name, d in direction.items())
    assert abs(total - weights @ rate) <= 1e-7 * np.abs(rate).sum() and np.abs(rate).max() > 1e-3


def test_given_friction_is_the_models_own(rng):
    """Parameters at their defaults change nothing."""
    model = arm()
    known = lw.default_parameters(model, ("shape_placements", "contact_frictions", "frictions"))
    state = np.zeros(4), np.array([0.3, 0.2, -0.1, 0.5]), np.zeros(4), 0.002
    own = lw.reference(model, "contact_dynamics", outputs="a")(*state)
    for name, value in known.items():
        same = lw.reference(model, "contact_dynamics", outputs="a", parameters=name)(*state, value)
        np.testing.assert_allclose(same, own, rtol=1e-8, err_msg=name)


def test_jacobians_compiled(rng):
    """A and B of a robot on its feet, for a batch."""
    model = arm()
    q, v = np.zeros((3, 4)), 0.05 * rng.normal(size=(3, 4))
    found = lw.jacobian(model, "step")(q, v, np.zeros((3, 4)), np.full(3, 0.002))
    assert not found.status.any()
    bars = rng.normal(size=(2, 3, 4))
    back = lw.vjp(model, "step")(q, v, np.zeros((3, 4)), np.full(3, 0.002), *bars)
    total = np.einsum("br,brc->bc", bars[0], found.dq_dv) + np.einsum("br,brc->bc", bars[1], found.dv_dv)
    np.testing.assert_allclose(total, back.v_bar, rtol=1e-8, atol=1e-8 * np.abs(back.v_bar).max())


def test_cost():
    """One more solution, with the Hessians of the last: a fraction of Newton's passes."""
    model = lw.load("quadruped")
    feet = [lw.sphere(f"{leg}_shank", 0.02, at=(0, 0, -0.2)) for leg in ("FL", "FR", "RL", "RR")]
    model = model.with_shapes(*feet).on_ground(0.6)
    for program in ("contact_dynamics", "step"):
        own = count_operations(lw.trace_program(model, program)).total
        assert count_operations(question("vjp", model, program, values=True).program()).total <= 2 * own
