"""Samples that are no numbers any more end at once, are said, and leave the samples beside them as they are."""

import warnings

import numpy as np
import pytest

import linkwright as lw

OUTPUTS = ("a", "iterations", "status")
FEW = 2  # passes until a sample that is not finite is left alone


def ball(**surface) -> lw.Model:
    builder = lw.ModelBuilder("ball")
    builder.add_body("ball", lw.free_flyer("free"), inertia=lw.Inertia(2.0, np.zeros(3), np.eye(3) * 0.008))
    return builder.build().with_shapes(lw.sphere("ball", 0.1, name="skin", **surface)).on_ground(0.8)


def two_balls() -> lw.Model:
    builder = lw.ModelBuilder("balls")
    for name in ("one", "other"):
        builder.add_body(name, lw.free_flyer(f"{name}_free"), inertia=lw.Inertia(2.0, np.zeros(3), np.eye(3) * 0.008))
    model = builder.build().with_shapes(*(lw.sphere(name, 0.1, name=f"{name}_skin") for name in ("one", "other")))
    return model.on_ground(0.5).with_contacts(lw.contact("one", "other", friction=0.3))


def four_bar() -> lw.Model:
    model = lw.load("four_bar")
    return model.with_shapes(*(lw.sphere(body.name, 0.5) for body in model.bodies[1:])).on_ground(0.5)


MECHANISMS = {
    "elliptic": (ball(), {}), "pyramidal": (ball(), {"cone": "pyramidal"}), "spinning": (ball(condim=6), {}),
    "two balls": (two_balls(), {}), "hard loop": (four_bar(), {}), "soft loop": (four_bar(), {"equality": "soft"}),
    "MuJoCo's end": (two_balls(), {"improvement": 1e-8}),
}  # fmt: skip


def states(model: lw.Model, count: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    q = np.tile(model.drawn, (count, 1))
    for place in (own for i, own in enumerate(model.iq) if i and model.joints[i - 1].moves.is_free):
        q[:, place.start : place.start + 2] = 0.08 * rng.normal(size=(count, 2))
        q[:, place.start + 2] = 0.099
    v, tau = 0.3 * rng.normal(size=(2, count, model.nv))
    return {"q": q, "v": v, "tau": tau, "dt": np.full(count, 0.002)}


@pytest.mark.parametrize("name", MECHANISMS)
def test_samples_that_are_not_finite_end_at_once(name):
    model, options = MECHANISMS[name]
    solve = lw.reference(model, "contact_dynamics", outputs=OUTPUTS, **options)
    given = states(model, 16)
    usual = solve(**given)
    ill = {key: x.copy() for key, x in given.items()}
    lost = [(n, key, bad) for n, (key, bad) in enumerate(
        (key, bad) for bad in (np.nan, np.inf, -np.inf) for key in ("q", "v", "tau")
    )]  # fmt: skip
    for n, key, bad in lost:
        ill[key][n, -1] = bad
    ill["v"][len(lost)] = 1e200  # finite, but its squares are not
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        found = solve(**ill)
    gone = np.arange(16) <= len(lost)
    assert (found.status[gone] == 3).all(), "not finite"
    assert (found.iterations[gone] <= FEW).all(), found.iterations
    for one, other in zip(found, usual, strict=True):
        np.testing.assert_array_equal(np.asarray(one)[~gone], np.asarray(other)[~gone])


def test_compiled_too():
    model, options = MECHANISMS["two balls"]
    solve = lw.compile(model, "contact_dynamics", outputs=OUTPUTS, **options)
    given = states(model, 64)
    usual = solve(**given)
    ill = {**given, "q": given["q"].copy()}
    ill["q"][::8, 0] = np.nan
    found, gone = solve(**ill), np.arange(64) % 8 == 0
    assert (found.status[gone] == 3).all() and (found.iterations[gone] <= FEW).all()
    assert not usual.status.any() and usual.iterations.max() > 1, "or there would be nothing to wait for"
    for one, other in zip(found, usual, strict=True):
        np.testing.assert_array_equal(np.asarray(one)[~gone], np.asarray(other)[~gone])
