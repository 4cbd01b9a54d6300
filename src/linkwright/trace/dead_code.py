"""Keep only what some output needs: nodes, loops, and what loops carry and read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from .graph import CARRIED, OUTER, ROW
from .ops import LEAVES, LOOPS, WITH_BODY, Op, operands_of, with_operands
from .program import Input, Program, Repeat, Until


def drop_dead(program: Program) -> Program:
    return _dropped(program, {})


# (Loop, its results that are needed) -> the loop itself, so that its id stays its own, and what is left of it: every
# program around a loop asks.
_Known = dict[tuple[int, frozenset[int]], tuple["Until | Repeat", "_Live"]]


def _dropped(program: Program, known: _Known) -> Program:
    needs = _Needs(program, known)
    needs.add(node for output in program.outputs for node in output.nodes)
    position = [-1] * len(program.nodes)
    nodes: list[tuple] = []
    loops: list[Until | Repeat] = []
    kept: dict[int, dict[int, int]] = {}  # node of a loop -> its old results to the new ones
    for index, node in enumerate(program.nodes):
        if not needs.needed[index]:
            continue
        position[index] = len(nodes)
        if node[0] not in LEAVES and node[0] not in LOOPS:
            nodes.append((node[0], *[position[x] for x in node[1:]]))
            continue
        if node[0] in WITH_BODY:
            old, live = program.loops[node[1]], needs.live(index)
            node = (node[0], len(loops), *live.operands(old, node))
            kept[index] = live.renumbered(old)
            loops.append(_trimmed(old, live, known))
        elif node[0] is Op.RESULT:
            node = (Op.RESULT, node[1], kept[node[1]][node[2]])
        nodes.append(with_operands(node, (position[x] for x in operands_of(node))))
    outputs = tuple(output.relocated(position.__getitem__) for output in program.outputs)
    return Program(program.name, tuple(nodes), program.inputs, outputs, tuple(loops))


class _Needs:
    """Which nodes of a program are needed. Of a loop: the starts of what it must carry, and what that reads."""

    def __init__(self, program: Program, known: _Known):
        self.needed = bytearray(len(program.nodes))
        self.inputs: list[tuple[int, int]] = []  # of the program that are needed: (number, element)
        self._program, self._known = program, known
        self._wanted: dict[int, set[int]] = {}  # node of a loop -> which of its results are needed

    def live(self, index: int) -> _Live:
        """What is left of the loop of a node."""
        loop, wanted = self._program.loops[self._program.nodes[index][1]], frozenset(self._wanted.get(index, ()))
        key = id(loop), wanted
        if key not in self._known:
            self._known[key] = loop, _live(loop, wanted, self._known)
        return self._known[key][1]

    def add(self, roots: Iterable[int]) -> None:
        nodes, needed = self._program.nodes, self.needed
        stack, asked = list(roots), set[int]()  # loops more results of which turned out to be needed
        while stack or asked:
            if not stack:  # the last one first: what it needs are results of those before
                index = max(asked)
                asked.remove(index)
                stack += self.live(index).operands(self._program.loops[nodes[index][1]], nodes[index])
                continue
            index = stack.pop()
            if needed[index]:
                continue
            needed[index] = 1
            node = nodes[index]
            op = node[0]
            if op not in LEAVES and op not in LOOPS:
                stack += node[1:]
            elif op is Op.INPUT:
                self.inputs.append(node[1:])
            elif op in WITH_BODY:
                asked.add(index)
            elif op is Op.RESULT:
                _, loop, result = node
                self._wanted.setdefault(loop, set()).add(result)
                needed[loop] = 1
                asked.add(loop)


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


def _live(loop: Until | Repeat, wanted: frozenset[int], known: _Known) -> _Live:
    """What is needed so that the wanted results, and the decision to go on, come out right."""
    following, others = loop.body.outputs
    results: set[int] = set()
    if isinstance(loop, Repeat):
        new = {k for k in wanted if k < loop.carried}
        results = {(k - loop.carried) % loop.row_results for k in wanted if k >= loop.carried}
    else:
        new = {*wanted, loop.carried - 1}
    needs, carried = _Needs(loop.body, known), set[int]()
    needs.add(others.nodes[k] for k in results)
    while new := (new | {k for number, k in needs.inputs if number == CARRIED}) - carried:
        carried |= new
        needs.add([following.nodes[k] for k in new])
    read, row = (sorted(element for n, element in needs.inputs if n == number) for number in (OUTER, ROW))
    return _Live(sorted(carried), read, row, sorted(results))


def _trimmed(loop: Until | Repeat, live: _Live, known: _Known) -> Until | Repeat:
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
    return replace(loop, body=_dropped(Program(body.name, nodes, inputs, (following, others), body.loops), known))
