"""Keep only what some output needs: nodes, loops, and what loops carry and read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from .graph import CARRIED, OUTER, ROW
from .ops import WITH_BODY, Op, operands_of, with_operands
from .program import Input, Program, Repeat, Until


def drop_dead(program: Program) -> Program:
    wanted: dict[int, set[int]] = {}  # node of a loop -> which of its results are needed
    needed = _needed(program, (node for output in program.outputs for node in output.nodes), wanted)
    position: dict[int, int] = {}
    nodes: list[tuple] = []
    loops: list[Until | Repeat] = []
    kept: dict[int, dict[int, int]] = {}  # node of a loop -> its old results to the new ones
    for index, node in enumerate(program.nodes):
        if not needed[index]:
            continue
        if node[0] in WITH_BODY:
            old = program.loops[node[1]]
            live = _live(old, wanted.get(index, set()))
            node = (node[0], len(loops), *live.operands(old, node))
            kept[index] = live.renumbered(old)
            loops.append(_trimmed(old, live))
        elif node[0] is Op.RESULT:
            node = (Op.RESULT, node[1], kept[node[1]][node[2]])
        position[index] = len(nodes)
        nodes.append(with_operands(node, (position[x] for x in operands_of(node))))
    outputs = tuple(output.relocated(position.__getitem__) for output in program.outputs)
    return Program(program.name, tuple(nodes), program.inputs, outputs, tuple(loops))


def _needed(program: Program, roots: Iterable[int], wanted: dict[int, set[int]]) -> bytearray:
    """Which nodes the roots need. Of a loop: the starts of what it must carry, and what that reads."""
    needed = bytearray(len(program.nodes))
    for root in roots:
        needed[root] = 1
    for index in range(len(program.nodes) - 1, -1, -1):
        node = program.nodes[index]
        if not needed[index]:
            continue
        if node[0] is Op.RESULT:
            wanted.setdefault(node[1], set()).add(node[2])
        if node[0] in WITH_BODY:
            loop = program.loops[node[1]]
            operands = _live(loop, wanted.get(index, set())).operands(loop, node)
        else:
            operands = operands_of(node)
        for operand in operands:
            needed[operand] = 1
    return needed


class _Live(NamedTuple):
    """What is left of a loop: which of the values it carries, reads and takes from a row, which results of a pass."""

    carried: list[int]
    read: list[int]
    row: list[int]
    results: list[int]

    def operands(self, loop: Until | Repeat, node: tuple) -> tuple[int, ...]:
        """What the node of the loop still needs."""
        reads = loop.carried + loop.body.inputs[OUTER].size
        values = [*self.carried, *(loop.carried + k for k in self.read)]
        if isinstance(loop, Repeat):
            values += [reads + p * loop.row + k for p in range(loop.limit) for k in self.row]
        return tuple(node[2 + k] for k in values)

    def renumbered(self, loop: Until | Repeat) -> dict[int, int]:
        """Numbers of the results before and after."""
        numbers = list(self.carried)
        if isinstance(loop, Repeat):
            numbers += [loop.carried + p * loop.row_results + k for p in range(loop.limit) for k in self.results]
        return {old: new for new, old in enumerate(numbers)}


def _live(loop: Until | Repeat, wanted: set[int]) -> _Live:
    """What is needed so that the wanted results, and the decision to go on, come out right."""
    body, results = loop.body, set()
    if isinstance(loop, Repeat):
        carried = {k for k in wanted if k < loop.carried}
        results = {(k - loop.carried) % loop.row_results for k in wanted if k >= loop.carried}
    else:
        carried = {*wanted, loop.carried - 1}
    while True:
        following, others = body.outputs
        roots = [following.nodes[k] for k in carried] + [others.nodes[k] for k in results]
        needed = _needed(body, roots, {})
        used = [node[1:] for index, node in enumerate(body.nodes) if needed[index] and node[0] is Op.INPUT]
        more = {element for number, element in used if number == CARRIED} - carried
        if not more:
            read, row = (sorted(element for n, element in used if n == number) for number in (OUTER, ROW))
            return _Live(sorted(carried), read, row, sorted(results))
        carried |= more


def _trimmed(loop: Until | Repeat, live: _Live) -> Until | Repeat:
    body = loop.body
    left = (live.carried, live.read, live.row)
    renumbered = [{k: n for n, k in enumerate(elements)} for elements in left]
    nodes = tuple(
        # leaves that nobody reads any more go with the rest of the dead nodes below
        (Op.INPUT, node[1], renumbered[node[1]].get(node[2], 0)) if node[0] is Op.INPUT else node
        for node in body.nodes
    )
    following, others = body.outputs
    if isinstance(loop, Repeat):
        others = replace(others, shape=(len(live.results),), nodes=tuple(others.nodes[k] for k in live.results))
    following = replace(following, shape=(len(live.carried),), nodes=tuple(following.nodes[k] for k in live.carried))
    inputs = tuple(Input(x.name, (len(elements),)) for x, elements in zip(body.inputs, left, strict=False))
    return replace(loop, body=drop_dead(Program(body.name, nodes, inputs, (following, others), body.loops)))
