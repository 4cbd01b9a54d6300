"""The Delassus operator, in one program and in two stages, against the dense referee."""

import numpy as np
import pytest
from loop_cases import random_graph, repeated

import linkwright as lw
from linkwright.errors import InputError
from linkwright.model import tree_of
from linkwright.programs.operator_choice import STIFFNESS, OperatorMethod, cheapest_method, stages_of
from linkwright.programs.penalties import automatic_penalties
from linkwright.programs.stages import cut
from linkwright.referee import LONG, DenseDynamics, backward_substitution, cholesky, forward_substitution
from linkwright.scalar import until, where
from linkwright.trace import count_operations, interpret, simplify, trace

ALL = ("product", "solve", "bias")
# Of solutions by sweeps relative to the largest entry of x times mu: the difference in the matrix inversion lemma.
SWEPT = 1e-13


class Expected:
    """In extended precision, straight from M, J and the bias."""

    def __init__(self, model, q, v, tau, x, mu):
        dynamics = DenseDynamics(model, q, v)
        J, drift, *_ = dynamics.constraint_rows()
        factor = cholesky(LONG, dynamics.M)
        half = forward_substitution(factor, J.T.copy())
        matrix = half.T @ half
        damped = cholesky(LONG, matrix + np.diag(1 / np.asarray(mu, dtype=LONG.dtype)))
        free = backward_substitution(factor, forward_substitution(factor, np.asarray(tau, LONG.dtype) - dynamics.bias))
        self.product = matrix @ x
        self.solve = backward_substitution(damped, forward_substitution(damped, x.astype(LONG.dtype)))
        self.bias = J @ free + drift


def check(found, expected, x, mu, method):
    assert np.abs(found.product - expected.product).max() <= 1e-11 * np.abs(expected.product).max()
    allowed = 1e-9 * np.abs(expected.solve).max()
    if method != "matrix":
        allowed += SWEPT * np.max(mu) * np.abs(x).max()
    assert np.abs(found.solve - expected.solve).max() <= allowed
    assert np.abs(found.bias - expected.bias).max() <= 1e-10 * max(1.0, np.abs(expected.bias).max())


@pytest.mark.parametrize("method", ["matrix", "sweeps"])
@pytest.mark.parametrize("seed", [pytest.param(k, marks=pytest.mark.long) if k >= 30 else k for k in range(60)])
def test_random_graphs(seed, method, rng):
    """Loops of every form, soft and stiff, with rows given twice too."""
    case = random_graph(seed)
    for model in (case.model, repeated(case.model)) if seed % 6 == 0 else (case.model,):
        x, mu = rng.normal(size=model.nc), automatic_penalties(model, 10.0 ** (seed % 7))
        function = lw.reference(model, "delassus_operator", outputs=ALL, mu="input", method=method)
        found = function(case.q, case.v, case.tau, x, mu)
        check(found, Expected(model, case.q, case.v, case.tau, x, mu), x, mu, method)


@pytest.mark.parametrize("method", [None, "matrix", "sweeps"])
@pytest.mark.parametrize("seed", [1, 12, 30])
def test_two_stages_compiled(seed, method, rng):
    case = random_graph(seed)
    model, batch = case.model, 5
    q, v, tau = model.random_configuration(rng, batch), *rng.normal(size=(2, batch, model.nv))
    x, mu = rng.normal(size=(batch, model.nc)), automatic_penalties(model, 1e3)
    operator = lw.delassus_operator(model, mu="input", method=method)
    assert operator.inputs == ("q", "mu")
    at = operator.factor(q, mu)
    product, solve, bias = at.product(x), at.solve(x), at.bias(v, tau)
    whole = lw.compile(model, "delassus_operator", outputs=ALL, mu="input", method=method)(q, v, tau, x, mu)
    for k in range(batch):
        one = operator.factor(q[k].copy(), mu)
        assert np.array_equal(one.product(x[k].copy()), product[k])
        assert np.array_equal(one.solve(x[k].copy()), solve[k])
        assert np.array_equal(one.bias(v[k].copy(), tau[k].copy()), bias[k])
        expected = Expected(model, q[k], v[k], tau[k], x[k], mu)
        check(type(whole)([a[k] for a in whole]), expected, x[k], mu, method)
        assert np.abs(product[k] - expected.product).max() <= 1e-11 * np.abs(expected.product).max()
    assert np.allclose(solve, whole.solve, rtol=1e-8) and np.allclose(bias, whole.bias)


