"""The derivative of every operation: one table, read forward by tangents.py and backward by adjoints.py.

An operation on numbers has one partial derivative per operand, and multiplying with it serves both modes: tangents of
the operands are multiplied and summed, the adjoint of the result is multiplied and handed to each operand. Comparisons
are constant almost everywhere, so a selection passes on what belongs to the branch it takes; at the kink of abs, min
and max one of the two slopes is given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..errors import TraceError
from .graph import Graph
from .ops import DefinedOp, Op, op_named


class GraphArithmetic:
    """GraphArithmetic on values of a graph."""

    def __init__(self, graph: Graph):
        self._graph = graph

    def __getattr__(self, name: str):
        op = op_named(name.upper())
        return lambda *operands: self._graph.rebuild(op, operands)

    def known(self, value) -> float | None:
        """The number that `value` is, if that is known."""
        if type(value) is float:
            return value
        node = self._graph.nodes[value]
        return node[1] if node[0] is Op.CONST else None


def is_zero(rate) -> bool:
    return type(rate) is float and rate == 0.0


Part = Callable  # part(builder, the node's own value, its operands, t) -> t times a numerator of a partial derivative


@dataclass(frozen=True)
class Partials:
    """Partial derivatives as numerators over a common denominator: `divided` by it is done once for all operands."""

    numerators: tuple[Part, ...]
    divided: Part = lambda g, r, x, t: t

    def tangent(self, g: GraphArithmetic, result, x: Sequence, dx: Sequence):
        total = 0.0
        for part, t in zip(self.numerators, dx, strict=True):
            if not is_zero(t):
                total = g.add(total, part(g, result, x, t))
        return self.divided(g, result, x, total)

    def adjoints(self, g: GraphArithmetic, result, x: Sequence, t) -> list:
        """What each operand gets of the adjoint t of the result."""
        shared = self.divided(g, result, x, t)
        return [part(g, result, x, shared) for part in self.numerators]


@dataclass(frozen=True)
class Selection:
    """One of the last two operands, as it is: the first of them where the condition holds."""

    condition: Callable

    def tangent(self, g: GraphArithmetic, result, x: Sequence, dx: Sequence):
        return g.select(self.condition(g, x), dx[-2], dx[-1])

    def adjoints(self, g: GraphArithmetic, result, x: Sequence, t) -> list:
        condition = self.condition(g, x)
        return [*([0.0] * (len(x) - 2)), g.select(condition, t, 0.0), g.select(condition, 0.0, t)]


def _same(g: GraphArithmetic, r, x, t):
    return t


def _reversed(g: GraphArithmetic, r, x, t):
    return g.neg(t)


def _over_divisor(g: GraphArithmetic, r, x, t):
    """t / x[1]; of c / x[1] that is r t / c, without another division."""
    numerator = g.known(x[0])
    if numerator is None or numerator == 0.0:
        return g.div(t, x[1])
    return g.mul(t, g.mul(r, 1.0 / numerator))


def _over_square_distance(g: GraphArithmetic, r, x, t):
    return g.div(t, g.add(g.mul(x[0], x[0]), g.mul(x[1], x[1])))


def rule_of(op: Op | DefinedOp) -> Partials | Selection:
    if op not in RULES:
        raise TraceError(
            f"operation {op.name.lower()!r} has no derivative: define it with derivative=... (docs/adding/op.md)"
        )
    return RULES[op]


RULES: dict[Op | DefinedOp, Partials | Selection] = {
    Op.ADD: Partials((_same, _same)),
    Op.SUB: Partials((_same, _reversed)),
    Op.MUL: Partials((lambda g, r, x, t: g.mul(t, x[1]), lambda g, r, x, t: g.mul(x[0], t))),
    Op.DIV: Partials((_same, lambda g, r, x, t: g.neg(g.mul(r, t))), _over_divisor),
    Op.NEG: Partials((_reversed,)),
    Op.SQRT: Partials((lambda g, r, x, t: g.mul(0.5, t),), lambda g, r, x, t: g.div(t, r)),
    Op.ABS: Partials((lambda g, r, x, t: g.select(g.lt(x[0], 0.0), g.neg(t), t),)),
    Op.MIN: Selection(lambda g, x: g.le(x[0], x[1])),
    Op.MAX: Selection(lambda g, x: g.le(x[1], x[0])),
    Op.SIN: Partials((lambda g, r, x, t: g.mul(g.cos(x[0]), t),)),
    Op.COS: Partials((lambda g, r, x, t: g.neg(g.mul(g.sin(x[0]), t)),)),
    Op.ATAN2: Partials(
        (lambda g, r, x, t: g.mul(x[1], t), lambda g, r, x, t: g.neg(g.mul(x[0], t))), _over_square_distance
    ),
    Op.EXP: Partials((lambda g, r, x, t: g.mul(r, t),)),
    Op.LOG: Partials((_same,), lambda g, r, x, t: g.div(t, x[0])),
    Op.SELECT: Selection(lambda g, x: x[0]),
}
