"""Reverse mode: against forward mode for every operation, guard and loop; kinks, zeros and branches not taken."""

import numpy as np
import pytest
from test_differentiation import FUNCTIONS

from linkwright import scalar
from linkwright.errors import UnsupportedError
from linkwright.trace import (
    Measured,
    Varied,
    count_operations,
    interpret,
    jacobians,
    pullback,
    pushforward,
    simplify,
    trace,
)
from linkwright.trace.derivative_programs import Differentiation, _by_columns, _by_rows


def both_ways(function, size, x, rng):
    """(y_bar' J by reverse mode, J x_dot by forward mode); y_bar' (J x_dot) must agree."""
    program = simplify(trace(function, {"x": size}))
    of, wrt = [Measured("out")], [Varied("x")]
    back, forth = simplify(pullback(program, of, wrt)), simplify(pushforward(program, of, wrt))
    out = program.outputs[0].shape
    weights, direction = rng.normal(size=(len(x), *out)), rng.normal(size=(len(x), size))
    gradient = interpret(back, {"x": x, "out_bar": weights})["x_bar"]
    along = interpret(forth, {"x": x, "x_dot": direction})["out_dot"]
    left = np.sum(gradient * direction, axis=1)
    right = np.sum((weights * along).reshape(len(x), -1), axis=1)
    np.testing.assert_allclose(left, right, rtol=1e-11, atol=1e-11)
    return gradient


@pytest.mark.parametrize("op", FUNCTIONS, ids=lambda op: op.name)
def test_every_operation(op, rng):
    both_ways(lambda x: FUNCTIONS[op](x), 2, rng.uniform(0.3, 2.5, size=(20, 2)), rng)


def guarded(x):
    inner = scalar.guard(x[0] < 0.5, lambda: [scalar.sqrt(0.5 - x[0]) * x[1], x[2]], [x[1] * 2.0, x[0]])
    return [inner[0] * inner[1] + x[2], inner[0]]


def counted(x):
    def body(values, row):
        s, t = values
        return [s * row + t, scalar.sin(t) * x[1]], [s * t]

    (s, t), rows = scalar.repeat(body, [x[0], x[2]], count=4, tables=[[x[0], 2.0, x[1] * x[2], x[2]]])
    return [s + t, *(row[0] for row in rows)]


def nested(x):
    def body(values, row):
        inner = scalar.guard(values[0] > row, lambda: [values[0] * x[1]], [values[0] + x[2]])
        return [inner[0]], []

    (s,), _ = scalar.repeat(body, [x[0]], count=3, tables=[[0.1, 0.7, 1.2]])
    return [s * s]


@pytest.mark.parametrize("function", [guarded, counted, nested])
def test_guards_and_counted_loops(function, rng):
    both_ways(function, 3, rng.uniform(0.2, 1.1, size=(30, 3)), rng)


def test_a_guard_that_is_skipped_leaves_no_trace(rng):
    x = np.array([[0.5, 1.0, 2.0], [0.7, 1.0, 2.0]])  # at the end of the root, and beyond
    gradient = both_ways(guarded, 3, x, rng)
    assert np.isfinite(gradient).all()


def test_what_is_not_chosen_contributes_nothing():
    """An infinite slope in a branch that is not taken, times zero."""

    def function(x):
        root = scalar.sqrt(x[0])
        safe = scalar.where(x[0] > 0.0, root * x[1], x[1] * 3.0)
        logarithm = scalar.where(x[0] > 0.0, scalar.log(x[0]), 0.0)
        return [safe + logarithm + x[1] / scalar.where(x[0] > 0.0, x[0], 1.0)]

    program = simplify(trace(function, {"x": 2}))
    back = simplify(pullback(program, [Measured("out")], [Varied("x")]))
    gradient = interpret(back, {"x": np.array([[0.0, 2.0], [-1.0, 2.0]]), "out_bar": np.ones((2, 1))})["x_bar"]
    np.testing.assert_array_equal(gradient, [[0.0, 4.0], [0.0, 4.0]])


def test_nested_branches_are_left_one_after_the_other():
    def function(x):
        inner = scalar.where(x[0] > 0.0, scalar.sqrt(x[0]) * x[1], x[1])
        return [scalar.where(x[1] > 0.0, inner / x[1], x[0])]

    program = simplify(trace(function, {"x": 2}))
    back = simplify(pullback(program, [Measured("out")], [Varied("x")]))
    points = np.array([[0.0, 0.0], [4.0, 2.0], [-1.0, 2.0]])
    gradient = interpret(back, {"x": points, "out_bar": np.ones((3, 1))})["x_bar"]
    np.testing.assert_allclose(gradient, [[1.0, 0.0], [0.25, 0.0], [0.0, 0.0]], atol=1e-15)


def test_kinks_have_one_of_the_slopes():
    def function(x):
        return [abs(x[0]), scalar.minimum(x[0], x[1] * 2.0), scalar.maximum(x[0], x[1] * 2.0)]

    program = simplify(trace(function, {"x": 2}))
    question = Differentiation(program, [Measured("out")], [Varied("x")])
    for way in (_by_rows, _by_columns):
        J = interpret(way(question, ()), {"x": np.zeros(2)})["dout_dx"]
        np.testing.assert_array_equal(J, [[1, 0], [1, 0], [1, 0]])  # of abs the right one, else of the first operand


def test_open_loops_are_refused_by_name():
    def function(x):
        return scalar.until(lambda v: ([v[0] * 0.5], v[0] < 1.0), [x[0]], limit=9)

    program = simplify(trace(function, {"x": 1}, name="halving"))
    with pytest.raises(UnsupportedError, match="'halving' has a loop that ends when a condition holds"):
        pullback(program, [Measured("out")], [Varied("x")])


def test_loops_nobody_asks_about_are_no_obstacle():
    def function(x):
        found = scalar.until(lambda v: ([v[0] * 0.5], v[0] < 1.0), [x[0]], limit=9)
        return {"found": found, "square": x[0] * x[0]}

    program = simplify(trace(function, {"x": 1}))
    back = simplify(pullback(program, [Measured("square")], [Varied("x")], values=["found"]))
    result = interpret(back, {"x": np.array([3.0]), "square_bar": np.array(1.0)})
    assert result["x_bar"] == [6.0] and result["found"] == [0.375]


def test_jacobians_take_the_cheaper_way(rng):
    def wide(x):  # one output of many inputs: a row
        total = 0.0
        for k in range(20):
            total = total + scalar.sin(x[k] * x[(k + 1) % 20])
        return [scalar.exp(total)]

    program = simplify(trace(wide, {"x": 20}))
    found = jacobians(program, [Measured("out")], [Varied("x")])
    assert count_operations(found).total < 4 * count_operations(program).total
    x, weights = rng.normal(size=20), np.ones(1)
    gradient = interpret(pullback(program, [Measured("out")], [Varied("x")]), {"x": x, "out_bar": weights})["x_bar"]
    np.testing.assert_allclose(interpret(found, {"x": x})["dout_dx"][0], gradient, rtol=1e-13)
