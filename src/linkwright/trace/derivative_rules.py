"""The derivative of every operation, in forward mode.

Comparisons are constant almost everywhere, so a selection passes on the tangent of the branch it takes; at the kink of
abs, min and max one of the two slopes is given.
"""

from __future__ import annotations

from .graph import Graph
from .ops import Op


class GraphArithmetic:
    """GraphArithmetic on values of a graph."""

    def __init__(self, graph: Graph):
        self._graph = graph

    def __getattr__(self, name: str):
        op = Op[name.upper()]
        return lambda *operands: self._graph.rebuild(op, operands)


def _product(g: GraphArithmetic, result, x, dx):
    return g.add(g.mul(dx[0], x[1]), g.mul(x[0], dx[1]))


def _quotient(g: GraphArithmetic, result, x, dx):
    return g.div(g.sub(dx[0], g.mul(result, dx[1])), x[1])


def _angle(g: GraphArithmetic, result, x, dx):
    """Of atan2(y, x): (x dy - y dx) / (x^2 + y^2)."""
    turning = g.sub(g.mul(x[1], dx[0]), g.mul(x[0], dx[1]))
    return g.div(turning, g.add(g.mul(x[0], x[0]), g.mul(x[1], x[1])))


def _chosen(comparison: str):
    def rule(g: GraphArithmetic, result, x, dx):
        return g.select(getattr(g, comparison)(x[0], x[1]), dx[0], dx[1])

    return rule


# rule(builder, the node's own value, its operands, their tangents) -> its tangent
RULES = {
    Op.ADD: lambda g, r, x, dx: g.add(dx[0], dx[1]),
    Op.SUB: lambda g, r, x, dx: g.sub(dx[0], dx[1]),
    Op.MUL: _product,
    Op.DIV: _quotient,
    Op.NEG: lambda g, r, x, dx: g.neg(dx[0]),
    Op.SQRT: lambda g, r, x, dx: g.div(g.mul(0.5, dx[0]), r),
    Op.ABS: lambda g, r, x, dx: g.select(g.lt(x[0], 0.0), g.neg(dx[0]), dx[0]),
    Op.MIN: _chosen("le"),
    Op.MAX: lambda g, r, x, dx: g.select(g.le(x[1], x[0]), dx[0], dx[1]),
    Op.SIN: lambda g, r, x, dx: g.mul(g.cos(x[0]), dx[0]),
    Op.COS: lambda g, r, x, dx: g.neg(g.mul(g.sin(x[0]), dx[0])),
    Op.ATAN2: _angle,
    Op.EXP: lambda g, r, x, dx: g.mul(r, dx[0]),
    Op.LOG: lambda g, r, x, dx: g.div(dx[0], x[0]),
    Op.SELECT: lambda g, r, x, dx: g.select(x[0], dx[1], dx[2]),
}
