"""Functions of CasADi compared with the compiled ones they were made from."""

import functools

import numpy as np
import pytest

import linkwright as lw
from linkwright import scalar
from linkwright.errors import InputError, UnsupportedError
from linkwright.export.casadi_function import _identifier

casadi = pytest.importorskip("casadi", reason="casadi is not installed")


@functools.cache
def robot(name):
    return lw.load(name)


def states(function, model, count=3):
    rng = np.random.default_rng(5)
    for k in range(count):
        arrays = []
        for spec in function.inputs:
            if model is not None and spec.name in ("q", "q0", "q1") and spec.shape == (model.nq,):
                arrays.append(model.random_configuration(len(spec.name) + k))
            elif spec.name == "dt":
                arrays.append(np.array(1e-3))
            else:
                arrays.append(rng.normal(size=spec.shape))
        yield arrays


def as_tuple(found):
    return found if isinstance(found, tuple) else (found,)


def assert_close(found, wanted, tolerance):
    wanted = np.asarray(wanted)
    assert np.abs(np.asarray(found).ravel() - wanted.ravel()).max(initial=0) <= tolerance * max(
        1.0, np.abs(wanted).max(initial=0)
    )


PROGRAMS = [
    ("quadruped", "aba"), ("quadruped", "rnea"), ("quadruped", "crba"), ("quadruped", "forward_kinematics"),
    ("quadruped", "centroidal_momentum"), ("quadruped", "kinetic_energy"), ("quadruped", "center_of_mass"),
    ("quadruped", "potential_energy"), ("quadruped", "gravity_torques"), ("quadruped", "coriolis_torques"),
    ("random_tree:1,5", "aba"), ("random_tree:1,5", "rnea"), ("random_tree:1,5", "integrate"),
    ("random_tree:1,5", "difference"), ("random_tree:1,5", "bias_torques"), ("four_bar", "constraint_jacobian"),
    ("four_bar", "constraint_error"), ("four_bar", "constraint_bias"), ("slider_crank", "cluster_aba"),
    ("chain:12", "aba"), ("chain:12", "ltl_factor"), ("chain:12", "centroidal_momentum_matrix"),
]  # fmt: skip


@pytest.mark.parametrize("name, algorithm", PROGRAMS)
def test_expressions_agree(name, algorithm):
    function = lw.compile(robot(name), algorithm)
    exported = lw.export_casadi(function)
    for arrays in states(function, robot(name)):
        found = as_tuple(exported(*(x if x.ndim else float(x) for x in arrays)))
        for one, wanted in zip(found, as_tuple(function(*arrays)), strict=True):
            assert_close(one.full(), wanted, 1e-14)


def test_a_solver_with_counted_iterations():
    """Its penalties magnify roundings, and CasADi fuses no products with sums: it agrees as far as it is accurate."""
    function = lw.compile(robot("four_bar"), "lcaba", iterations=5)
    arrays = next(states(function, robot("four_bar")))
    for one, wanted in zip(as_tuple(lw.export_casadi(function)(*arrays)), as_tuple(function(*arrays)), strict=True):
        assert_close(one.full(), wanted, 1e-9)


def converging(x, A):
    """A loop that ends by itself, a guard, and a counted loop over a table."""
    (root, _) = scalar.until(
        lambda s: ([0.5 * (s[0] + x[0] / s[0]), s[1] + 1.0], abs(s[0] * s[0] - x[0]) < 1e-15), [x[0], 0.0], limit=12
    )
    (extra,) = scalar.guard(x[1] > 0.0, lambda: [scalar.sqrt(x[1])], [0.0])
    add = lambda c, row: ([c[0] + row[0] * root], [row[1] * c[0]])  # noqa: E731
    (total,), rows = scalar.repeat(add, [extra], count=3, tables=[A])
    return {"total": total, "rows": rows, "chosen": scalar.where(x[1] < 0.0, scalar.maximum(x[0], x[1]), root)}


@pytest.mark.parametrize("second", [0.7, -0.7])
def test_loops_have_a_fixed_number_of_passes(second):
    function = lw.compile(converging, inputs={"x": 2, "A": (3, 2)})
    x, A = np.array([2.0, second]), np.random.default_rng(0).normal(size=(3, 2))
    for passes in (None, 9):
        for one, wanted in zip(lw.export_casadi(function, passes=passes)(x, A), function(x, A), strict=True):
            assert_close(one.full(), wanted, 1e-14)
    unfinished = lw.export_casadi(function, passes=1)(x, A)[0]
    assert abs(float(unfinished) - function(x, A)[0]) > 1e-3


