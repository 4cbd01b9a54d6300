"""A copy of a program in a graph of its own, and the tangents of its nodes along one or several directions.

A guard becomes one that computes tangents too: it carries those of its results, and starts from those of what holds
otherwise. Loops have no rule: that a loop has found its values does not mean that it has found their derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..errors import UnsupportedError
from .derivative_rules import RULES, Builder
from .graph import CARRIED, Graph
from .ops import TRUTH_VALUED, Op
from .program import Input, Output, Program, Until

Direction = Callable[[Graph, int, int], "int | float"]  # graph, number of an input, element -> its tangent
LAST = -1  # stands for the last element that a body carries, as long as their number is open


class Tangents:
    """image     node of the program -> value in `graph`, the index of a node or a number
    columns   for each direction: node of the program -> its tangent, 0.0 where that is known to be zero
    """

    def __init__(self, program: Program, directions: Sequence[Direction], renamed: Callable | None = None):
        """`renamed(number, element)` gives the element of an input that takes the place of another."""
        self.program, self.graph, self.directions = program, Graph(), directions
        self.image: list = []
        self.columns: list[list] = [[] for _ in directions]
        self._renamed = renamed or (lambda number, element: element)
        self._results: dict[int, tuple[list, list[list]]] = {}  # node of a guard -> its results, and their tangents
        first = 0
        for index, node in enumerate(program.nodes):
            if node[0] is Op.UNTIL:
                self._straight_line(first, index)
                self._results[index] = self._guard(program.loops[node[1]], node[2:])
                first = index
        self._straight_line(first, len(program.nodes))

    def output(self, x: Output, name: str | None = None, values: list | None = None) -> Output:
        values = self.image if values is None else values
        return Output(name or x.name, x.shape, tuple(self.graph.materialise(values[n]) for n in x.nodes), x.labels)

    def _straight_line(self, first: int, end: int) -> None:
        for index in range(first, end):
            self.image.append(self._copied(*self.program.nodes[index]))
        for column, tangents in enumerate(self.columns):
            for index in range(first, end):
                tangents.append(self._tangent(column, index, *self.program.nodes[index]))

    def _copied(self, op: Op, *operands):
        if op is Op.INPUT:
            return self.graph.input(operands[0], self._renamed(*operands))
        if op is Op.CONST:
            return operands[0]
        if op is Op.UNTIL:
            return 0.0  # nobody but its results, which are known, refers to it
        if op is Op.RESULT:
            return self._results[operands[0]][0][operands[1]]
        return self.graph.rebuild(op, [self.image[x] for x in operands])

    def _tangent(self, column: int, index: int, op: Op, *operands):
        if op is Op.INPUT:
            return self.directions[column](self.graph, *operands)
        if op is Op.CONST or op is Op.UNTIL or op in TRUTH_VALUED:
            return 0.0
        if op is Op.RESULT:
            return self._results[operands[0]][1][column][operands[1]]
        rates = [self.columns[column][x] for x in operands]
        if all(_is_zero(rate) for rate in rates):
            return 0.0
        return RULES[op](Builder(self.graph), self.image[index], [self.image[x] for x in operands], rates)

    def _guard(self, loop: Until, values: Sequence[int]) -> tuple[list, list[list]]:
        """Write a guard that computes tangents too; its results, and for each direction their tangents."""
        if loop.limit > 1:
            raise UnsupportedError(
                f"program {self.program.name!r} has a loop that ends when a condition holds, and no rule for its "
                f"derivative; differentiate a variant with a fixed number of iterations"
            )
        count = loop.carried - 1  # without whether a sample needs it
        starts, outer = [self.image[x] for x in values], [self.image[x] for x in values[count + 1 :]]
        carried_at: dict[tuple[int, int], int] = {}  # (direction, result) -> where its tangent is carried
        outer_at: dict[tuple[int, int], int] = {}
        starting, read = starts[:count], list(outer)
        for column, tangents in enumerate(self.columns):
            rates = [tangents[x] for x in values]
            for k in (k for k in range(count) if not _is_zero(rates[k])):
                carried_at[column, k] = len(starting)
                starting.append(rates[k])
            for k in (k for k in range(len(outer)) if not _is_zero(rates[count + 1 + k])):
                outer_at[column, k] = len(read)
                read.append(rates[count + 1 + k])

        def direction(column: int) -> Direction:
            def tangent(graph: Graph, number: int, element: int):
                at = (carried_at if number == CARRIED else outer_at).get((column, element))
                return 0.0 if at is None else graph.input(number, at)

            return tangent

        body = Tangents(
            loop.body,
            [direction(c) for c in range(len(self.columns))],
            lambda number, k: LAST if number == CARRIED and k == count else k,
        )
        following, running = loop.body.outputs
        nodes = [body.image[x] for x in following.nodes[:count]]
        nodes += [body.columns[c][following.nodes[k]] for c, k in carried_at]
        for column, tangents in enumerate(body.columns):
            for k, x in enumerate(following.nodes[:count]):
                if (column, k) not in carried_at and not _is_zero(tangents[x]):
                    carried_at[column, k] = len(starting)
                    starting.append(0.0)
                    nodes.append(tangents[x])
        number, node = len(self.graph.loops), self.graph.materialise
        self.graph.loops.append(_closed(loop, body, [*nodes, body.image[running.nodes[0]]], len(read)))
        guard = self.graph.node(Op.UNTIL, number, *(node(x) for x in (*starting, starts[count], *read)))
        results = [self.graph.node(Op.RESULT, guard, k) for k in range(len(starting))]
        columns = range(len(self.columns))
        rates = [[results[carried_at[c, k]] if (c, k) in carried_at else 0.0 for k in range(count)] for c in columns]
        return results[:count], rates


def _closed(loop: Until, body: Tangents, following: list, reads: int) -> Until:
    nodes = [body.graph.materialise(x) for x in following]
    last = len(following) - 1
    renamed = tuple((Op.INPUT, CARRIED, last) if x == (Op.INPUT, CARRIED, LAST) else x for x in body.graph.nodes)
    inputs = (Input("carried", (len(following),)), Input("outer", (reads,)))
    outputs = (Output("next", (len(following),), tuple(nodes)), Output("running", (), (nodes[-1],)))
    return replace(loop, body=Program(loop.body.name, renamed, inputs, outputs, tuple(body.graph.loops)))


def _is_zero(rate) -> bool:
    return type(rate) is float and rate == 0.0
