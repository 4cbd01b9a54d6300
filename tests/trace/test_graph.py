"""Tracing, simplification, counting, interpreting."""

import numpy as np
import pytest

from linkwright import scalar
from linkwright.errors import TraceError
from linkwright.trace import Op, Program, count_operations, interpret, simplify, trace
from linkwright.trace.program import Input, Output


def operations(function, **inputs):
    return count_operations(simplify(trace(function, inputs)))


def test_constants_fold_and_identities_vanish():
    def function(x):
        return [x[0] + 0, x[0] * 1, x[0] * 0, 0 - x[0] * -1, x[0] - x[0], x[0] / 1.0, -(-1 * x[0])]

    program = simplify(trace(function, {"x": 1}))
    assert count_operations(program).total == 0
    assert interpret(program, {"x": np.array([3.0])})["out"].tolist() == [3, 3, 0, 3, 0, 3, 3]


def test_equal_subexpressions_are_computed_once():
    assert operations(lambda x: (x[0] + x[1]) * (x[1] + x[0]), x=2).total == 2


def test_opposite_differences_share_a_node():
    counts = operations(lambda x: [(x[0] - x[1]) * x[2], (x[1] - x[0]) + x[2]], x=3)
    assert (counts.additions, counts.negations) == (2, 0)


def test_negations_move_into_additions():
    counts = operations(lambda x: x[2] + (-x[0]) * x[1], x=3)
    assert (counts.additions, counts.multiplications, counts.negations) == (1, 1, 0)


def test_common_factors_are_taken_out():
    counts = operations(lambda x: x[0] * x[1] + x[0] * x[2], x=3)
    assert (counts.additions, counts.multiplications) == (1, 1)
    counts = operations(lambda x: x[0] * 2.0 - x[0] * 3.0, x=1)
    assert counts.total == 1  # a negation


def test_dead_code_costs_nothing():
    def function(x):
        unused = scalar.sin(x[0]) * x[1]  # noqa: F841
        return x[0] + x[1]

    assert operations(function, x=2).total == 1


def test_passes_keep_the_values(rng):
    """Random expressions: simplified and plain programs agree, and agree with NumPy."""
    for _ in range(50):
        choices = rng.integers(0, 6, size=40)
        picks = rng.integers(0, 1_000_000, size=(40, 2))
        numbers = rng.choice([0.0, 1.0, -1.0, 2.0, -0.5], size=40)

        def function(x, choices=choices, picks=picks, numbers=numbers):
            values = [*x]
            for choice, (i, j), number in zip(choices, picks, numbers, strict=True):
                a, b = values[i % len(values)], values[j % len(values)]
                values.append([a + b, a - b, a * b, -a, a * number, number - b][choice])
            return values[-10:]

        program = trace(function, {"x": 4})
        x = rng.normal(size=(3, 4))
        expected = np.array([[float(value) for value in function(row)] for row in x])
        scale = 1 + np.abs(expected)
        for candidate in (program, simplify(program)):
            assert np.all(np.abs(interpret(candidate, {"x": x})["out"] - expected) < 1e-12 * scale)


def test_where_and_comparisons():
    def function(x):
        return scalar.where((x[0] < 0) | (x[1] >= 2), -x[0], scalar.minimum(x[0], x[1]))

    program = simplify(trace(function, {"x": 2}))
    x = np.array([[-1.0, 0.0], [3.0, 2.0], [1.0, 0.5]])
    assert interpret(program, {"x": x})["out"].tolist() == [1.0, -3.0, 0.5]


def test_numpy_arrays_of_symbols():
    A = np.array([[1.0, 2.0], [0.0, 3.0]])
    program = simplify(trace(lambda x: A @ np.sin(x), {"x": 2}))
    x = np.array([0.3, -1.2])
    assert np.allclose(interpret(program, {"x": x})["out"], A @ np.sin(x))


@pytest.mark.parametrize(
    "function, hint",
    [
        (lambda x: x[0] if x[0] > 0 else -x[0], "where"),
        (lambda x: x[0] == 1.0, "where"),
        (lambda x: float(x[0]), "not a number yet"),
        (lambda x: x[0] ** x[1], "not traced"),
        (lambda x: ["a"], "neither a number"),
        (lambda x: x[0] < x[1], "truth value"),
    ],
)
def test_what_has_no_meaning_for_symbols_is_refused(function, hint):
    with pytest.raises(TraceError, match=hint):
        trace(function, {"x": 2})


def test_values_cannot_leak_between_traces():
    kept = []
    trace(lambda x: kept.append(x[0]) or x[0], {"x": 1})
    with pytest.raises(TraceError, match="another trace"):
        trace(lambda x: x[0] + kept[0], {"x": 1})


@pytest.mark.parametrize(
    "nodes",
    [
        ((Op.INPUT, 0, 5),),
        ((Op.INPUT, 0, 0), (Op.ADD, 0, 1)),
        ((Op.INPUT, 0, 0), (Op.ADD, 0)),
        ((Op.INPUT, 0, 0), (Op.LT, 0, 0), (Op.ADD, 0, 1)),
        ((Op.INPUT, 0, 0), (Op.SELECT, 0, 0, 0)),
        ((Op.CONST, 1),),
    ],
)
def test_malformed_programs_are_caught(nodes):
    program = Program("bad", nodes, (Input("x", (2,)),), (Output("out", (), (len(nodes) - 1,)),))
    with pytest.raises(TraceError):
        program.check()


def test_dump_is_readable():
    text = str(simplify(trace(lambda x: {"y": x[0] * 2.0 + x[1]}, {"x": 2}, name="f")))
    assert "input x[2]" in text and "mul x[0], 2.0" in text and "output y[] = %" in text


def test_truth_values_that_are_known_join_traced_ones():
    """Also their opposites, of which Python makes numbers."""

    def evaluate(x):
        positive = x[0] > 0.0
        answers = (positive & ~True, positive & ~False, positive | ~True, positive | ~False, ~(positive & False))
        return {"y": [scalar.where(answer, 1.0, 0.0) for answer in answers]}

    program = trace(evaluate, {"x": 1})
    assert list(interpret(program, {"x": [3.0]})["y"]) == [0.0, 1.0, 1.0, 1.0, 1.0]
    assert list(interpret(program, {"x": [-3.0]})["y"]) == [0.0, 0.0, 0.0, 1.0, 1.0]
