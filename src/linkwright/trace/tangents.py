"""A copy of a program in a graph of its own, and the tangents of its nodes along one or several directions.

Loops and guards become ones that compute tangents too: see loop_tangents.py.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from .derivative_rules import GraphArithmetic, is_zero, rule_of
from .graph import Graph
from .loop_tangents import Direction, counted_tangents, guard_tangents
from .ops import TRUTH_VALUED, WITH_BODY, Op
from .program import Output, Program, Repeat


class Tangents:
    """image     node of the program -> value in `graph`, the index of a node or a number
    columns   for each direction: node of the program -> its tangent, 0.0 where that is known to be zero
    """

    def __init__(
        self, program: Program, directions: Sequence[Direction], renamed: Callable | None = None,
        vanishing: Collection[int] = (),
    ):  # fmt: skip
        """`renamed(number, element)` gives the element of an input that takes the place of another; the inputs
        `vanishing` are zero."""
        self._vanishing = vanishing
        self.program, self.graph, self.directions = program, Graph(), directions
        self.image: list = []
        self.columns: list[list] = [[] for _ in directions]
        self._renamed = renamed or (lambda number, element: element)
        self._results: dict[int, tuple[list, list[list]]] = {}  # node of a loop -> its results, and their tangents
        first = 0
        for index, node in enumerate(program.nodes):
            if node[0] in WITH_BODY:
                self._straight_line(first, index)
                loop, first = program.loops[node[1]], index
                rule = counted_tangents if isinstance(loop, Repeat) else guard_tangents
                self._results[index] = rule(self, loop, node[2:])
        self._straight_line(first, len(program.nodes))

    def of_body(self, body: Program, directions: Sequence[Direction], renamed: Callable | None = None) -> Tangents:
        return Tangents(body, directions, renamed)

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
            return 0.0 if operands[0] in self._vanishing else self.graph.input(operands[0], self._renamed(*operands))
        if op is Op.CONST:
            return operands[0]
        if op in WITH_BODY:
            return 0.0  # nobody but its results, which are known, refers to it
        if op is Op.RESULT:
            return self._results[operands[0]][0][operands[1]]
        return self.graph.rebuild(op, [self.image[x] for x in operands])

    def _tangent(self, column: int, index: int, op: Op, *operands):
        if op is Op.INPUT:
            return self.directions[column](self.graph, *operands)
        if op is Op.CONST or op in WITH_BODY or op in TRUTH_VALUED:
            return 0.0
        if op is Op.RESULT:
            return self._results[operands[0]][1][column][operands[1]]
        rates = [self.columns[column][x] for x in operands]
        if all(is_zero(rate) for rate in rates):
            return 0.0
        values = [self.image[x] for x in operands]
        return rule_of(op).tangent(GraphArithmetic(self.graph), self.image[index], values, rates)
