"""A program as part of a trace: its steps on traced values in place of its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import TraceError
from .copying import Copy
from .expr import Expr, in_one_graph
from .ops import OPERATIONS, WITH_BODY, Op
from .program import Program


def inlined(program: Program, given: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Outputs by name, arrays of expressions and numbers, of inputs that are such arrays."""
    flat = {x.name: list(np.asarray(given[x.name], dtype=object).ravel()) for x in program.inputs}
    for x in program.inputs:
        if len(flat[x.name]) != x.size:
            raise TraceError(f"input {x.name!r} of {program.name!r} has {len(flat[x.name])} numbers; expected {x.size}")
    if not any(isinstance(value, Expr) for values in flat.values() for value in values):
        return placed_steps(program, given)  # nothing is traced: of plain numbers, or of none
    graph, nodes = in_one_graph(*(value for values in flat.values() for value in values))
    following = iter(nodes)
    own = [[next(following) for _ in range(x.size)] for x in program.inputs]
    copy = Copy(program, graph, lambda number, element: own[number][element])
    results = {}
    for output in program.outputs:
        array = np.empty(output.size, dtype=object)
        for k, node in enumerate(output.nodes):
            value = copy.image[node]
            array[k] = Expr(graph, value) if type(value) is int else value
        results[output.name] = array.reshape(output.shape)
    return results


def placed_steps(program: Program, given: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """As `inlined`, operation by operation: in the body of a loop that is being traced, what does not depend on the
    loop is computed before it."""
    flat = [list(np.asarray(given[x.name], dtype=object).ravel()) for x in program.inputs]
    values: list = []
    for op, *operands in program.nodes:
        if op is Op.INPUT:
            values.append(flat[operands[0]][operands[1]])
        elif op is Op.CONST:
            values.append(float(operands[0]))
        elif op in WITH_BODY:
            graph, nodes = in_one_graph(*(values[x] for x in operands[1:]))
            graph.loops.append(program.loops[operands[0]])
            values.append((graph, graph.node(op, len(graph.loops) - 1, *(graph.materialise(x) for x in nodes))))
        elif op is Op.RESULT:
            graph, loop = values[operands[0]]
            values.append(Expr(graph, graph.node(Op.RESULT, loop, operands[1])))
        else:
            values.append(OPERATIONS[op].on_scalars(*(values[x] for x in operands)))
    results = {}
    for x in program.outputs:
        array = np.empty(x.size, dtype=object)
        array[:] = [values[n] for n in x.nodes]
        results[x.name] = array.reshape(x.shape)
    return results
