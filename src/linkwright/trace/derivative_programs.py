"""Programs for derivatives of a program: along a direction, of a weighted sum of outputs, and all partial derivatives.

    pushforward    J times a direction: inputs x_dot, outputs y_dot (forward mode)
    pullback       J' times weights: inputs y_bar, outputs x_bar (reverse mode)
    jacobians      J itself, outputs dy_dx: column by column or row by row, whichever takes fewer operations

What is asked about may live on a manifold. An input there is varied by way of another one that is zero (`Varied.by`),
an output's change is measured by a matrix that is an output of its own (`Measured.chart`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from ..errors import unknown_name
from .adjoints import Adjoints
from .copying import Copy, RecordingCopy
from .derivative_rules import GraphArithmetic, is_zero
from .graph import Graph
from .operations import count_operations
from .passes import simplify
from .program import Input, Output, Program
from .tangents import Tangents

# Both ways to a Jacobian are tried up to about so many nodes; beyond, that with fewer sweeps is taken.
TRY_BOTH = 200_000


@dataclass(frozen=True)
class Varied:
    """An input `name`; `by` is the input that moves it and is zero, if it is not varied itself."""

    name: str
    by: str | None = None

    @property
    def input(self) -> str:
        return self.by or self.name


@dataclass(frozen=True)
class Measured:
    """An output `name`; its change is `chart` (an output, a matrix) times the change of its numbers, if given."""

    name: str
    chart: str | None = None


class Differentiation:
    """What of a program is to be differentiated, with respect to what."""

    def __init__(self, program: Program, of: Sequence[Measured], wrt: Sequence[Varied]):
        self.program, self.of, self.wrt = program, of, wrt
        self.numbers = {x.name: n for n, x in enumerate(program.inputs)}
        self.outputs = {x.name: x for x in program.outputs}
        for x in wrt:
            if x.input not in self.numbers:
                raise unknown_name("input", x.name, self.numbers)
        for y in of:
            if y.name not in self.outputs:
                raise unknown_name("output", y.name, self.outputs)
        self.vanishing = {self.numbers[x.by] for x in wrt if x.by is not None}
        if any(n < len(program.inputs) - len(self.vanishing) for n in self.vanishing):
            raise AssertionError("inputs that vanish come last, so that the others keep their numbers")
        self.inputs = program.inputs[: len(program.inputs) - len(self.vanishing)]

    def varied(self) -> Iterator[tuple[Varied, int, Input]]:
        for x in self.wrt:
            number = self.numbers[x.input]
            yield x, number, self.program.inputs[number]

    def shape(self, y: Measured) -> tuple[int, ...]:
        return self.outputs[y.name].shape if y.chart is None else self.outputs[y.chart].shape[:1]

    def chart(self, y: Measured, image: list) -> list[list] | None:
        if y.chart is None:
            return None
        matrix = self.outputs[y.chart]
        columns = matrix.shape[1]
        values = [image[x] for x in matrix.nodes]
        return [values[k : k + columns] for k in range(0, len(values), columns)]

    def given(self, graph: Graph):
        return lambda number, element: 0.0 if number in self.vanishing else graph.input(number, element)

    def measured(self, y: Measured, image: list, rates: list, g: GraphArithmetic) -> list:
        """The change of an output from the tangents of its nodes."""
        own = [rates[x] for x in self.outputs[y.name].nodes]
        chart = self.chart(y, image)
        return own if chart is None else [_dot(g, row, own) for row in chart]

    def seeds(
        self, y: Measured, image: list, weights: Sequence, g: GraphArithmetic
    ) -> Iterator[tuple[int, int | float]]:  # fmt: skip
        """(node, adjoint) for weights of the measured change."""
        nodes, chart = self.outputs[y.name].nodes, self.chart(y, image)
        if chart is not None:
            weights = [_dot(g, column, weights) for column in zip(*chart, strict=True)]
        return zip(nodes, weights, strict=True)

    def closed(self, graph: Graph, inputs: Sequence[Input], outputs: Sequence[Output]) -> Program:
        every = (*self.inputs, *inputs)
        return Program(self.program.name, tuple(graph.nodes), every, tuple(outputs), tuple(graph.loops)).check()


def pushforward(program: Program, of: Sequence[Measured], wrt: Sequence[Varied], values: Sequence[str] = ()) -> Program:
    """Inputs of the program, then x_dot for each varied one; outputs `values` of the program, then y_dot."""
    question = Differentiation(program, of, wrt)
    first = len(question.inputs)
    numbers = {number: first + k for k, (_, number, _) in enumerate(question.varied())}

    def direction(graph: Graph, number: int, element: int):
        return graph.input(numbers[number], element) if number in numbers else 0.0

    copy = Tangents(program, [direction], vanishing=question.vanishing)
    g = GraphArithmetic(copy.graph)
    outputs = [copy.output(question.outputs[name]) for name in values]
    for y in of:
        rates = question.measured(y, copy.image, copy.columns[0], g)
        outputs.append(_output(copy.graph, f"{y.name}_dot", question.shape(y), rates))
    inputs = [Input(f"{x.name}_dot", declared.shape) for x, _, declared in question.varied()]
    return question.closed(copy.graph, inputs, outputs)


def pullback(program: Program, of: Sequence[Measured], wrt: Sequence[Varied], values: Sequence[str] = ()) -> Program:
    """Inputs of the program, then y_bar for each output; outputs `values` of the program, then x_bar."""
    question, graph = Differentiation(program, of, wrt), Graph()
    copy = RecordingCopy(program, graph, question.given(graph))
    g, inputs = GraphArithmetic(graph), list[Input]()
    seeds: dict[int, int | float] = {}
    for y in of:
        shape = question.shape(y)
        number = len(question.inputs) + len(inputs)
        inputs.append(Input(f"{y.name}_bar", shape))
        weights = [graph.input(number, k) for k in range(prod(shape))]
        for node, weight in question.seeds(y, copy.image, weights, g):
            seeds[node] = g.add(seeds.get(node, 0.0), weight)
    swept = Adjoints(copy, seeds)
    outputs = [copy.output(question.outputs[name]) for name in values]
    for x, number, declared in question.varied():
        outputs.append(_output(graph, f"{x.name}_bar", declared.shape, swept.input(number, declared.size)))
    return question.closed(graph, inputs, outputs)


def jacobians(program: Program, of: Sequence[Measured], wrt: Sequence[Varied], values: Sequence[str] = ()) -> Program:
    """Outputs `values` of the program, then dy_dx of shape (*y's, *x's), for every y and every x; simplified."""
    question = Differentiation(program, of, wrt)
    columns = sum(declared.size for _, _, declared in question.varied())
    rows = sum(prod(question.shape(y)) for y in of)
    ways = [_by_rows, _by_columns] if rows < columns else [_by_columns, _by_rows]
    found = [simplify(ways[0](question, values))]
    if found[0].size * max(rows, columns) <= TRY_BOTH * min(rows, columns):
        found.append(simplify(ways[1](question, values)))
    return min(found, key=lambda x: count_operations(x).total)


def _by_columns(question: Differentiation, values: Sequence[str]) -> Program:
    places = [(number, k) for _, number, declared in question.varied() for k in range(declared.size)]
    directions = [lambda graph, n, k, at=at: 1.0 if (n, k) == at else 0.0 for at in places]
    copy = Tangents(question.program, directions, vanishing=question.vanishing)
    g = GraphArithmetic(copy.graph)
    columns = [[question.measured(y, copy.image, rates, g) for y in question.of] for rates in copy.columns]
    return _assembled(question, copy, values, lambda y, r, c: columns[c][y][r])


def _by_rows(question: Differentiation, values: Sequence[str]) -> Program:
    graph = Graph()
    copy = RecordingCopy(question.program, graph, question.given(graph))
    g, rows = GraphArithmetic(graph), list[list[list]]()
    for y in question.of:
        rows.append([])
        size = prod(question.shape(y))
        for r in range(size):
            seeds: dict[int, int | float] = {}
            for node, weight in question.seeds(y, copy.image, [float(k == r) for k in range(size)], g):
                if not is_zero(weight):
                    seeds[node] = g.add(seeds.get(node, 0.0), weight)
            swept = Adjoints(copy, seeds)
            rows[-1].append([v for _, n, declared in question.varied() for v in swept.input(n, declared.size)])
    return _assembled(question, copy, values, lambda y, r, c: rows[y][r][c])


def _assembled(question: Differentiation, copy: Copy | Tangents, values: Sequence[str], entry) -> Program:
    outputs = [copy.output(question.outputs[name]) for name in values]
    for number, y in enumerate(question.of):
        first, shape = 0, question.shape(y)
        for x, _, declared in question.varied():
            block = [entry(number, r, first + c) for r in range(prod(shape)) for c in range(declared.size)]
            outputs.append(_output(copy.graph, f"d{y.name}_d{x.name}", (*shape, *declared.shape), block))
            first += declared.size
    return question.closed(copy.graph, (), outputs)


def _output(graph: Graph, name: str, shape: tuple[int, ...], values: Sequence) -> Output:
    return Output(name, shape, tuple(graph.materialise(x) for x in values))


def _dot(g: GraphArithmetic, xs: Sequence, ys: Sequence):
    total = 0.0
    for x, y in zip(xs, ys, strict=True):
        total = g.add(total, g.mul(x, y))
    return total
