"""Guards in programs: the body's values where their condition holds, elsewhere others; the body may be skipped."""

from __future__ import annotations

import numpy as np
import pytest

from linkwright.errors import InputError, TraceError, UnsupportedError
from linkwright.programs.functions import explicit
from linkwright.scalar import cos, guard, log, sin, sqrt, until, where
from linkwright.trace import count_operations, directional_derivative, interpret, jacobian, simplify, trace
from linkwright.trace.ops import LEAVES, LOOPS, TRUTH_VALUED, Op


def contact(x):
    """A force that exists below a height, from a body that is no number above it."""
    depth = 1.0 - x[0]

    def force():
        root = sqrt(depth)
        return [root * depth + x[1] * root, log(root)]

    normal, strain = guard(x[0] < 1.0, force, [0.0, x[1]], expected=0.25)
    return {"normal": normal, "strain": strain, "depth": depth}


X = np.array([[0.5, 2.0], [3.0, -1.0], [0.25, 0.0], [1.0, 7.0]])


def computed(program) -> set[Op]:
    return {node[0] for node in program.nodes} - LEAVES - LOOPS


def test_what_a_guard_means():
    near = X[:, 0] < 1.0
    depth = np.where(near, 1.0 - X[:, 0], 1.0)
    expected = np.where(near, depth**1.5 + X[:, 1] * np.sqrt(depth), 0.0)
    program = trace(contact, {"x": 2})
    for p in (program, simplify(program)):
        found = interpret(p, {"x": X})
        assert np.allclose(found["normal"], expected, rtol=1e-15)
        assert np.array_equal(found["strain"], np.where(near, np.log(np.sqrt(depth)), X[:, 1]))
        for k, x in enumerate(X):
            assert interpret(p, {"x": x})["normal"] == found["normal"][k]
    assert np.allclose(contact(X.T)["normal"], expected, rtol=1e-15)
    assert contact(X[1])["strain"] == -1.0  # the body, a root of a negative number, is not even called


def test_what_is_computed_inside_stays_inside():
    program = simplify(trace(contact, {"x": 2}))
    assert Op.SQRT not in computed(program) and Op.SQRT in computed(program.loops[0].body)
    assert not any(node[0] is Op.SUB for node in program.loops[0].body.nodes)  # the depth is needed outside


def test_what_is_there_already_is_not_computed_again():
    def function(x):
        known = sin(x[0]) * x[1] + 3.0
        again = guard(x[1] > 0.0, lambda: [cos(x[1] * sin(x[0]) + 3.0)], [0.0])[0]
        deep = guard(x[1] > 0.0, lambda: guard(x[0] > 0.0, lambda: [cos(x[1] * sin(x[0]) + 3.0)], [1.0]), [0.0])[0]
        return {"known": known, "again": again, "deep": deep}

    program = simplify(trace(function, {"x": 2}))
    assert computed(program.loops[0].body) - TRUTH_VALUED == {Op.COS, Op.SELECT}
    assert computed(program.loops[1].body.loops[0].body) - TRUTH_VALUED == {Op.COS, Op.SELECT}
    found = interpret(program, {"x": X})
    inner = np.cos(np.sin(X[:, 0]) * X[:, 1] + 3.0)
    assert np.allclose(found["again"], np.where(X[:, 1] > 0.0, inner, 0.0), rtol=1e-15)
    assert np.array_equal(found["deep"], found["again"])


def test_a_loop_within_a_guard_is_skipped_with_it():
    def function(x):
        def body():
            rate = x[1] * x[1] + 0.1
            return until(lambda s: ([s[0] * 0.5 + rate], s[0] > 3.0), [x[0]], limit=5)

        return guard(x[0] > 0.4, body, [-1.0])

    program = simplify(trace(function, {"x": 2}))
    (outer,) = program.loops
    assert Op.MUL in computed(outer.body) and len(outer.body.loops) == 1  # moved out of the loop, but no further
    assert not computed(program) & {Op.MUL, Op.ADD}
    found = interpret(program, {"x": X})["out"][:, 0]
    with np.errstate(over="ignore"):
        assert np.allclose(found, function(X.T)[0])
    assert found[2] == -1.0 and found[0] != -1.0


def test_a_guard_within_a_loop():
    def function(x):
        def body(s):
            total, k = s
            added = guard(k > x[0], lambda: [sqrt(k - x[0])], [0.0])[0]
            return [total + added, k + 1.0], k >= 6.0

        return until(body, [0.0, 0.0], limit=9)

    program = simplify(trace(function, {"x": 2}))
    loop = program.loops[0].body
    assert Op.SQRT in computed(loop.loops[0].body) and Op.SQRT not in computed(loop) | computed(program)
    found = interpret(program, {"x": X})["out"][:, 0]
    assert np.allclose(found, [sum(np.sqrt(max(k - x, 0.0)) for k in range(7)) for x in X[:, 0]], rtol=1e-14)
    assert np.allclose([float(function(x)[0]) for x in X], found, rtol=1e-15)


