"""Derivatives of programs: forward mode on the expression graph.

Every node gets a tangent, its derivative along one direction of the inputs, written into the same graph; tangents known
to be zero cost nothing. Second derivatives come from doing it twice. Comparisons are constant almost everywhere, so a
selection passes on the tangent of the branch it takes; at the kink of abs, min and max one of the two slopes is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..errors import InputError, UnsupportedError, unknown_name
from .graph import Graph
from .ops import TRUTH_VALUED, Op
from .program import Input, Output, Program

Value = "int | float"  # a node's index, or a number


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
    copy = _Copy(program)
    tangents = copy.tangents(
        lambda number, element: copy.graph.input(rates[number], element) if number in rates else 0.0
    )
    outputs = [copy.output(x) for x in program.outputs]
    outputs += [copy.output(x, x.name + suffix, tangents) for x in program.outputs]
    return Program(program.name, tuple(copy.graph.nodes), tuple(inputs), tuple(outputs)).check()


def jacobian(program: Program, output: str, wrt: str) -> Program:
    """`program` with a further output "d<output>_d<wrt>" of shape (*output's, *wrt's)."""
    numbers = {declared.name: n for n, declared in enumerate(program.inputs)}
    if wrt not in numbers:
        raise unknown_name("input", wrt, numbers)
    chosen = {x.name: x for x in program.outputs}
    if output not in chosen:
        raise unknown_name("output", output, chosen)
    copy = _Copy(program)
    columns = []
    for column in range(program.inputs[numbers[wrt]].size):
        tangents = copy.tangents(lambda n, k, c=column: 1.0 if (n, k) == (numbers[wrt], c) else 0.0)
        columns.append([copy.graph.materialise(tangents[node]) for node in chosen[output].nodes])
    nodes = tuple(column[r] for r in range(chosen[output].size) for column in columns)
    shape = (*chosen[output].shape, *program.inputs[numbers[wrt]].shape)
    outputs = (*(copy.output(x) for x in program.outputs), Output(f"d{output}_d{wrt}", shape, nodes))
    return Program(program.name, tuple(copy.graph.nodes), program.inputs, outputs).check()


class _Copy:
    """A program's nodes in a graph of their own that tangents are added to."""

    def __init__(self, program: Program):
        if program.loops:
            raise UnsupportedError(
                f"program {program.name!r} has a loop that ends when a condition holds, and no rule for its "
                f"derivative; differentiate a variant with a fixed number of iterations"
            )
        self.program, self.graph = program, Graph()
        self.image: list = []
        for op, *operands in program.nodes:
            if op is Op.INPUT:
                self.image.append(self.graph.input(*operands))
            elif op is Op.CONST:
                self.image.append(operands[0])
            else:
                self.image.append(self.graph.rebuild(op, [self.image[x] for x in operands]))

    def tangents(self, of_input: Callable) -> list:
        """The tangent of every node; `of_input(number, element)` gives those of the inputs."""
        tangents: list = []
        for index, (op, *operands) in enumerate(self.program.nodes):
            if op is Op.INPUT:
                tangents.append(of_input(*operands))
            elif op is Op.CONST or op in TRUTH_VALUED:
                tangents.append(0.0)
            else:
                values = [self.image[x] for x in operands]
                rates = [tangents[x] for x in operands]
                constant = all(type(rate) is float and rate == 0.0 for rate in rates)
                tangents.append(0.0 if constant else _RULES[op](_Builder(self.graph), self.image[index], values, rates))
        return tangents

    def output(self, x: Output, name: str | None = None, values: list | None = None) -> Output:
        values = self.image if values is None else values
        return Output(name or x.name, x.shape, tuple(self.graph.materialise(values[n]) for n in x.nodes), x.labels)


class _Builder:
    """Arithmetic on values of a graph."""

    def __init__(self, graph: Graph):
        self._graph = graph

    def __getattr__(self, name: str):
        op = Op[name.upper()]
        return lambda *operands: self._graph.rebuild(op, operands)


def _product(g: _Builder, result, x, dx):
    return g.add(g.mul(dx[0], x[1]), g.mul(x[0], dx[1]))


def _quotient(g: _Builder, result, x, dx):
    return g.div(g.sub(dx[0], g.mul(result, dx[1])), x[1])


def _angle(g: _Builder, result, x, dx):
    """Of atan2(y, x): (x dy - y dx) / (x^2 + y^2)."""
    turning = g.sub(g.mul(x[1], dx[0]), g.mul(x[0], dx[1]))
    return g.div(turning, g.add(g.mul(x[0], x[0]), g.mul(x[1], x[1])))


def _chosen(comparison: str):
    def rule(g: _Builder, result, x, dx):
        return g.select(getattr(g, comparison)(x[0], x[1]), dx[0], dx[1])

    return rule


# rule(builder, the node's own value, its operands, their tangents) -> its tangent
_RULES = {
    Op.ADD: lambda g, r, x, dx: g.add(dx[0], dx[1]),
    Op.SUB: lambda g, r, x, dx: g.sub(dx[0], dx[1]),
    Op.MUL: _product,
    Op.DIV: _quotient,
    Op.NEG: lambda g, r, x, dx: g.neg(dx[0]),
    Op.SQRT: lambda g, r, x, dx: g.div(g.mul(0.5, dx[0]), r),
    Op.ABS: lambda g, r, x, dx: g.select(g.lt(x[0], 0.0), g.neg(dx[0]), dx[0]),
    Op.MIN: _chosen("le"),
    Op.MAX: lambda g, r, x, dx: g.select(g.le(x[1], x[0]), dx[0], dx[1]),
    Op.SIN: lambda g, r, x, dx: g.mul(g.cos(x[0]), dx[0]),
    Op.COS: lambda g, r, x, dx: g.neg(g.mul(g.sin(x[0]), dx[0])),
    Op.ATAN2: _angle,
    Op.EXP: lambda g, r, x, dx: g.mul(r, dx[0]),
    Op.LOG: lambda g, r, x, dx: g.div(dx[0], x[0]),
    Op.SELECT: lambda g, r, x, dx: g.select(x[0], dx[1], dx[2]),
}
