"""Every operation has everything that anybody asks of one; a new one that forgets something fails here by its name."""

import numpy as np
import pytest

from linkwright.codegen.emit import LOWERING
from linkwright.codegen.lower import LATENCY, Fused
from linkwright.trace import Op, interpret, program_from_data, program_to_data, run_on_scalars, simplify
from linkwright.trace.derivative_rules import RULES
from linkwright.trace.operations import Operations
from linkwright.trace.ops import LEAVES, LOOPS, OPERATIONS
from linkwright.trace.program import Input, Output, Program

PAIRED = {Op.SIN: Fused.SINCOS, Op.COS: Fused.SINCOS}  # computed together by one instruction
APPROXIMATED = {Op.SIN, Op.COS, Op.ATAN2, Op.EXP, Op.LOG}
SAMPLES = np.array([[0.3, 0.7, 1.9], [1.2, 0.4, 0.2], [2.5, 2.5, 0.1]])
every_operation = pytest.mark.parametrize("op", [op for op in Op if op not in LEAVES | LOOPS], ids=lambda op: op.name)


def program_of(op: Op) -> Program:
    """The operation on inputs; truth values are made of numbers, and turned into numbers in the end."""
    nodes, given = [(Op.INPUT, 0, k) for k in range(3)], []
    for k, kind in enumerate(OPERATIONS[op].takes):
        if kind == "truth":
            nodes.append((Op.LT, k, (k + 1) % 3))
        given.append(k if kind == "number" else len(nodes) - 1)
    nodes.append((op, *given))
    if OPERATIONS[op].gives == "truth":
        nodes.append((Op.SELECT, len(nodes) - 1, 0, 1))
    return Program(op.name, tuple(nodes), (Input("x", (3,)),), (Output("y", (1,), (len(nodes) - 1,)),)).check()


@every_operation
def test_it_is_in_every_table(op):
    known = OPERATIONS[op]
    assert {known.gives, *known.takes} <= {"number", "truth"}
    assert hasattr(Operations(), known.counted_as), f"{op.name} is counted as {known.counted_as!r}, which is no kind"
    assert PAIRED.get(op, op) in LOWERING, f"{op.name} has no machine code in codegen/emit.py"
    assert PAIRED.get(op, op) in LATENCY, f"{op.name} has no latency in codegen/lower.py"
    assert op in RULES or known.gives == "truth", f"{op.name} has no derivative in trace/derivative_rules.py"


@every_operation
def test_numbers_and_scalars_agree(op):
    """To the last bit, but for functions that NumPy and Python's `math` each have an approximation of."""
    program = program_of(op)
    for x in SAMPLES:
        of_arrays, of_floats = interpret(program, {"x": x})["y"][0], float(run_on_scalars(program, x)["y"][0])
        np.testing.assert_array_max_ulp(of_arrays, of_floats, maxulp=4 if op in APPROXIMATED else 0)


@every_operation
def test_it_is_written_as_data_and_read_again(op):
    program = program_of(op)
    again = program_from_data(program_to_data(program), program.inputs, op.name)
    assert again == program


@every_operation
def test_simplifying_keeps_its_meaning(op):
    program = program_of(op)
    wanted = interpret(program, {"x": SAMPLES})["y"]
    np.testing.assert_array_equal(interpret(simplify(program), {"x": SAMPLES})["y"], wanted)
