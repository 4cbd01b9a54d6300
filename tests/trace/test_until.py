"""Loops in programs: traced, simplified, interpreted and run on numbers as they are written."""

from __future__ import annotations

import numpy as np
import pytest

from linkwright.errors import TraceError, UnsupportedError
from linkwright.scalar import sqrt, until, where
from linkwright.trace import count_operations, interpret, jacobian, simplify, trace
from linkwright.trace.ops import Op


def square_root(x):
    """Newton's method; also how many passes it took."""

    def body(values):
        y, count = values
        new = 0.5 * (y + x[0] / y)
        return [new, count + 1.0], abs(new - y) <= 1e-14 * new

    y, count = until(body, [1.0, 0.0], limit=60)
    return {"root": y, "passes": count}


def nested(x):
    """The sum of k^2 for k to x[0], squares by repeated addition, times something from outside both loops."""
    factor = sqrt(x[1])

    def body(values):
        k, total = values
        square, _ = until(lambda s: ([s[0] + k, s[1] + 1.0], s[1] + 1.0 >= k), [0.0, 0.0], limit=50)
        return [k + 1.0, total + square * factor], k >= x[0]

    return {"sum": until(body, [1.0, 0.0], limit=50)[1]}


X = np.array([[2.0, 4.0], [1.0, 9.0], [7.0, 1.0], [12.0, 2.25]])


def test_what_a_loop_means():
    expected = square_root(X.T)
    program = trace(square_root, {"x": 2})
    for p in (program, simplify(program)):
        found = interpret(p, {"x": X})
        assert np.array_equal(found["root"], expected["root"]) and np.array_equal(found["passes"], expected["passes"])
    assert np.allclose(expected["root"], np.sqrt(X[:, 0]), rtol=1e-15)
    assert expected["passes"][1] == 1 and len(set(expected["passes"])) > 2  # samples end by themselves
    assert square_root([2.0, 0.0])["root"] == expected["root"][0]


def test_loops_nest():
    n = X[:, 0]
    exact = n * (n + 1) * (2 * n + 1) / 6 * np.sqrt(X[:, 1])
    assert np.allclose(interpret(simplify(trace(nested, {"x": 2})), {"x": X})["sum"], exact, rtol=1e-14)
    assert np.allclose(nested(X.T)["sum"], exact, rtol=1e-14)


def test_the_limit_ends_a_loop():
    program = trace(lambda x: until(lambda s: ([s[0] + x[0]], s[0] > 1e9), [0.0], limit=5), {"x": 1})
    assert interpret(program, {"x": np.array([2.0])})["out"] == 10.0
    program = trace(lambda x: until(lambda s: ([s[0] + x[0]], s[0] > 1e9), [0.0], limit=0), {"x": 1})
    assert interpret(program, {"x": np.array([2.0])})["out"] == 0.0


def test_what_is_done_from_the_start_does_not_enter():
    program = trace(lambda x: until(lambda s: ([s[0] * 2.0], False), [x[0]], done=x[0] > 3.0, limit=2), {"x": 1})
    assert np.array_equal(interpret(program, {"x": np.array([[1.0], [5.0]])})["out"][:, 0], [4.0, 5.0])


def test_a_sample_that_left_the_outer_loop_does_not_enter_the_inner_one():
    """Otherwise lanes that are done would keep the others waiting; it shows in the inner loop's first `running`."""
    program = simplify(trace(nested, {"x": 2}))
    body = program.loops[0].body
    (until_node,) = [node for node in body.nodes if node[0] is Op.UNTIL]
    first_running = body.nodes[until_node[2 + body.loops[0].carried - 1]]
    assert first_running[0] is Op.SELECT and body.nodes[first_running[1]][0] is Op.LT


def test_nan_ends_no_loop_early_and_spoils_no_neighbour():
    x = np.array([[np.nan, 0.0], [9.0, 0.0]])
    found = interpret(simplify(trace(square_root, {"x": 2})), {"x": x})
    assert found["root"][1] == 3.0 and np.isnan(found["root"][0]) and found["passes"][0] == 60


