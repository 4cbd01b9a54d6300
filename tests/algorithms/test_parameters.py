"""Numbers of the model as inputs of the call."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import InputError
from linkwright.model.parameters import PARAMETER_NAMES
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
