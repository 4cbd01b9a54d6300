"""Derivatives of programs: forward mode on the expression graph.

Every node gets a tangent, its derivative along one direction of the inputs, written into the same graph (tangents.py,
with the rules of derivative_rules.py); tangents known to be zero cost nothing. Second derivatives come from doing it
twice.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import InputError, unknown_name
from .graph import Graph
from .program import Input, Output, Program
from .tangents import Tangents


def directional_derivative(program: Program, along: Mapping[str, str], suffix: str = "_rate") -> Program:
    """`program` with further inputs, the rates of those named in `along`, and the rate of every output.

    along={"y": "yd"} adds an input yd shaped like y, and for each output x an output x_rate: dx/dt when dy/dt = yd.
    Inputs that are named on the right and exist already are used as they are, and have themselves no rate.
    """
    numbers = {declared.name: n for n, declared in enumerate(program.inputs)}
    for name in along:
        if name not in numbers:
            raise unknown_name("input", name, numbers)
    inputs = list(program.inputs)
    for name, rate in along.items():
        shape = program.inputs[numbers[name]].shape
        if rate not in numbers:
            numbers[rate] = len(inputs)
            inputs.append(Input(rate, shape))
        elif inputs[numbers[rate]].shape != shape:
            raise InputError(f"the rate {rate!r} of {name!r} has shape {inputs[numbers[rate]].shape}; expected {shape}")
    rates = {numbers[name]: numbers[rate] for name, rate in along.items()}

    def rate_of(graph: Graph, number: int, element: int):
        return graph.input(rates[number], element) if number in rates else 0.0

    copy = Tangents(program, [rate_of])
    outputs = [copy.output(x) for x in program.outputs]
    outputs += [copy.output(x, x.name + suffix, copy.columns[0]) for x in program.outputs]
    nodes, loops = tuple(copy.graph.nodes), tuple(copy.graph.loops)
    return Program(program.name, nodes, tuple(inputs), tuple(outputs), loops).check()


def jacobian(program: Program, output: str, wrt: str) -> Program:
    """`program` with a further output "d<output>_d<wrt>" of shape (*output's, *wrt's)."""
    numbers = {declared.name: n for n, declared in enumerate(program.inputs)}
    if wrt not in numbers:
        raise unknown_name("input", wrt, numbers)
    chosen = {x.name: x for x in program.outputs}
    if output not in chosen:
        raise unknown_name("output", output, chosen)
    size = program.inputs[numbers[wrt]].size
    directions = [lambda graph, n, k, c=c: 1.0 if (n, k) == (numbers[wrt], c) else 0.0 for c in range(size)]
    copy = Tangents(program, directions)
    columns = [[copy.graph.materialise(rates[node]) for node in chosen[output].nodes] for rates in copy.columns]
    nodes = tuple(column[r] for r in range(chosen[output].size) for column in columns)
    shape = (*chosen[output].shape, *program.inputs[numbers[wrt]].shape)
    outputs = (*(copy.output(x) for x in program.outputs), Output(f"d{output}_d{wrt}", shape, nodes))
    return Program(program.name, tuple(copy.graph.nodes), program.inputs, outputs, tuple(copy.graph.loops)).check()
