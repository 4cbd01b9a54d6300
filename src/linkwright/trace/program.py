"""A straight-line program: named inputs, a graph, named outputs; and how a Python function becomes one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np

from ..errors import TraceError
from .expr import Expr
from .graph import Graph
from .ops import LEAVES, TAKES_TRUTH, TRUTH_VALUED, Op


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
class Program:
    """Nodes in an order in which they can be computed, hence also the order in which they will be."""

    name: str
    nodes: tuple[tuple, ...] = field(repr=False)
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]

    def check(self) -> Program:
        """Raise unless this is a well-formed program (the specification every pass must keep)."""
        is_truth = bytearray(len(self.nodes))
        for index, (op, *operands) in enumerate(self.nodes):
            if op in LEAVES:
                self._check_leaf(index, op, operands)
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

    def __str__(self) -> str:
        """A readable listing, one line per operation."""
        lines = [f"program {self.name}"]
        lines += [f"  input {x.name}{list(x.shape)}" for x in self.inputs]
        for index, (op, *operands) in enumerate(self.nodes):
            if op not in LEAVES:
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
    labels: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> Program:  # fmt: skip
    """Run `function(**inputs)` on symbols and return what it did as a program.

    `inputs` gives each argument's shape. Arguments arrive as object arrays of `Expr`. The function returns an array,
    a number, or a dictionary of named outputs; a lone result is called "out". `labels` names the rows of outputs.
    """
    graph = Graph()
    declared, symbols = [], {}
    for number, (key, shape) in enumerate(inputs.items()):
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        declared.append(Input(key, shape))
        array = np.empty(prod(shape), dtype=object)
        for element in range(array.size):
            array[element] = Expr(graph, graph.input(number, element))
        symbols[key] = array.reshape(shape)
    result = function(**symbols)
    named = result if isinstance(result, Mapping) else {"out": result}
    outputs = []
    for key, value in named.items():
        array = np.asarray(value, dtype=object)
        nodes = tuple(_node_of(graph, x, key) for x in array.ravel())
        outputs.append(Output(key, array.shape, nodes, tuple(labels.get(key, ()))))
    name = name or getattr(function, "__name__", "function")
    return Program(name, tuple(graph.nodes), tuple(declared), tuple(outputs)).check()


def _node_of(graph: Graph, value, output: str) -> int:
    if isinstance(value, Expr):
        if value.graph is not graph:
            raise TraceError(f"output {output!r} holds an expression of another trace")
        return value.index
    try:
        return graph.const(float(value))
    except (TypeError, ValueError):
        raise TraceError(f"output {output!r} holds {value!r}, which is neither a number nor a traced value") from None
