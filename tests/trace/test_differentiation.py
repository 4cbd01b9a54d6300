"""Forward-mode derivatives against finite differences, for every operation."""

import numpy as np
import pytest

from linkwright import scalar
from linkwright.errors import InputError
from linkwright.trace import Op, interpret, trace
from linkwright.trace.derivative_rules import RULES
from linkwright.trace.differentiation import directional_derivative, jacobian
from linkwright.trace.ops import LEAVES, LOOPS, TRUTH_VALUED

FUNCTIONS = {
    Op.ADD: lambda x: x[0] + x[1],
    Op.SUB: lambda x: x[0] - x[1] * x[1],
    Op.MUL: lambda x: x[0] * x[1],
    Op.DIV: lambda x: x[0] / x[1] + 2.0 / x[0],
    Op.NEG: lambda x: -(x[0] * x[1]),
    Op.SQRT: lambda x: scalar.sqrt(x[0] * x[0] + x[1]),
    Op.ABS: lambda x: abs(x[0] - 3.0) + abs(x[1]),
    Op.MIN: lambda x: scalar.minimum(x[0] * x[0], x[1]),
    Op.MAX: lambda x: scalar.maximum(x[0] * x[0], x[1]),
    Op.SIN: lambda x: scalar.sin(x[0] * x[1]),
    Op.COS: lambda x: scalar.cos(x[0] * x[1]),
    Op.ATAN2: lambda x: scalar.atan2(x[0] * x[0], x[1] - 2.0),
    Op.EXP: lambda x: scalar.exp(x[0] * x[1]),
    Op.LOG: lambda x: scalar.log(x[0] + x[1] * x[1]),
    Op.SELECT: lambda x: scalar.where((x[0] < x[1]) & ~(x[0] <= -1.0), x[0] * x[1], scalar.sin(x[1])),
}


def test_every_operation_has_a_rule():
    assert set(RULES) == set(Op) - LEAVES - TRUTH_VALUED - LOOPS  # loops are refused: test_until.py
    assert set(FUNCTIONS) == set(RULES)


@pytest.mark.parametrize("op", FUNCTIONS, ids=lambda op: op.name)
def test_against_finite_differences(op, rng):
    function = FUNCTIONS[op]
    program = jacobian(trace(lambda x: function(x), {"x": 2}), "out", "x")
    assert any(node[0] is op for node in trace(lambda x: function(x), {"x": 2}).nodes)
    x, h = rng.uniform(0.3, 2.5, size=(20, 2)), 1e-6
    found = interpret(program, {"x": x})["dout_dx"]
    for k in range(2):
        step = h * np.eye(2)[k]
        up, down = (interpret(program, {"x": x + s})["out"] for s in (step, -step))
        np.testing.assert_allclose(found[:, k], (up - down) / (2 * h), rtol=1e-6, atol=1e-7)


def test_twice_along_a_motion_gives_the_second_derivative(rng):
    def curve(x):
        return [scalar.sin(x[0]) * x[1] / (x[0] * x[0] + 1.0), scalar.atan2(x[0], x[1])]

    program = trace(curve, {"x": 2})
    once = directional_derivative(program, {"x": "v"})
    twice = directional_derivative(once, {"x": "v"}, suffix="_again")
    x, v, h = rng.uniform(0.5, 1.5, 2), rng.normal(size=2), 1e-5
    result = interpret(twice, {"x": x, "v": v})
    up, down = (interpret(once, {"x": x + s * v, "v": v})["out_rate"] for s in (h, -h))
    np.testing.assert_allclose(result["out_rate_again"], (up - down) / (2 * h), rtol=1e-7, atol=1e-8)
    assert [x.name for x in twice.inputs] == ["x", "v"]


def test_what_is_constant_costs_nothing():
    program = trace(lambda x, p: {"out": [x[0] * 3.0 + p[0], p[0] * p[0]]}, {"x": 1, "p": 1})
    derived = jacobian(program, "out", "x")
    assert interpret(derived, {"x": np.zeros(1), "p": np.zeros(1)})["dout_dx"].ravel().tolist() == [3.0, 0.0]
    assert sum(node[0] not in LEAVES for node in derived.nodes) == sum(node[0] not in LEAVES for node in program.nodes)


def test_unknown_names_are_refused():
    program = trace(lambda x: x[0], {"x": 1})
    for call in (
        lambda: jacobian(program, "out", "z"), lambda: jacobian(program, "z", "x"),
        lambda: directional_derivative(program, {"z": "v"}),
    ):  # fmt: skip
        with pytest.raises(InputError, match=r"no (input|output) named 'z'"):
            call()
