"""A program as part of a trace: its steps on traced values in place of its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import TraceError
from .copying import Copy
from .expr import Expr, in_one_graph
from .program import Program


def inlined(program: Program, given: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Outputs by name, arrays of expressions and numbers, of inputs that are such arrays."""
    flat = {x.name: list(np.asarray(given[x.name], dtype=object).ravel()) for x in program.inputs}
    for x in program.inputs:
        if len(flat[x.name]) != x.size:
            raise TraceError(f"input {x.name!r} of {program.name!r} has {len(flat[x.name])} numbers; expected {x.size}")
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
