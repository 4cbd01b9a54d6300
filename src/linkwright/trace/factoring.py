"""Common factors: a*b + a*c becomes a*(b + c) where both products have no other use.

Saves a multiplication each time. It also merges constants, a*2 + a*3 = a*5, because the inner sum then folds.
"""

from __future__ import annotations

from .graph import Graph
from .ops import LEAVES, LOOPS, Op, operands_of, with_operands
from .program import Program


def factor_products(program: Program) -> Program:
    uses = [0] * len(program.nodes)
    for node in program.nodes:
        for operand in operands_of(node):
            uses[operand] += 1
    for output in program.outputs:
        for element in output.nodes:
            uses[element] += 2  # an output is never dissolved

    graph = Graph()
    image: list = []  # old index -> new index or float
    for node in program.nodes:
        op, *operands = node
        if op in LEAVES:
            image.append(graph.node(op, *operands) if op is Op.INPUT else operands[0])
            continue
        if op in LOOPS:
            image.append(graph.node(*with_operands(node, (graph.materialise(image[x]) for x in operands_of(node)))))
            continue
        shared = shared_factor(program.nodes, uses, operands) if op in (Op.ADD, Op.SUB) else None
        if shared is None:
            image.append(graph.rebuild(op, [image[x] for x in operands]))
        else:
            factor, left, right = shared
            inner = graph.rebuild(op, (image[left], image[right]))
            image.append(graph.rebuild(Op.MUL, (image[factor], inner)))
    outputs = tuple(output.relocated(lambda x: graph.materialise(image[x])) for output in program.outputs)
    return Program(program.name, tuple(graph.nodes), program.inputs, outputs, program.loops)


def shared_factor(nodes, uses, operands):
    """(factor, rest of first, rest of second) if both operands are products used only here, with a factor in common."""
    first, second = operands
    if uses[first] != 1 or uses[second] != 1 or nodes[first][0] is not Op.MUL or nodes[second][0] is not Op.MUL:
        return None
    _, a, b = nodes[first]
    _, c, d = nodes[second]
    for factor, left in ((a, b), (b, a)):
        if factor == c:
            return factor, left, d
        if factor == d:
            return factor, left, c
    return None
