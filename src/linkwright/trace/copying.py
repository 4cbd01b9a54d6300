"""A program written into a graph once more, on other values in place of its inputs."""

from __future__ import annotations

from collections.abc import Callable

from .graph import Graph
from .ops import WITH_BODY, Op
from .program import Output, Program, Repeat

Given = Callable[[int, int], "int | float"]  # number of an input, element -> what takes its place


class Copy:
    """image   node of the program -> value in `graph`, the index of a node or a number"""

    def __init__(self, program: Program, graph: Graph, given: Given | None = None):
        self.program, self.graph = program, graph
        self.given = given or graph.input
        self.image: list = []
        self._place: dict[int, Callable[[int], int]] = {}  # node of a loop -> where its results are
        for index, node in enumerate(program.nodes):
            self.image.append(self._copied(index, *node))

    def output(self, x: Output) -> Output:
        return Output(x.name, x.shape, tuple(self.graph.materialise(self.image[n]) for n in x.nodes), x.labels)

    def _copied(self, index: int, op: Op, *operands):
        if op is Op.INPUT:
            return self.given(*operands)
        if op is Op.CONST:
            return operands[0]
        if op is Op.RESULT:
            return self.graph.node(Op.RESULT, self.image[operands[0]], self._place[operands[0]](operands[1]))
        if op in WITH_BODY:
            loop, self._place[index] = self.loop(self.program.loops[operands[0]])
            self.graph.loops.append(loop)
            values = (self.graph.materialise(self.image[x]) for x in operands[1:])
            return self.graph.node(op, len(self.graph.loops) - 1, *values)
        return self.graph.rebuild(op, [self.image[x] for x in operands])

    def loop(self, loop) -> tuple:
        """What takes the place of a loop, and of each of its results."""
        return loop, lambda k: k


class RecordingCopy(Copy):
    """Counted loops also give what they carry at the start of each pass: who goes backward needs that."""

    def loop(self, loop) -> tuple:
        if not isinstance(loop, Repeat):
            return loop, lambda k: k
        body = loop.body
        nodes, at = list(body.nodes), {node: n for n, node in enumerate(body.nodes)}
        for k in range(loop.carried):
            leaf = (Op.INPUT, 0, k)
            if leaf not in at:
                at[leaf] = len(nodes)
                nodes.append(leaf)
        following, results = body.outputs
        kept = (*results.nodes, *(at[Op.INPUT, 0, k] for k in range(loop.carried)))
        outputs = (following, Output(results.name, (len(kept),), kept))
        recorded = Repeat(Program(body.name, tuple(nodes), body.inputs, outputs, body.loops), loop.limit)

        def place(k: int) -> int:
            if k < loop.carried:
                return k
            row, column = divmod(k - loop.carried, loop.row_results)
            return loop.carried + row * recorded.row_results + column

        return recorded, place
