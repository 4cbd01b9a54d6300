"""A hash-consed graph of operations: equal subexpressions are one node, operands come before their users.

The methods named after an operation are *smart constructors*: they fold constants, drop `x + 0`, `x * 1` and
`x * 0`, and push negations outward until an addition absorbs them. They return either the index of a node or a
plain float when the result is a known number; so no node's operand pair is ever two constants.

Signed zeros and `0 * nan` are not preserved: a zero that is known when tracing is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .ops import COMMUTATIVE, LEAVES, LOOPS, TRUTH_VALUED, DefinedOp, Op

Node = tuple
Value = "int | float"  # a node's index, or a number


# the inputs of a loop's body: what it carries, what it reads of the graph around it, and its row of the tables
CARRIED, OUTER, ROW = 0, 1, 2
# the smart constructors ask for these all the time, and names of a module are found faster than members of Op
_ADD, _SUB, _MUL, _DIV, _NEG, _SIN, _COS = Op.ADD, Op.SUB, Op.MUL, Op.DIV, Op.NEG, Op.SIN, Op.COS


class Graph:
    """`parent` is the graph around a loop whose body this is; what it reads of that graph becomes an input.

    With `reuses` it takes from there what is computed there already, instead of computing it again.
    """

    def __init__(self, parent: Graph | None = None, *, reuses: bool = False) -> None:
        self.nodes: list[Node] = []
        self.loops: list = []  # what UNTIL and REPEAT nodes refer to: see until.py, repeat.py
        self.running: Any = None  # in the body of a loop: whether a sample still goes round
        self.parent = parent
        self.root: Graph = self if parent is None else parent.root
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.outer: dict[int, int] = {}  # node of the parent -> element of the input OUTER
        self._outer_nodes: list[int] = []  # the reverse of it
        self.starts: dict[int, int] = {}  # of a guard: node of the parent that its results start from -> which of them
        self._index: dict[Node, int] = {}
        self._reuses = reuses
        # what is being traced: see nesting.py
        self.current: Graph = self  # of a root
        self.guard: Graph | None = None

    def holds(self, other: Graph) -> bool:
        """Whether `other` is this graph or one around it."""
        return other is self or (self.parent is not None and self.parent.holds(other))

    def imported(self, graph: Graph, index: int) -> int:
        """The node of this graph for a node of it or of one around it."""
        if graph is self:
            return index
        above = self.parent.imported(graph, index)  # type: ignore[union-attr]  # callers ask `holds` first
        node = self.parent.nodes[above]  # type: ignore[union-attr]
        if node[0] is Op.CONST:
            return self.const(node[1])
        if node[0] in TRUTH_VALUED:  # inputs are numbers
            return self.call(Op.LT, 0.5, self._read(self.parent.select(above, 1.0, 0.0)))  # type: ignore[union-attr]
        return self._read(above)

    def _read(self, above: int) -> int:
        """The input that is node `above` of the parent."""
        if above in self.starts:
            return self.input(CARRIED, self.starts[above])
        element = self.outer.get(above)
        if element is None:
            element = self.outer[above] = len(self._outer_nodes)
            self._outer_nodes.append(above)
        return self.input(OUTER, element)

    def node(self, *key) -> int:
        """Index of the node (op, operands...), made if it is new."""
        index = self._index.get(key)
        if index is None and self._reuses:
            index = self._find_above(key)
        if index is None:
            index = self._index[key] = len(self.nodes)
            self.nodes.append(key)
        return index

    def forget_after(self, nodes: int, loops: int) -> None:
        """Keep so many nodes and loops; what comes next is as if the others had never been."""
        for node in self.nodes[nodes:]:
            del self._index[node]
        del self.nodes[nodes:], self.loops[loops:]

    def _find(self, key: Node) -> int | None:
        orders = (key, (key[0], *reversed(key[1:]))) if key[0] in COMMUTATIVE else (key,)
        found = next((self._index[x] for x in orders if x in self._index), None)
        return self._find_above(key) if found is None else found

    def _find_above(self, key: Node) -> int | None:
        """The input that stands for a node of the graphs around this one, if the node is there already."""
        op, *operands = key
        if self.parent is None or op in LEAVES or op in LOOPS or op in TRUTH_VALUED:
            return None
        above = [self._above(x) for x in operands]
        found = None if None in above else self.parent._find((op, *above))
        return None if found is None else self._read(found)

    def _above(self, index: int) -> int | None:
        """The parent's node that a node of this graph stands for, if it does."""
        op, *rest = self.nodes[index]
        if op is Op.INPUT and rest[0] == OUTER:
            return self._outer_nodes[rest[1]]
        return self.parent.const(rest[0]) if op is Op.CONST else None  # type: ignore[union-attr]

    def input(self, number: int, element: int) -> int:
        return self.node(Op.INPUT, number, element)

    def const(self, value: float) -> int:
        value = float(value)
        if value != value:  # nan equals nothing, so it would not be found again: one canonical object
            value = math.nan
        return self.node(Op.CONST, value + 0.0)  # + 0.0 turns -0.0, which hashes like 0.0, into 0.0

    def materialise(self, value) -> int:
        """A node for `value`, which may be a plain float."""
        return value if type(value) is int else self.const(value)

    # Arithmetic. Operands are node indices (int) or numbers (float).

    def add(self, a, b):
        if type(a) is float:
            a, b = b, a
        if type(b) is float:
            if type(a) is float:
                return a + b
            if b == 0.0:
                return a
            node = self.nodes[a]
            if node[0] is _NEG:
                return self.sub(b, node[1])
            return self.node(_ADD, a, self.const(b)) if b > 0 or b != b else self.node(_SUB, a, self.const(-b))
        node = self.nodes[b]
        if node[0] is _NEG:
            return self.sub(a, node[1])
        node = self.nodes[a]
        if node[0] is _NEG:
            return self.sub(b, node[1])
        return self.node(_ADD, a, b) if a < b else self.node(_ADD, b, a)

    def sub(self, a, b):
        if type(b) is float:
            return self.add(a, -b)
        node = self.nodes[b]
        if node[0] is _NEG:
            return self.add(a, node[1])
        if type(a) is float:
            if a == 0.0:
                return self.neg(b)
            a = self.const(a)
        elif a == b:
            return 0.0
        else:
            node = self.nodes[a]
            if node[0] is _NEG:
                return self.neg(self.add(node[1], b))
        opposite = self._index.get((_SUB, b, a))
        return self.node(_SUB, a, b) if opposite is None else self.neg(opposite)

    def neg(self, a):
        if type(a) is float:
            return -a
        node = self.nodes[a]
        if node[0] is _NEG:
            return node[1]
        if node[0] is _SUB:
            opposite = self._index.get((_SUB, node[2], node[1]))
            if opposite is not None:
                return opposite
        return self.node(_NEG, a)

    def mul(self, a, b):
        if type(a) is float:
            a, b = b, a
        if type(b) is float:
            if type(a) is float:
                return a * b
            if b == 0.0:
                return 0.0
            if b == 1.0:
                return a
            if b < 0:
                return self.neg(self.mul(a, -b))
            node = self.nodes[a]
            if node[0] is _NEG:
                return self.neg(self.mul(node[1], b))
            return self.node(_MUL, a, self.const(b))
        node = self.nodes[a]
        if node[0] is _NEG:
            return self.neg(self.mul(node[1], b))
        node = self.nodes[b]
        if node[0] is _NEG:
            return self.neg(self.mul(a, node[1]))
        return self.node(_MUL, a, b) if a < b else self.node(_MUL, b, a)

    def div(self, a, b):
        if type(b) is float:
            if type(a) is float:
                return float(np.divide(a, b))
            # a multiplication is several times cheaper and, where the reciprocal is exact or tiny
            # rounding is accepted as everywhere else, just as good
            return self.mul(a, float(np.divide(1.0, b)))
        if type(a) is float:
            if a == 0.0:
                return 0.0
            if a < 0:
                return self.neg(self.div(-a, b))
            a = self.const(a)
        elif a == b:
            return 1.0
        node = self.nodes[b]
        if node[0] is _NEG:
            return self.neg(self.div(a, node[1]))
        node = self.nodes[a]
        if node[0] is _NEG:
            return self.neg(self.div(node[1], b))
        return self.node(_DIV, a, b)

    def sin(self, a):
        node = self.nodes[a]
        if node[0] is _NEG:
            return self.neg(self.sin(node[1]))
        return self.node(_SIN, a)

    def cos(self, a):
        node = self.nodes[a]
        if node[0] is _NEG:
            return self.cos(node[1])
        return self.node(_COS, a)

    def call(self, op: Op | DefinedOp, *operands) -> int:
        """An operation without rules of its own."""
        return self.node(op, *(self.materialise(x) for x in operands))

    def select(self, condition: int, if_true, if_false):
        if type(if_true) is type(if_false) and if_true == if_false:
            return if_true
        return self.call(Op.SELECT, condition, if_true, if_false)

    def rebuild(self, op: Op | DefinedOp, operands):
        """The smart constructor for `op`, for passes that copy a graph while changing it.

        Operands that are constant nodes are unwrapped to floats first, so that folding sees them.
        """
        nodes = self.nodes
        operands = [
            nodes[x][1] if type(x) is int and nodes[x][0] is Op.CONST else x for x in operands
        ]
        rule = _RULES.get(op)
        if rule is not None and not (rule in _UNARY_RULES and type(operands[0]) is float):
            return rule(self, *operands)
        return self.call(op, *operands)


_RULES: dict[Op | DefinedOp, Callable[..., Any]] = {
    Op.ADD: Graph.add, Op.SUB: Graph.sub, Op.MUL: Graph.mul, Op.DIV: Graph.div, Op.NEG: Graph.neg,
    Op.SIN: Graph.sin, Op.COS: Graph.cos, Op.SELECT: Graph.select,
}  # fmt: skip
_UNARY_RULES: tuple[Callable[..., Any], ...] = (Graph.sin, Graph.cos)