def test_many_vectors(rng):
    """(k, nc) at one state, (B, k, nc) at several, and `count` in the one program."""
    model = lw.load("stewart_platform")
    q, x = model.random_configuration(rng, 3), rng.normal(size=(3, 4, model.nc))
    operator = lw.delassus_operator(model, outputs=("product", "solve"))
    one, several = operator.factor(q[1].copy()), operator.factor(q)
    assert np.array_equal(several.product(x)[1], one.product(x[1]))
    assert np.array_equal(several.solve(x)[:, 2], several.solve(x[:, 2]))
    whole = lw.compile(model, "delassus_operator", count=4)(q[1].copy(), x[1].copy())
    assert whole.product.shape == whole.solve.shape == (4, model.nc)
    assert np.allclose(whole.product, one.product(x[1]), rtol=1e-10, atol=1e-10)
    assert several.product(np.zeros((3, 0, model.nc))).shape == (3, 0, model.nc)


@pytest.mark.long
def test_solutions_invert_products(rng):
    model = lw.load("digit_like")  # 48 rows of rank 30
    at = lw.delassus_operator(model, mu=50.0, outputs=("product", "solve")).factor(model.drawn)
    x = rng.normal(size=(3, model.nc))
    f = at.solve(x)
    # light links make entries of 1e5, which what the sweeps leave of f (SWEPT) is multiplied by
    assert np.abs(at.product(f) + f / 50.0 - x).max() < 1e-8


def test_forces_meet_the_constraints(rng):
    """f = -solve(bias) is what LCABA's first iteration finds, up to sign."""
    model = lw.load("two_hands_with_cube")
    q, (v, tau) = model.random_configuration(rng), rng.normal(size=(2, model.nv))
    at = lw.delassus_operator(model, mu=1e3).factor(q)
    lam = lw.compile(model, "lcaba", mu=1e3, iterations=1, outputs="lam")(q, v, tau)
    assert np.abs(at.solve(at.bias(v, tau)) - lam).max() <= 1e-9 * np.abs(lam).max()


def test_inactive_constraints(rng):
    case = random_graph(6)
    model = case.model
    active = np.array([float(k != 1) for k in range(len(model.constraints))])
    on = np.repeat(active, [c.size for c in model.constraints]) == 1
    kept = [c for c, is_on in zip(model.constraints, active, strict=True) if is_on]
    fewer = model.without_constraints().with_constraints(*kept)
    x, mu = rng.normal(size=model.nc), np.full(model.nc, 20.0)
    expected = Expected(fewer, case.q, case.v, case.tau, x[on], mu[on])
    for method in ("matrix", "sweeps"):
        operator = lw.delassus_operator(model, mu=20.0, active="input", method=method)
        at = operator.factor(case.q, active)
        assert np.allclose(at.product(x)[on], expected.product.astype(float)) and not at.product(x)[~on].any()
        assert np.allclose(at.solve(x)[on], expected.solve.astype(float), rtol=1e-9)
        assert np.allclose(at.solve(x)[~on], 20.0 * x[~on])
        bias = at.bias(case.v, case.tau)
        assert np.allclose(bias[on], expected.bias.astype(float)) and not bias[~on].any()


def test_external_forces_and_parameters(rng):
    model = lw.load("quadruped").with_constraints(lw.connect("FL_foot"), lw.weld("RR_foot", "trunk"))
    q, (v, tau) = model.random_configuration(rng), rng.normal(size=(2, model.nv))
    f_ext, gravity = rng.normal(size=(model.nbodies, 6)), np.array([0.0, 1.0, -3.0])
    operator = lw.delassus_operator(model, outputs="bias", f_ext=True, parameters="gravity")
    found = operator.factor(q, gravity).bias(v, tau, f_ext)
    a = lw.reference(model.without_constraints(), "aba", f_ext=True, parameters="gravity")(q, v, tau, f_ext, gravity)
    J, drift = lw.reference(model, "constraint_jacobian")(q), lw.reference(model, "constraint_bias")(q, v)
    assert np.allclose(found, J @ a + drift, rtol=1e-10)