def test_an_expression_is_differentiated_by_casadi():
    function = lw.compile(robot("chain:4"), "aba")
    exported = lw.export_casadi(function)
    arrays = next(states(function, robot("chain:4")))
    slopes = exported.jacobian()(*arrays, exported(*arrays))[0].full()
    assert_close(slopes, lw.jacobian(robot("chain:4"), "aba", wrt="q")(*arrays), 1e-12)


CALLED_BACK = [("random_tree:1,5", "rnea"), ("four_bar", "lcaba"), ("random_tree:1,5", "integrate")]


@pytest.mark.parametrize("name, algorithm", CALLED_BACK)
def test_a_callback_has_our_values_and_jacobians(name, algorithm):
    model = robot(name)
    function = lw.compile(model, algorithm, outputs=None)
    exported = lw.export_casadi(function, kind="MX")
    symbols = [casadi.MX.sym(x.name, *(x.shape or (1,))) for x in function.inputs]
    first = as_tuple(exported(*symbols))[0]
    weight = np.arange(1.0, first.numel() + 1)
    total = casadi.dot(first, weight)
    whole = casadi.Function("whole", symbols, [total, *(casadi.gradient(total, x) for x in symbols)])
    arrays = next(states(function, model))
    value, *gradients = whole(*arrays)
    assert_close(value, weight @ as_tuple(function(*arrays))[0].ravel(), 1e-14)
    rates = lw.vjp(model, algorithm, of=function.outputs[0].name)
    weights = weight
    if algorithm == "integrate":
        return check_by_differences(function, arrays, weight, gradients)
    wanted = as_tuple(rates(*arrays, weights.reshape(function.outputs[0].shape)))
    for spec, found, tangent in zip(function.inputs, gradients, wanted, strict=False):
        if spec.name != "q" or algorithm == "lcaba":  # there joints turn about axes, and solutions are good to 1e-9
            assert_close(found.full(), tangent, 1e-12 if algorithm == "rnea" else 1e-9)
        else:  # along integrate(q, dq)
            ends = [[model.integrate(arrays[0], h * x) for x in np.eye(model.nv)] for h in (1e-6, -1e-6)]
            step = np.subtract(*ends)
            assert_close(step @ found.full().ravel() / 2e-6, tangent, 1e-8)
    return None


def check_by_differences(function, arrays, weight, gradients):
    rng = np.random.default_rng(1)
    for k in (1,):  # the velocity, a plain vector
        along = rng.normal(size=arrays[k].shape)
        ends = [list(arrays) for _ in range(2)]
        ends[0][k], ends[1][k] = arrays[k] + 1e-6 * along, arrays[k] - 1e-6 * along
        change = weight @ (function(*ends[0]) - function(*ends[1])) / 2e-6
        assert abs(change - along @ gradients[k].full().ravel()) < 1e-7 * max(1.0, abs(change))


def test_matrices_come_column_by_column_in_jacobians():
    def picked(x, A):
        return {"B": [[A[0, 0] * x[0], A[0, 1]], [x[1] * A[1, 0], A[1, 2]]]}

    function = lw.compile(picked, inputs={"x": 2, "A": (2, 3)})
    x, A = casadi.MX.sym("x", 2), casadi.MX.sym("A", 2, 3)
    values = np.array([2.0, 3.0]), np.arange(6.0).reshape(2, 3)
    slopes = []
    for kind in ("SX", "MX"):
        B = lw.export_casadi(function, kind=kind)(x, A)
        slopes.append(casadi.Function("J", [x, A], [casadi.jacobian(B, A), casadi.jacobian(B, x)])(*values))
    for one, other in zip(*slopes, strict=True):
        assert np.array_equal(one.full(), other.full())


def long_loop(x):
    inner = lambda s: ([scalar.sin(s[0] + x[0])], s[0] < -2.0)  # noqa: E731
    return scalar.until(lambda s: (scalar.until(inner, s, limit=1000), s[0] < -3.0), [x[0]], limit=1000)


def test_bad_input():
    function = lw.compile(robot("four_bar"), "lcaba")
    with pytest.raises(UnsupportedError, match="give passes="):
        lw.export_casadi(lw.compile(long_loop, inputs={"x": 1}))
    with pytest.raises(InputError, match="expected 'SX' or 'MX'"):
        lw.export_casadi(function, kind="DM")
    with pytest.raises(InputError, match="positive whole number"):
        lw.export_casadi(function, passes=0)
    with pytest.raises(UnsupportedError, match="double precision"):
        lw.export_casadi(lw.compile(lambda x: x[0], inputs={"x": 1}, dtype="float32"))
    with pytest.raises(InputError, match="expected what compile"):
        lw.export_casadi(converging)
    assert _identifier("3 a__b!") == "f_3_a_b" and _identifier("jac") == "f_jac"