def test_a_sample_that_needs_no_guard_enters_no_loop_within():
    program = simplify(trace(lambda x: guard(x[0] > 9.0, lambda: until(
        lambda s: ([s[0] * 2.0], s[0] > x[1]), [1.0], limit=50), [0.0]), {"x": 2}))  # fmt: skip
    body = program.loops[0].body
    (until_node,) = [node for node in body.nodes if node[0] is Op.UNTIL]
    assert body.nodes[until_node[2 + body.loops[0].carried - 1]][0] is Op.SELECT


def test_a_loop_may_start_outside_of_the_one_that_it_reads():
    def function(x):
        def body(s):
            inner = until(lambda r: ([r[0] + s[0]], r[0] > 5.0), [x[1]], limit=3)
            return [s[0] + inner[0]], s[0] > x[0]

        return until(body, [x[0]], limit=4)

    found = interpret(simplify(trace(function, {"x": 2})), {"x": X})["out"][:, 0]
    assert np.array_equal(found, function(X.T)[0])


def test_known_conditions_are_no_guards():
    program = trace(lambda x: [*guard(True, lambda: [x[0]], [1.0]), *guard(False, lambda: [x[0]], [x[1]])], {"x": 2})
    assert not program.loops
    assert np.array_equal(interpret(program, {"x": X})["out"], X)


def test_truth_values_and_constants_cross():
    def function(x):
        positive = x[1] > 0.0
        return guard(x[0] < 1.0, lambda: [where(positive, 1.0, 2.0), 5.0], [0.0, x[1]])

    program = simplify(trace(function, {"x": 2}))
    assert np.array_equal(interpret(program, {"x": X})["out"], [[1.0, 5.0], [0.0, -1.0], [2.0, 5.0], [0.0, 7.0]])


def test_counts_are_setup_and_share():
    operations = count_operations(simplify(trace(contact, {"x": 2})))
    (part,) = operations.loops
    assert part.passes == 0.25 and part.limit == 1
    assert operations.setup == 3  # depth, comparison, choice of who needs it
    assert operations.square_roots == round(0.25 * part.body.square_roots)


def test_what_nobody_needs_is_not_computed():
    program = simplify(trace(lambda x: contact(x)["normal"], {"x": 2}))
    assert program.loops[0].carried == 2 and Op.LOG not in computed(program.loops[0].body)
    assert not simplify(trace(lambda x: contact(x)["depth"], {"x": 2})).loops


def test_derivatives_pass_through_guards():
    program = trace(lambda x: guard(x[0] < 1.0, lambda: [
        sqrt(1.0 - x[0]) * x[1], *guard(x[1] > 1.0, lambda: [log(x[1] - 1.0) * x[0]], [x[0] * x[0]])
    ], [x[1] * x[1], 3.0]), {"x": 2})  # fmt: skip
    whole = simplify(jacobian(program, "out", "x"))
    found = interpret(whole, {"x": X})["dout_dx"]
    assert np.isfinite(found).all()
    step = 1e-6
    for x, slopes in zip(X, found, strict=True):
        if x[0] != 1.0:  # where the condition changes there is no derivative
            ends = [interpret(program, {"x": x + e})["out"] for e in (*np.eye(2) * step, *np.eye(2) * -step)]
            numeric = np.stack([ends[0] - ends[2], ends[1] - ends[3]], axis=1) / (2 * step)
            assert np.allclose(slopes, numeric, rtol=1e-7, atol=1e-8)
    assert np.array_equal(found[1], [[0.0, -2.0], [0.0, 0.0]])
    assert len(whole.loops) == 1 and Op.SQRT not in computed(whole)  # one guard computes values and all slopes
    twice = directional_derivative(directional_derivative(program, {"x": "v"}), {"x": "v"}, suffix="_again")
    curved = interpret(simplify(twice), {"x": X[1], "v": np.array([2.0, 3.0])})
    assert np.array_equal(curved["out_rate_again"], [18.0, 0.0])


def test_mistakes_are_named():
    with pytest.raises(TraceError, match="returned 1 values; otherwise there are 2"):
        trace(lambda x: guard(x[0] > 0.0, lambda: [x[0]], [x[0], 0.0]), {"x": 1})
    with pytest.raises(TraceError, match="returned 1 values; otherwise there are 2"):
        guard(True, lambda: [1.0], [1.0, 0.0])
    with pytest.raises(InputError, match="share of 3"):
        guard(True, lambda: [1.0], [1.0], expected=3)
    with pytest.raises(TraceError, match="truth value"):
        trace(lambda x: guard(x[0] > 0.0, lambda: [x[0] > 1.0], [0.0]), {"x": 1})
    kept = []
    with pytest.raises(TraceError, match="inside of a loop"):
        trace(lambda x: guard(x[0] > 0.0, lambda: kept.append(x[0] + 1.0) or [x[0]], [0.0])[0] + kept[0], {"x": 1})
    with pytest.raises(UnsupportedError, match="loop or a guard"):
        explicit("a", "b", lambda x: guard(x[0] > 0.0, lambda: [x[0]], [0.0]))


def test_a_body_that_fails_leaves_the_trace_as_it_was():
    def function(x):
        with pytest.raises(ZeroDivisionError):
            guard(x[0] > 0.0, lambda: [x[0] + 1 / 0], [0.0])
        return x[0] * 2.0

    assert not trace(function, {"x": 1}).loops


def test_listing():
    assert "= guard, from 0.0, x[1]" in str(simplify(trace(contact, {"x": 2})))
