"""Counted loops over tables: traced, simplified, interpreted, differentiated and run on numbers as they are written."""

from __future__ import annotations

import numpy as np
import pytest

from linkwright.errors import InputError, TraceError
from linkwright.scalar import cos, guard, repeat, sin, sqrt, until, where
from linkwright.trace import Repeat, count_operations, interpret, jacobian, simplify, trace
from linkwright.trace.ops import LEAVES, LOOPS, Op

LENGTHS = np.array([0.1, 0.4, 0.2, 0.7, 0.3])


def chain(q, w):
    """Angles and positions along a chain: a constant table, an input as a table, something from outside."""

    def link(values, angle, length):
        heading, x = values
        heading = heading + angle
        (far,) = guard(x > 0.5, lambda: [x * x * w[0]], [x])
        return [heading, x + length * cos(heading) * sqrt(w[0] * w[0])], [x, sin(heading) * angle, far]

    (heading, x), rows = repeat(link, [0.0, 0.1], count=5, tables=[q, LENGTHS])
    return {"heading": heading, "x": x, "rows": rows}


def unrolled_chain(q, w):
    heading, x, rows = 0.0, 0.1, []
    for k in range(5):
        heading = heading + q[k]
        rows.append([x, sin(heading) * q[k], where(x > 0.5, x * x * w[0], x)])
        x = x + LENGTHS[k] * cos(heading) * sqrt(w[0] * w[0])
    return {"heading": heading, "x": x, "rows": rows}


RNG = np.random.default_rng(4)
STATE = {"q": RNG.normal(size=(7, 5)), "w": RNG.normal(size=(7, 1))}
SHAPES = {"q": 5, "w": 1}


def operations_in(program) -> set[Op]:
    return {node[0] for node in program.nodes} - LEAVES - LOOPS


def test_what_a_counted_loop_means():
    expected = interpret(trace(unrolled_chain, SHAPES), STATE)
    for program in (trace(chain, SHAPES), simplify(trace(chain, SHAPES))):
        found = interpret(program, STATE)
        assert all(np.array_equal(found[name], expected[name]) for name in expected)
        assert isinstance(program.loops[0], Repeat)
        one = interpret(program, {name: x[3] for name, x in STATE.items()})
        assert all(np.array_equal(one[name], expected[name][3]) for name in expected)
    numbers = chain(STATE["q"].T, STATE["w"].T)
    assert np.array_equal(numbers["x"], expected["x"])
    rows = [[np.broadcast_to(x, 7) for x in row] for row in numbers["rows"]]
    assert np.array_equal(np.moveaxis(rows, 2, 0), expected["rows"])


def test_what_does_not_change_is_computed_before():
    program = simplify(trace(chain, SHAPES))
    assert Op.SQRT in operations_in(program) and Op.SQRT not in operations_in(program.loops[0].body)


def test_columns_of_one_value_are_no_columns():
    table = [[1.0, k, 3.0] for k in (5.0, 6.0, 7.0)]
    program = trace(lambda x: repeat(lambda s, row: ([s[0] * row[0] + row[1] * row[2] * x[0]], []), [0.0], count=3,
                                     tables=[table])[0], {"x": 1})  # fmt: skip
    assert program.loops[0].row == 1  # and the factor 1 is gone
    assert sum(node[0] is Op.MUL for node in simplify(program).loops[0].body.nodes) == 2
    assert interpret(program, {"x": np.array([2.0])})["out"] == 2.0 * 3.0 * 18.0


def test_what_nobody_needs_is_not_computed():
    program = simplify(trace(lambda q, w: {"heading": chain(q, w)["heading"]}, SHAPES))
    loop = program.loops[0]
    assert (loop.carried, loop.row, loop.row_results) == (1, 1, 0) and operations_in(loop.body) == {Op.ADD}
    middle = simplify(trace(lambda q, w: [chain(q, w)["rows"][2][1]], SHAPES))
    assert middle.loops[0].row_results == 1
    every = interpret(trace(chain, SHAPES), STATE)["rows"]
    assert np.array_equal(interpret(middle, STATE)["out"][:, 0], every[:, 2, 1])
    assert not simplify(trace(lambda q, w: [chain(q, w)["x"], q[0]][1], SHAPES)).loops