@pytest.mark.parametrize(
    "name", ["stewart_platform", "two_hands_with_cube", pytest.param("digit_like", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("applications", [1, 100])
def test_single_precision(name, applications, rng):
    """At default options: solutions by sweeps would lose all digits, so they are not chosen."""
    model = lw.load(name)
    q = model.random_configuration(rng, 10).astype(np.float32)
    x = rng.normal(size=(10, model.nc)).astype(np.float32)
    outputs = ("product", "solve")
    at = lw.delassus_operator(model, dtype="float32", outputs=outputs, applications=applications).factor(q)
    mu = automatic_penalties(model, STIFFNESS["float32"])
    expected = lw.reference(model, "delassus_operator", mu="input", method="matrix")(q, x, mu)
    for name in outputs:
        found, exact = getattr(at, name)(x), getattr(expected, name)
        assert np.abs(found - exact).max() < 1e-4 * np.abs(exact).max(), name


# The choice


def total(model, method, outputs, applications):
    stages = stages_of(model, method, outputs)
    late = sum(count_operations(program).total for program in stages.late.values())
    return count_operations(stages.early).total + applications * late


@pytest.mark.parametrize(
    "name",
    ["four_bar", "stewart_platform", "two_hands_with_cube", pytest.param("jansen_beast", marks=pytest.mark.long)],
)
@pytest.mark.parametrize("applications", [1, 10])
def test_the_choice_is_the_cheapest(name, applications):
    model = lw.load(name)
    for outputs in (("product",), ("product", "solve")):
        chosen = total(model, cheapest_method(model, outputs, applications), outputs, applications)
        ways = ("pv_osim", "ltl_osim", "efpa")
        others = [OperatorMethod("sweeps", "sweeps"), *(OperatorMethod("matrix", "matrix", way) for way in ways)]
        assert chosen <= min(total(model, other, outputs, applications) for other in others)


def test_what_is_counted_is_what_is_compiled():
    model = lw.load("two_hands_with_cube")
    for applications, early, product in ((1, "sweeps", 1428), (10, "matrix", 1128)):
        assert cheapest_method(model, ("product", "solve"), applications).product == early
        operator = lw.delassus_operator(model, outputs=("product", "solve"), applications=applications)
        assert operator.operations["product"].total == product


@pytest.mark.long
def test_stiff_solutions_take_the_matrix(rng):
    """At any cost: sweeps would lose as many digits as mu has."""
    model = lw.load("digit_like")
    soft, stiff = (lw.delassus_operator(model, outputs="solve", mu=mu) for mu in (1.0, 1e9))
    assert soft.operations["solve"].total < 3000 < stiff.operations["solve"].total


def test_one_program_costs_a_factorization_and_its_applications():
    """So counting one vector is enough to choose for many."""
    model = lw.load("stewart_platform")
    stages = stages_of(model, OperatorMethod("sweeps", "sweeps"), ("product",))
    function = lw.compile(model, "delassus_operator", outputs="product", count=7, method="sweeps")
    late = count_operations(stages.late["product"]).total
    assert function.operations.total == count_operations(stages.early).total + 7 * late


# Status


@pytest.mark.parametrize("method", ["matrix", "sweeps"])
def test_status_tells_where_solutions_cannot_be_believed(method, rng):
    """Rows given twice: damping alone tells their multipliers apart, so stiffness costs digits."""
    model = repeated(lw.load("four_bar"))
    q, x = model.drawn, rng.normal(size=model.nc)
    v = tau = np.zeros(model.nv)
    operator = lw.delassus_operator(model, mu="input", method=method)
    believed = []
    for stiffness in 10.0 ** np.arange(0, 16, 2):
        mu = automatic_penalties(model, stiffness)
        at, expected = operator.factor(q, mu), Expected(model, q, v, tau, x, mu).solve
        error = float(np.abs(at.solve(x) - expected).max() / np.abs(expected).max())
        assert at.status != 0 or error <= 1e-6, stiffness
        believed.append(at.status == 0)
    assert believed[0] and believed[3] and not believed[-1]
    batch = operator.factor(np.stack([q, q]), np.stack([automatic_penalties(model, s) for s in (1.0, 1e15)]))
    assert batch.status[0] == 0 < batch.status[1]
    assert operator.factor(q, np.full(model.nc, np.nan)).status == 3


# Stages


def test_stages_compute_what_the_whole_does(rng):
    """Truth values stay where they are used, outputs may be known early, and constants need no state."""

    def whole(q, x):
        is_large = q[0] * q[1] > 0.5
        return {"mixed": [where(is_large, x[0], q[1] * 2.0), x[1] * (q[0] + 1.0)], "early": [q[0] * 3.0, 5.0]}

    program = simplify(trace(whole, {"q": 2, "x": 2}))
    stages = cut(program, {"mixed": ("x",), "early": ()})
    assert [x.name for x in stages.late["early"].inputs] == ["state"]
    q, x = rng.normal(size=(20, 2)), rng.normal(size=(20, 2))
    expected, states = interpret(program, {"q": q, "x": x}), interpret(stages.early, {"q": q})
    mixed = interpret(stages.late["mixed"], {"state": states["mixed"], "x": x})["mixed"]
    assert np.array_equal(mixed, expected["mixed"])
    assert np.array_equal(interpret(stages.late["early"], {"state": states["early"]})["early"], expected["early"])


def test_stages_with_loops(rng):
    """A loop that ends early hands its results over; one that waits reads what it needs of the state."""

    def root(x, slope):
        return until(lambda y: ([0.5 * (y[0] + x / y[0])], abs(y[0] * y[0] - x) < 1e-12), [slope], limit=60)[0]

    def whole(q, x):
        early = root(q[0] * q[0] + 1.0, 1.0)
        return {"out": [early * x[0], root(x[0] * x[0] + early, q[0] * q[0] + 0.5)]}

    program = simplify(trace(whole, {"q": 1, "x": 1}))
    stages = cut(program, {"out": ("x",)})
    assert len(stages.early.loops) == len(stages.late["out"].loops) == 1
    q, x = rng.normal(size=(20, 1)), rng.normal(size=(20, 1))
    state = interpret(stages.early, {"q": q})["out"]
    found = interpret(stages.late["out"], {"state": state, "x": x})["out"]
    assert np.array_equal(found, interpret(program, {"q": q, "x": x})["out"])


# Bad input


def test_refusals():
    model = lw.load("four_bar")
    for option, value in {"count": 0, "applications": True, "method": "dense", "active": 1, "mu": -1.0}.items():
        with pytest.raises(InputError, match=option):
            lw.compile(model, "delassus_operator", **{option: value})
    with pytest.raises(InputError, match="any number of vectors"):
        lw.delassus_operator(model, count=3)
    with pytest.raises(InputError, match="output of 'delassus_operator'"):
        lw.delassus_operator(model, outputs="solv")
    with pytest.raises(InputError, match="takes no external forces"):
        lw.compile(model, "delassus_operator", outputs="product", f_ext=True)
    at = lw.delassus_operator(model, outputs="product").factor(model.drawn)
    with pytest.raises(InputError, match="made for product; make it with outputs= that include 'bias'"):
        at.bias(np.zeros(model.nv), np.zeros(model.nv))
    with pytest.raises(InputError, match="'x' has shape"):
        at.product(np.zeros(model.nc + 1))
    with pytest.raises(InputError, match="expected a Model"):
        lw.delassus_operator("four_bar")


def test_nothing_to_constrain():
    model = lw.load("quadruped").without_constraints()
    assert tree_of(model).constraints == ()
    at = lw.delassus_operator(model).factor(model.drawn)
    assert at.product(np.zeros(0)).shape == (0,)