def test_truth_values_of_the_outside():
    def function(x):
        large = x[0] > 3.0
        return until(lambda s: ([s[0] + where(large, 10.0, 1.0)], large & (s[0] > 15.0)), [0.0], limit=4)

    program = simplify(trace(function, {"x": 1}))
    assert np.array_equal(interpret(program, {"x": np.array([[1.0], [5.0]])})["out"][:, 0], [4.0, 30.0])


def test_what_does_not_change_is_computed_before_the_loop():
    program = simplify(trace(lambda x: until(lambda s: ([s[0] + x[0] * x[1]], s[0] > x[0]), [0.0], limit=9), {"x": 2}))
    assert any(node[0] is Op.MUL for node in program.nodes)
    assert not any(node[0] is Op.MUL for node in program.loops[0].body.nodes)


def test_what_nobody_needs_is_not_carried():
    def function(x):
        def body(s):
            return [s[0] + 1.0, s[1] * x[1] + s[2], s[2] * 2.0], s[0] > x[0]

        count, value, _ = until(body, [0.0, 1.0, 1.0], limit=9)
        return {"count": count, "value": value}

    both = simplify(trace(function, {"x": 2}))
    assert both.loops[0].carried == 4  # with `running`
    counted = simplify(trace(lambda x: {"count": function(x)["count"]}, {"x": 2}))
    assert counted.loops[0].carried == 2
    assert counted.inputs == both.inputs and [n for n in counted.nodes if n[0] is Op.INPUT] == [(Op.INPUT, 0, 0)]
    x = np.array([[3.0, 0.5], [1.0, 2.0]])
    assert np.array_equal(interpret(counted, {"x": x})["count"], interpret(both, {"x": x})["count"])


def test_a_loop_whose_results_nobody_needs_vanishes():
    program = trace(lambda x: (until(lambda s: ([s[0] * 2.0], s[0] > 9.0), [x[0]], limit=9), x[0])[1], {"x": 1})
    assert program.loops and not simplify(program).loops


def test_counts_are_setup_and_passes():
    def function(x):
        return until(lambda s: ([s[0] * x[0]], s[0] > 5.0), [x[0] + 1.0], limit=10, expected=2.5)

    operations = count_operations(simplify(trace(function, {"x": 1})))
    (loop,) = operations.loops
    assert operations.setup == 1 and loop.passes == 2.5 and loop.limit == 10
    assert operations.total == 1 + round(2.5 * loop.body.multiplications) + round(2.5 * loop.body.others)
    assert f"+ 2.5 x {loop.body.total} in loops" in str(operations)


def test_mistakes_are_named():
    with pytest.raises(TraceError, match="returned 1 values; it carries 2"):
        trace(lambda x: until(lambda s: ([s[0]], s[0] > 1.0), [x[0], 0.0], limit=2), {"x": 1})
    with pytest.raises(TraceError, match="truth value"):
        trace(lambda x: until(lambda s: ([s[0] > 1.0], False), [x[0]], limit=2), {"x": 1})
    kept = []

    def leaking(x):
        until(lambda s: (kept.append(s[0]) or [s[0]], s[0] > 1.0), [x[0]], limit=2)
        return x[0] + kept[0]

    with pytest.raises(TraceError, match="leave a loop only as what it carries"):
        trace(lambda x: {"y": until(lambda s: ([s[0]], s[0] > 1.0), [x[0]], limit=2)[0], "z": leaking(x)}, {"x": 1})
    with pytest.raises(UnsupportedError, match="loop that ends when a condition holds"):
        jacobian(trace(square_root, {"x": 2}), "root", "x")


def test_listing():
    text = str(simplify(trace(nested, {"x": 2})))
    assert text.count("until, at most 50 times") == 2 and "result" in text
