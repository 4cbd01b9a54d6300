"""Keep only what some output needs: nodes, loops, and what loops carry and read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .graph import CARRIED, OUTER
from .ops import Op, operands_of, with_operands
from .program import Input, Program, Until


def drop_dead(program: Program) -> Program:
    wanted: dict[int, set[int]] = {}  # UNTIL node -> which of its results are needed
    needed = _needed(program, (node for output in program.outputs for node in output.nodes), wanted)
    position: dict[int, int] = {}
    nodes: list[tuple] = []
    loops: list[Until] = []
    kept: dict[int, list[int]] = {}  # UNTIL node -> what it still carries
    for index, node in enumerate(program.nodes):
        if not needed[index]:
            continue
        if node[0] is Op.UNTIL:
            loop, kept[index], read = _trimmed(program.loops[node[1]], wanted.get(index, set()))
            values = [node[2 + k] for k in kept[index]]
            values += [node[2 + program.loops[node[1]].carried + k] for k in read]
            node = (Op.UNTIL, len(loops), *values)
            loops.append(loop)
        elif node[0] is Op.RESULT:
            node = (Op.RESULT, node[1], kept[node[1]].index(node[2]))
        position[index] = len(nodes)
        nodes.append(with_operands(node, (position[x] for x in operands_of(node))))
    outputs = tuple(output.relocated(position.__getitem__) for output in program.outputs)
    return Program(program.name, tuple(nodes), program.inputs, outputs, tuple(loops))


def _needed(program: Program, roots: Iterable[int], wanted: dict[int, set[int]]) -> bytearray:
    """Which nodes the roots need. Of a loop: the starts of what it must carry, and what that reads."""
    needed = bytearray(len(program.nodes))
    for node in roots:
        needed[node] = 1
    for index in range(len(program.nodes) - 1, -1, -1):
        node = program.nodes[index]
        if not needed[index]:
            continue
        if node[0] is Op.RESULT:
            wanted.setdefault(node[1], set()).add(node[2])
        if node[0] is Op.UNTIL:
            loop = program.loops[node[1]]
            carried, read = _live(loop, wanted.get(index, set()))
            operands = [node[2 + k] for k in carried] + [node[2 + loop.carried + k] for k in read]
        else:
            operands = list(operands_of(node))
        for operand in operands:
            needed[operand] = 1
    return needed


def _live(loop: Until, wanted: set[int]) -> tuple[list[int], list[int]]:
    """(what must be carried so that the wanted values and the decision to go on come out right, what that reads)."""
    body = loop.body
    carried = {*wanted, loop.carried - 1}
    while True:
        needed = _needed(body, (body.outputs[0].nodes[k] for k in carried), {})
        used = [node[1:] for index, node in enumerate(body.nodes) if needed[index] and node[0] is Op.INPUT]
        more = {element for number, element in used if number == CARRIED} - carried
        if not more:
            return sorted(carried), sorted(element for number, element in used if number == OUTER)
        carried |= more


def _trimmed(loop: Until, wanted: set[int]) -> tuple[Until, list[int], list[int]]:
    body = loop.body
    carried, read = _live(loop, wanted)
    renumbered = {CARRIED: {k: n for n, k in enumerate(carried)}, OUTER: {k: n for n, k in enumerate(read)}}
    nodes = tuple(
        # leaves that nobody reads any more go with the rest of the dead nodes below
        (Op.INPUT, node[1], renumbered[node[1]].get(node[2], 0)) if node[0] is Op.INPUT else node
        for node in body.nodes
    )
    following, running = body.outputs
    outputs = (replace(following, shape=(len(carried),), nodes=tuple(following.nodes[k] for k in carried)), running)
    inputs = (Input("carried", (len(carried),)), Input("outer", (len(read),)))
    return replace(loop, body=drop_dead(Program(body.name, nodes, inputs, outputs, body.loops))), carried, read
