"""What cannot be differentiated is refused by name; what is not smooth is right from one side; the rest is right."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.scalar import absolute, maximum, sqrt, until, where


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: lw.vjp(m, "step", wrt="structure"), "no input of 'step' named 'structure'"),
        (lambda m: lw.jacobian(m, "step", wrt="mases"), "no input of 'step' named 'mases'. Did you mean 'masses'"),
        (lambda m: lw.jacobian(m, "step", wrt="integrator"), "'integrator' is an option of 'step'"),
        (lambda m: lw.vjp(m, "lcaba", wrt=m), "wrt is Model.*; expected a name, or a sequence of names"),
        (lambda m: lw.vjp(m, "lcaba", of=3), "of is 3; expected a name"),
        (lambda m: lw.vjp(m, "lcaba", values="a"), "values is 'a'; expected True or False"),
        (lambda m: lw.vjp(lambda x: x, inputs={"x": 1}, wrt=0), "wrt is 0; expected a name"),
        (lambda m: lw.vjp(lw.compile(lambda x: x, inputs={"x": 1}), inputs={"x": 1}), "is machine code already"),
        (lambda m: lw.jvp(m, "lcaba", active="input", wrt="active"), "'active' switches"),
        (lambda m: lw.hessian_vector(m, "lcaba", of="iterations"), "tells of the way to the solution"),
        (lambda m: lw.hessian_vector(m, "aab"), "no algorithm named 'aab'"),
        (lambda m: lw.jvp(m, "contact_dynamics", of="active"), "tells of the way"),
        (lambda m: lw.vjp(m, "cluster_aba", wrt="constraint_placements"), "plans its work from the constraints' own"),
        (lambda m: lw.vjp(m, "lcaba", wrt=()), "at least one name"),
        (lambda m: lw.vjp(m, "lcaba", of=()), "at least one name"),
    ],
)  # fmt: skip
def test_refusals(ask, message):
    with pytest.raises(lw.LinkwrightError, match=message):
        ask(lw.load("four_bar"))


def test_loops_without_a_rule():
    def root(x):
        return until(lambda y: ([0.5 * (y[0] + x[0] / y[0])], absolute(y[0] * y[0] - x[0]) < 1e-12), [1.0], limit=50)

    with pytest.raises(lw.LinkwrightError, match="a loop that ends when a condition holds, and no rule"):
        lw.vjp(root, inputs={"x": 1})
    with pytest.raises(lw.LinkwrightError, match="a loop that ends when a condition holds, and no rule"):
        lw.hessian_vector(root, inputs={"x": 1})


@pytest.mark.parametrize(
    ("function", "at", "slope"),
    [
        (lambda x: absolute(x[0]), 0.0, 1.0),
        (lambda x: maximum(x[0], 0.0), 0.0, 1.0),
        (lambda x: where(x[0] > 0.0, 3.0 * x[0], x[0]), 0.0, 1.0),
        (lambda x: where(x[0] > 0.0, sqrt(x[0]), 0.0), 0.0, 0.0),  # what the other branch divides by does not matter
    ],
)
def test_kinks_are_one_sided(function, at, slope):
    x = np.array([at])
    assert lw.jacobian(function, inputs={"x": 1})(x) == slope
    assert lw.vjp(function, inputs={"x": 1})(x, 1.0) == slope
    assert lw.jvp(function, inputs={"x": 1})(x, np.ones(1)) == slope


def test_no_dependence_is_exactly_zero(rng):
    """Also through solutions: of a step with respect to what it does not read."""
    model = lw.load("four_bar")
    back = lw.vjp(model, "lcaba", of="a", wrt=("q", "lam"), warm_start="input")
    found = back(model.drawn, *rng.normal(size=(2, 3)), np.zeros(2), rng.normal(size=3))
    assert np.abs(found.q_bar).max() > 0
    np.testing.assert_array_equal(found.lam_bar, 0.0)


@pytest.mark.parametrize("algorithm", ["aba", "rnea", "crba", "step", "kinetic_energy", "forward_kinematics"])
def test_mechanisms_without_joints(algorithm):
    """Nothing varies: arrays without entries, as the programs themselves have them."""
    nothing = lw.ModelBuilder("nothing").build()
    for derivative in (lw.jacobian, lw.vjp, lw.jvp, lw.hessian_vector):
        function = derivative(nothing, algorithm)
        found = function(**{x.name: np.full(x.shape, 0.1) for x in function.inputs})
        for x in np.atleast_1d(found) if not isinstance(found, tuple) else found:
            assert not np.any(x)


def test_single_precision(rng):
    """Solutions are found in double precision whatever the arrays hold."""
    model = lw.load("four_bar")
    q, (v, tau, w) = model.drawn, rng.normal(size=(3, 3))
    exact = lw.vjp(model, "lcaba")(q, v, tau, w)
    rough = lw.vjp(model, "lcaba", dtype="float32")(*(x.astype(np.float32) for x in (q, v, tau, w)))
    assert rough.q_bar.dtype == np.float32 and rough.status == 0
    np.testing.assert_allclose(rough.q_bar, exact.q_bar, rtol=0, atol=1e-4 * np.abs(exact.q_bar).max())
