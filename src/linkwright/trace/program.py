"""A straight-line program: named inputs, a graph, named outputs; and how a Python function becomes one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import TraceError
from .expr import Expr
from .graph import Graph
from .ops import LEAVES, LOOPS, TAKES_TRUTH, TRUTH_VALUED, WITH_BODY, DefinedOp, Op


@dataclass(frozen=True)
class Input:
    name: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True)
class Output:
    name: str
    shape: tuple[int, ...]
    nodes: tuple[int, ...]  # row-major; one node may serve several elements
    labels: tuple[str, ...] = ()  # names of the entries along the first axis, if they have any

    @property
    def size(self) -> int:
        return len(self.nodes)

    def relocated(self, position: Callable[[int], int]) -> Output:
        """The same output in a program whose nodes have other indices."""
        return replace(self, nodes=tuple(position(node) for node in self.nodes))


@dataclass(frozen=True)
class Until:
    """A loop: `body` maps the values it carries to the next ones and says which samples go on. One of a single pass at
    the most is a guard.

    body       inputs "carried" (n,) and "outer" (k,), what else it reads; outputs "next" (n,), in which a sample that
               is done keeps what it had, and "running" (), 1 or 0, which is carried too, as the last value
    limit      passes at the most
    expected   passes that a typical sample takes: what operation counts reckon with
    """

    body: Program
    limit: int
    expected: float

    @property
    def carried(self) -> int:
        return self.body.inputs[0].size

    @property
    def results(self) -> int:
        """What its RESULT nodes may ask for: what it carries in the end."""
        return self.carried


@dataclass(frozen=True)
class Repeat:
    """A counted loop: pass p maps the values it carries and row p of a table to the next values and row p of results.

    body    inputs "carried" (n,), "outer" (k,), what else it reads, and "row" (r,); outputs "next" (n,), "results" (m,)
    limit   how many passes
    Its results are what it carries in the end, then the rows of results, one after the other.
    """

    body: Program
    limit: int

    @property
    def expected(self) -> float:
        return float(self.limit)

    @property
    def carried(self) -> int:
        return self.body.inputs[0].size

    @property
    def row(self) -> int:
        return self.body.inputs[2].size

    @property
    def row_results(self) -> int:
        return self.body.outputs[1].size

    @property
    def results(self) -> int:
        return self.carried + self.limit * self.row_results


@dataclass(frozen=True)
class Program:
    """Nodes in an order in which they can be computed, hence also the order in which they will be."""

    name: str
    nodes: tuple[tuple, ...] = field(repr=False)
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    loops: tuple[Until | Repeat, ...] = ()

    @property
    def size(self) -> int:
        """Nodes, those in the bodies of loops included."""
        return len(self.nodes) + sum(loop.body.size for loop in self.loops)

    def every_op(self) -> set[Op | DefinedOp]:
        """Operations it consists of, those in the bodies of loops included."""
        return {node[0] for node in self.nodes}.union(*(loop.body.every_op() for loop in self.loops))

    def check(self) -> Program:
        """Raise unless this is a well-formed program (the specification every pass must keep)."""
        is_truth = bytearray(len(self.nodes))
        for index, (op, *operands) in enumerate(self.nodes):
            if op in LEAVES:
                self._check_leaf(index, op, operands)
                continue
            if op in LOOPS:
                self._check_loop(index, op, operands, is_truth)
                continue
            takes_truth = TAKES_TRUTH[op]
            is_truth[index] = op in TRUTH_VALUED
            if len(operands) != len(takes_truth):
                raise TraceError(f"node {index}, {op.name}, has {len(operands)} operands instead of {len(takes_truth)}")
            for operand, truth in zip(operands, takes_truth, strict=True):
                if not 0 <= operand < index:
                    raise TraceError(f"node {index}, {op.name}, uses node {operand}, which does not come before it")
                if is_truth[operand] != truth:
                    raise TraceError(f"node {index}, {op.name}, mixes up numbers and truth values")
        for output in self.outputs:
            if len(output.nodes) != prod(output.shape):
                raise TraceError(f"output {output.name!r} has {len(output.nodes)} elements but shape {output.shape}")
            if output.labels and len(output.labels) != output.shape[0]:
                raise TraceError(f"output {output.name!r} has {len(output.labels)} labels for {output.shape[0]} rows")
            for node in output.nodes:
                if not 0 <= node < len(self.nodes):
                    raise TraceError(f"output {output.name!r} refers to node {node}, which does not exist")
                if is_truth[node]:
                    raise TraceError(f"output {output.name!r} is a truth value; use where(condition, 1.0, 0.0)")
        return self

    def _check_leaf(self, index: int, op: Op, operands) -> None:
        if op is Op.CONST:
            if type(operands[0]) is not float:
                raise TraceError(f"node {index} holds {operands[0]!r}, which is no float")
            return
        number, element = operands
        if not (0 <= number < len(self.inputs) and 0 <= element < self.inputs[number].size):
            raise TraceError(f"node {index} reads element {element} of input {number}, which does not exist")

    def _check_loop(self, index: int, op: Op, operands, is_truth) -> None:
        if op is Op.RESULT:
            node, k = operands
            if not 0 <= node < index or self.nodes[node][0] not in WITH_BODY:
                raise TraceError(f"node {index} takes a result of node {node}, which is no loop before it")
            if not 0 <= k < self.loops[self.nodes[node][1]].results:
                raise TraceError(f"node {index} takes result {k} of a loop that has fewer")
            return
        number, *values = operands
        if not 0 <= number < len(self.loops):
            raise TraceError(f"node {index} is loop {number}, which does not exist")
        loop = self.loops[number]
        if isinstance(loop, Repeat) != (op is Op.REPEAT):
            raise TraceError(f"node {index}, {op.name}, is loop {number}, which is of another kind")
        body = loop.body.check()
        sizes = [x.size for x in body.inputs]
        if isinstance(loop, Repeat):
            sizes[2] *= loop.limit
        if len(values) != sum(sizes):
            raise TraceError(f"node {index} gives loop {number} {len(values)} values; its body takes another number")
        if body.outputs[0].size != loop.carried or (op is Op.UNTIL and body.outputs[1].size != 1):
            raise TraceError(f"the body of loop {number} gives other values than it carries")
        for value in values:
            if not 0 <= value < index or is_truth[value]:
                raise TraceError(f"node {index}, a loop, starts from node {value}, which is no number before it")

    def __str__(self) -> str:
        """A readable listing, one line per operation."""
        lines = [f"program {self.name}"]
        lines += [f"  input {x.name}{list(x.shape)}" for x in self.inputs]
        for index, (op, *operands) in enumerate(self.nodes):
            if op in WITH_BODY:
                loop, values = self.loops[operands[0]], ", ".join(map(self._operand_text, operands[1:]))
                kind = "guard" if loop.limit == 1 else f"until, at most {loop.limit} times"
                kind = f"repeat, {loop.limit} times" if op is Op.REPEAT else kind
                lines.append(f"  %{index} = {kind}, from {values}")
                lines += ["    " + line for line in str(loop.body).splitlines()]
            elif op is Op.RESULT:
                lines.append(f"  %{index} = result {operands[1]} of %{operands[0]}")
            elif op not in LEAVES:
                lines.append(f"  %{index} = {op.name.lower()} " + ", ".join(map(self._operand_text, operands)))
        for output in self.outputs:
            elements = ", ".join(map(self._operand_text, output.nodes))
            lines.append(f"  output {output.name}{list(output.shape)} = {elements}")
        return "\n".join(lines)

    def _operand_text(self, index: int) -> str:
        op, *operands = self.nodes[index]
        if op is Op.CONST:
            return repr(operands[0])
        if op is Op.INPUT:
            return f"{self.inputs[operands[0]].name}[{operands[1]}]"
        return f"%{index}"


def trace(
    function: Callable[..., Any], inputs: Mapping[str, int | tuple[int, ...]], name: str | None = None,
    labels: Mapping[str, tuple[str, ...]] = MappingProxyType({}), further: Sequence[Input] = (),
) -> Program:  # fmt: skip
    """Run `function(**inputs)` on symbols and return what it did as a program.

    `inputs` gives each argument's shape. Arguments arrive as object arrays of `Expr`. The function returns an array,
    a number, or a dictionary of named outputs; a lone result is called "out". `labels` names the rows of outputs.
    `further` inputs are those that the function has added by itself, if it knows how (derivatives/unknowns.py).
    """
    graph = Graph()
    declared, symbols = declare(graph, inputs)
    result = function(**symbols)
    named = result if isinstance(result, Mapping) else {"out": result}
    outputs = []
    for key, value in named.items():
        array = np.asarray(value, dtype=object)
        nodes = tuple(_node_of(graph, x, key) for x in array.ravel())
        outputs.append(Output(key, array.shape, nodes, tuple(labels.get(key, ()))))
    name = name or getattr(function, "__name__", "function")
    every = (*declared, *further)
    return Program(str(name), tuple(graph.nodes), every, tuple(outputs), tuple(graph.loops)).check()


def declare(
    graph: Graph, inputs: Mapping[str, int | tuple[int, ...]]
) -> tuple[tuple[Input, ...], dict[str, np.ndarray]]:
    """(The inputs of these shapes, symbols for their elements by name)."""
    declared, symbols = [], {}
    for number, (key, shape) in enumerate(inputs.items()):
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        declared.append(Input(key, shape))
        array = np.empty(prod(shape), dtype=object)
        for element in range(array.size):
            array[element] = Expr(graph, graph.input(number, element))
        symbols[key] = array.reshape(shape)
    return tuple(declared), symbols


def _node_of(graph: Graph, value, output: str) -> int:
    if isinstance(value, Expr):
        if value.graph is not graph:
            raise TraceError(
                f"output {output!r} holds an expression of another trace, or of the inside of a loop or guard; values "
                f"leave a loop only as what it carries, a guard only as its results"
            )
        return value.index
    try:
        return graph.const(float(value))
    except (TypeError, ValueError):
        raise TraceError(f"output {output!r} holds {value!r}, which is neither a number nor a traced value") from None
