"""How many operations programs take that begin alike: the beginning is traced once, each end counted and forgotten.

Searches among many ways ask for that. No program is made: what results need is counted in the graph, less the
multiplications that factoring saves (factoring.py). That is what `count_operations(simplify(trace(...)))` says, but for
the few sums that fold once their products have been factored; they stand in the beginning, the same for all ends.
That holds for straight lines; where there are loops, the program is made after all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from .expr import Expr
from .factoring import shared_factor
from .graph import Graph
from .operations import count_operations
from .ops import LEAVES, Op
from .passes import simplify
from .program import Output, Program, declare

Begun = TypeVar("Begun")


class CommonBeginning(Generic[Begun]):
    """What `begin(**inputs)` returns, traced once. `inputs` gives the shape of each argument, as for `trace`."""

    def __init__(self, begin: Callable[..., Begun], inputs: Mapping[str, int | tuple[int, ...]]):
        self._graph = Graph()
        self._inputs, symbols = declare(self._graph, inputs)
        self._begun = begin(**symbols)
        self._length, self._loops = len(self._graph.nodes), len(self._graph.loops)

    def operations(self, go_on: Callable[[Begun], Iterable[Any]]) -> int:
        """Of a program with the results of `go_on`, which must leave what was begun as it was."""
        graph = self._graph
        try:
            results = tuple(x.index for x in go_on(self._begun) if isinstance(x, Expr))
            if not graph.loops:
                return _operations(graph.nodes, results)
            output = Output("out", (len(results),), results)
            program = Program("end", tuple(graph.nodes), self._inputs, (output,), tuple(graph.loops))
            return count_operations(simplify(program)).total
        finally:
            graph.forget_after(self._length, self._loops)


def _operations(nodes: Sequence[tuple], results: Sequence[int]) -> int:
    uses = [0] * len(nodes)
    for index in results:
        uses[index] += 2  # a result is never dissolved
    total, sums = 0, []
    for index in range(len(nodes) - 1, -1, -1):  # users come after what they use
        node = nodes[index]
        if not uses[index] or node[0] in LEAVES:
            continue
        total += 1
        for operand in node[1:]:
            uses[operand] += 1
        if node[0] is Op.ADD or node[0] is Op.SUB:
            sums.append(node)
    return total - sum(shared_factor(nodes, uses, node[1:]) is not None for node in sums)