def test_counts_are_passes_times_body():
    operations = count_operations(simplify(trace(chain, SHAPES)))
    (loop,) = operations.loops
    assert loop.passes == loop.limit == 5 and operations.setup == 2
    assert operations.sines_and_cosines == 10


def test_loops_of_every_kind_nest():
    def function(x):
        def outer(s, a):
            def inner(t, b):
                (root,) = until(lambda y: ([0.5 * (y[0] + b / y[0])], abs(y[0] * y[0] - b) < 1e-9), [1.0], limit=40)
                return [t[0] + root * a], [root]

            (total,), roots = repeat(inner, [s[0]], count=3, tables=[x])
            return [total], [roots[2][0] + a]

        def newton(s):
            (total,), rows = repeat(outer, [s[0]], count=2, tables=[[0.1, 0.2]])
            return [total, rows[1][0]], total > 3.0

        return until(newton, [0.0, 0.0], limit=4)

    x = np.abs(RNG.normal(size=(5, 3))) + 0.2
    found = interpret(simplify(trace(function, {"x": 3})), {"x": x})["out"]
    exact, last = np.zeros(5), np.sqrt(x[:, 2]) + 0.2
    for _ in range(4):
        exact = np.where(exact > 3.0, exact, exact + 0.3 * np.sqrt(x).sum(axis=1))
    assert np.allclose(found, np.stack([exact, last], axis=1), rtol=1e-7)
    assert np.allclose(np.stack(np.broadcast_arrays(*function(x.T)), axis=1), found, rtol=1e-12)


def test_derivatives_pass_through():
    for wrt in SHAPES:
        for output in ("x", "rows"):
            found = interpret(simplify(jacobian(trace(chain, SHAPES), output, wrt)), STATE)[f"d{output}_d{wrt}"]
            expected = interpret(jacobian(trace(unrolled_chain, SHAPES), output, wrt), STATE)[f"d{output}_d{wrt}"]
            assert np.allclose(found, expected, rtol=1e-13, atol=1e-14) and np.abs(expected).max() > 0.1


def test_nothing_to_repeat():
    program = trace(lambda x: repeat(lambda s: ([s[0] * 2.0], []), [x[0]], count=0)[0], {"x": 1})
    assert not program.loops and interpret(program, {"x": np.array([3.0])})["out"] == 3.0


def test_plain_tables_and_a_body_that_reads_symbols():
    table = [1.0, 2.0, 3.0, 4.0]
    program = trace(lambda x: repeat(lambda s, k: ([s[0] + k * x[0]], []), [0.0], count=4, tables=[table])[0], {"x": 1})
    assert program.loops and interpret(program, {"x": np.array([0.5])})["out"] == 5.0


def test_mistakes_are_named():
    with pytest.raises(InputError, match="3 passes was given a table of 2 rows"):
        repeat(lambda s, row: (s, []), [], count=3, tables=[[1.0, 2.0]])
    with pytest.raises(InputError, match="asked for -1 passes"):
        repeat(lambda s: (s, []), [1.0], count=-1)
    with pytest.raises(TraceError, match="returned 1 values; it carries 2"):
        trace(lambda x: repeat(lambda s: ([s[0]], []), [x[0], 0.0], count=2)[0], {"x": 1})
    with pytest.raises(TraceError, match="shapes"):
        trace(lambda x: repeat(lambda s, row: (s, []), [x[0]], count=2, tables=[[[1.0], [1.0, 2.0]]])[0], {"x": 1})
    with pytest.raises(TraceError, match="truth value"):
        trace(lambda x: repeat(lambda s: (s, [s[0] > 1.0]), [x[0]], count=2)[0], {"x": 1})


def test_listing():
    assert "= repeat, 5 times, from 0.0, 0.1" in str(simplify(trace(chain, SHAPES)))
