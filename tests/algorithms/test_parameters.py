"""Numbers of the model as inputs of the call."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError, UnsupportedError
from linkwright.model.parameters import PARAMETER_NAMES
from linkwright.model.passive import Tendon
from linkwright.robots.random import random_tree

CHOICES = [("gravity",), ("masses",), ("inertias",), ("placements",), ("springs", "dampings", "armatures"), tuple(
    name for name in PARAMETER_NAMES if name != "masses"
)]


@pytest.mark.parametrize("names", CHOICES, ids="+".join)
def test_own_values_change_nothing(names, rng, backend):
    model = random_tree(7)
    q, v, tau = model.random_configuration(rng, 3), rng.normal(size=(3, model.nv)), rng.normal(size=(3, model.nv))
    own = lw.default_parameters(model, names)
    arrays = {"q": q, "v": v, "tau": tau, **{k: np.repeat(x[None], 3, axis=0) for k, x in own.items()}}
    a = backend(model, "aba", arrays, parameters=names)
    expected = lw.reference(model, "aba")(q, v, tau)
    assert np.abs(a - expected).max() < 1e-8 * (1 + np.abs(expected).max())


def test_randomized_values_act_like_another_model(rng):
    model = random_tree(11)
    inertias = lw.default_parameters(model, ("inertias",))["inertias"] * rng.uniform(0.5, 2, size=(model.nbodies, 1))
    gravity = np.array([1.0, -2.0, 3.0])
    builder = lw.ModelBuilder("other", gravity)
    for i, body in enumerate(model.bodies[1:], start=1):
        builder.add_body(
            body.name, body.joint, parent=model.bodies[body.parent].name, placement=body.placement,
            inertia=lw.Inertia.from_dynamic_parameters(inertias[i]),
        )  # fmt: skip
    other = builder.build()
    q, v, a = model.random_configuration(rng), rng.normal(size=model.nv), rng.normal(size=model.nv)
    function = lw.compile(model, "rnea", parameters=("gravity", "inertias"))
    assert [x.name for x in function.inputs] == ["q", "v", "a", "gravity", "inertias"]
    tau = function(q, v, a, gravity=gravity, inertias=inertias)
    expected = lw.reference(other, "rnea")(q, v, a)
    assert np.abs(tau - expected).max() < 1e-11 * (1 + np.abs(expected).max())


def test_one_value_per_sample(rng):
    model = random_tree(5)
    q, v = model.random_configuration(rng), rng.normal(size=model.nv)
    gravity = rng.normal(size=(6, 3))
    function = lw.compile(model, "bias_torques", parameters="gravity")
    together = function(q, v, gravity)
    for k in range(6):
        assert np.allclose(together[k], function(q, v, np.ascontiguousarray(gravity[k])), rtol=1e-12, atol=1e-12)


def test_unknown_and_conflicting_names():
    model = random_tree(1)
    with pytest.raises(InputError, match="Did you mean 'masses'"):
        lw.compile(model, "aba", parameters="massess")
    with pytest.raises(InputError, match="exclude each other"):
        lw.compile(model, "aba", parameters=("masses", "inertias"))


def geared(scale: float = 1.0) -> lw.Model:
    """A chain with a spring, two tendons (one rubs), two actuators and a rod; all their numbers times `scale`."""
    builder, bar = lw.ModelBuilder("geared"), lw.Inertia.box(1.0, (0.05, 0.05, 0.4))
    parent = "world"
    for name in ("one", "two", "three"):
        spring = {"stiffness": 3.0, "spring_reference": 0.2 * scale} if name == "two" else {}
        joint = lw.revolute(f"{name}_joint", axis="y", **spring)
        parent = builder.add_body(name, joint, parent=parent, placement=(0.1, 0, 0.4), inertia=bar)
    builder.add_frame("eye", "world", (0.6, 0.1, 0.3))
    wound = (("one_joint", 1.0), ("three_joint", -0.7))
    numbers = {"stiffness": 4.0 * scale, "damping": 0.3 * scale, "shortest": -0.05, "longest": 0.05}
    tendons = Tendon("string", wound, **numbers), Tendon("rope", wound[:1], friction=0.4 * scale)
    servo = lw.position_servo("two_joint", kp=5.0 * scale, kv=0.2 * scale, force_range=(-50.0, 50.0))
    crossed = lw.actuator("three_joint", gain=(2.0 * scale, 0.1 * scale, 0.0), bias=(0.0, 0.0, -0.1 * scale))
    model = replace(builder.build(), passive=tendons).with_actuators(servo, crossed)
    return model.with_constraints(lw.rod("three", "eye", length=0.7 * scale, name="rod"))


NUMBERS = ("spring_references", "tendons", "actuator_gains", "rod_lengths")


@pytest.mark.parametrize("contact", ["soft", None])
def test_of_springs_tendons_actuators_and_rods(contact, rng):
    """Given with the call they act as in a model that has them, and each does act."""
    model, other = geared(), geared(1.2)
    state = {"q": rng.normal(size=3), "v": rng.normal(size=3), "tau": rng.normal(size=3), "dt": 0.002}
    state |= {"ctrl": rng.normal(size=2), "act": np.zeros(0)}
    options = {"actuators": "input", "contact": contact, "baumgarte": 0.1, "outputs": ("q", "v")}
    options |= {"friction": contact is not None}  # a tendon's is the soft law's
    given = lw.default_parameters(other, NUMBERS)
    found = lw.reference(model, "step", parameters=NUMBERS, **options)(**state, **given)
    expected = lw.reference(other, "step", **options)(**state)
    np.testing.assert_allclose(found.v, expected.v, rtol=1e-6, atol=1e-8)
    own = lw.reference(model, "step", **options)(**state).v
    for name in NUMBERS:
        changed = lw.reference(model, "step", parameters=name, **options)(**state, **{name: given[name]}).v
        assert np.abs(changed - own).max() > 1e-6, name
    energy = lw.reference(model, "potential_energy", parameters=NUMBERS)
    assert energy(state["q"], **given) == pytest.approx(lw.reference(other, "potential_energy")(state["q"]))


def test_a_soft_rod_pulls_towards_the_length_given(rng):
    model, q, still = geared(), rng.normal(size=3), np.zeros(3)
    options = {"contact": "soft", "equality": "soft", "outputs": ("v",)}
    dynamics = lw.reference(model, "step", parameters="rod_lengths", **options)
    own = lw.reference(model, "step", **options)(q, still, still, 0.002)
    asked = {"q": q, "v": still, "tau": still, "dt": 0.002}
    np.testing.assert_allclose(dynamics(**asked, rod_lengths=[0.7]), own, rtol=1e-12)
    away = lw.reference(model, "constraint_error", parameters="rod_lengths")
    slope = lw.reference(model, "constraint_jacobian")(q)[0]
    apart = [slope @ dynamics(**asked, rod_lengths=[length]) for length in (0.5, 0.7, 0.9)]
    assert away(q, rod_lengths=[0.5])[0] > away(q, rod_lengths=[0.9])[0]
    assert apart[0] < apart[1] < apart[2]


def test_rods_are_planned_with_their_lengths():
    with pytest.raises(UnsupportedError, match="plans its work from the constraints' own numbers, so rod_lengths"):
        lw.compile(geared(), "cluster_aba", parameters="rod_lengths")


def test_how_many_there_are_is_part_of_what_is_compiled():
    """Also of programs that read neither constraints nor actuators."""
    model, name = lw.load("chain:3"), "link_1_joint"
    driven = model.with_actuators(lw.motor(name)).with_constraints(lw.transmission({name: 1.0, "link_2_joint": 2.0}))
    for parameter in ("actuator_gains", "gear_ratios"):
        sizes = [lw.compile(m, "crba", parameters=parameter).inputs[-1].size for m in (model, driven)]
        assert sizes[0] == 0 < sizes[1]
