"""Simplification passes, in the order in which they run.

Constructing a node already folds what can be seen locally (see graph.py). A pass sees the whole program. Each takes
a program and returns one that computes the same outputs; `simplify` checks the result of every pass against the
specification of a program.
"""

from __future__ import annotations

from .factoring import factor_products
from .ops import LEAVES
from .program import Program


def simplify(program: Program) -> Program:
    for transform in PASSES:
        program = transform(program).check()
    return program


def drop_dead(program: Program) -> Program:
    """Keep only what some output needs."""
    needed = bytearray(len(program.nodes))
    for output in program.outputs:
        for node in output.nodes:
            needed[node] = 1
    for index in range(len(program.nodes) - 1, -1, -1):
        if needed[index] and program.nodes[index][0] not in LEAVES:
            for operand in program.nodes[index][1:]:
                needed[operand] = 1
    position, nodes = {}, []
    for index, node in enumerate(program.nodes):
        if needed[index]:
            position[index] = len(nodes)
            nodes.append(node if node[0] in LEAVES else (node[0], *(position[x] for x in node[1:])))
    outputs = tuple(output.relocated(position.__getitem__) for output in program.outputs)
    return Program(program.name, tuple(nodes), program.inputs, outputs)


PASSES = (drop_dead, factor_products, drop_dead)
