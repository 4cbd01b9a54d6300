"""`Expr`: what an algorithm computes with while it is being traced."""

from __future__ import annotations

import numpy as np

from ..errors import TraceError
from .graph import Graph
from .ops import Op


class ForeignExpression(TraceError):
    """Expressions of graphs neither of which is around the other were used together."""


_NUMBERS = (float, int, np.number)


def _elementwise(operation, reflected=False):
    """An operator that also accepts NumPy arrays, element by element, and refuses what is no number."""

    def operator(self: Expr, other):
        graph, own = self.graph, self.index
        if type(other) is Expr:
            if other.graph is graph and graph.guard is None:
                operand = other.index
            else:
                graph, (own, operand) = in_one_graph(self, other)
        elif type(other) is float or isinstance(other, _NUMBERS):
            operand = float(other)  # type: ignore[assignment]  # graphs take nodes (int) and numbers (float) alike
            if graph.guard is not None:
                graph, (own,) = in_one_graph(self)
        elif isinstance(other, np.ndarray):
            apply = np.frompyfunc(lambda x: operator(self, x), 1, 1)
            return apply(other)
        else:
            return NotImplemented
        result = operation(graph, operand, own) if reflected else operation(graph, own, operand)
        return Expr(graph, result) if type(result) is int else result

    return operator


_OPPOSITES = {~True: False, ~False: True}  # what Python makes of truth values that are known: numbers


def _logical(operator, neutral: bool):
    """`and` or `or`, also with a truth value that is known already."""

    def known_or_traced(self: Expr, other):
        if type(other) is int and other in _OPPOSITES:
            other = _OPPOSITES[other]
        if isinstance(other, bool | np.bool_):
            return self if other == neutral else np.bool_(other)  # whose ~ is its opposite
        return operator(self, other)

    return known_or_traced


class Expr:
    """A number that will be known when the compiled program runs.

    Results that are known already come back as plain floats, so zeros and ones of the model vanish from the program.
    """

    __slots__ = ("graph", "index")
    __array_ufunc__ = None  # NumPy arrays hand binary operations to the operators below

    def __init__(self, graph: Graph, index: int):
        self.graph = graph
        self.index = index

    __add__ = __radd__ = _elementwise(Graph.add)
    __sub__ = _elementwise(Graph.sub)
    __rsub__ = _elementwise(Graph.sub, reflected=True)
    __mul__ = __rmul__ = _elementwise(Graph.mul)
    __truediv__ = _elementwise(Graph.div)
    __rtruediv__ = _elementwise(Graph.div, reflected=True)
    __lt__ = _elementwise(lambda g, a, b: g.call(Op.LT, a, b))
    __le__ = _elementwise(lambda g, a, b: g.call(Op.LE, a, b))
    __gt__ = _elementwise(lambda g, a, b: g.call(Op.LT, b, a))
    __ge__ = _elementwise(lambda g, a, b: g.call(Op.LE, b, a))
    __and__ = __rand__ = _logical(_elementwise(lambda g, a, b: g.call(Op.AND, a, b)), neutral=True)
    __or__ = __ror__ = _logical(_elementwise(lambda g, a, b: g.call(Op.OR, a, b)), neutral=False)

    def __neg__(self):
        return self._apply(Graph.neg)

    def __pos__(self):
        return self

    def __invert__(self):
        return self._call(Op.NOT, self)

    def __abs__(self):
        return self._call(Op.ABS, self)

    def __pow__(self, exponent):
        if isinstance(exponent, float) and exponent == 0.5:
            return self.sqrt()
        if not isinstance(exponent, int) or exponent < 0:
            raise TraceError(f"x ** {exponent!r} is not traced; use a non-negative integer, 0.5, or exp and log")
        result = 1.0
        for _ in range(exponent):
            result = result * self
        return result

    def sin(self):
        return self._apply(Graph.sin)

    def cos(self):
        return self._apply(Graph.cos)

    def sqrt(self):
        return self._call(Op.SQRT, self)

    def exp(self):
        return self._call(Op.EXP, self)

    def log(self):
        return self._call(Op.LOG, self)

    # Two-operand functions of linkwright.scalar: either operand may be the traced one.

    def _atan2(self, y, x):
        return self._call(Op.ATAN2, y, x)

    def _minimum(self, x, y):
        return self._call(Op.MIN, x, y)

    def _maximum(self, x, y):
        return self._call(Op.MAX, x, y)

    def _where(self, if_true, if_false):
        graph, operands = in_one_graph(self, if_true, if_false)
        value = graph.select(*operands)
        return Expr(graph, value) if type(value) is int else value

    def _until(self, body, start, done, limit, expected, keeps):
        from .until import traced_until  # until.py needs this file

        return traced_until(self.graph, body, start, done, limit, expected, keeps)

    def _repeat(self, body, start, tables, count):
        from .repeat import traced_repeat

        return traced_repeat(self.graph, body, start, tables, count)

    def _guard(self, body, otherwise, expected, keeps):
        from .guard import traced_guard

        return traced_guard(self, body, otherwise, expected, keeps)

    def _call(self, op: Op, *operands):
        graph, indices = in_one_graph(*operands)
        return Expr(graph, graph.call(op, *indices))

    def _apply(self, operation):
        graph, index = self.graph, self.index
        if graph.guard is not None:
            graph, (index,) = in_one_graph(self)
        value = operation(graph, index)
        return Expr(graph, value) if type(value) is int else value

    def __bool__(self):
        raise TraceError(
            "a traced value has no truth value yet, so `if`, `and`, `or`, `max` and `sorted` cannot look at it; "
            "use linkwright.scalar.where(condition, a, b)"
        )

    def __eq__(self, other):
        raise TraceError("traced values cannot be compared with ==; use <= and linkwright.scalar.where")

    __hash__ = object.__hash__

    def __float__(self):
        raise TraceError("a traced value is not a number yet; float(), math.* and int() cannot take it")

    def __repr__(self):
        return f"Expr({self.index}: {self.graph.nodes[self.index][0].name.lower()})"


def in_one_graph(*values) -> tuple[Graph, list]:
    """The graph that what is computed from the values belongs to (see nesting.py), and in it the index of each (of a
    plain number: the number)."""
    graphs = [x.graph for x in values if isinstance(x, Expr)]
    graph = max(graphs, key=lambda g: g.depth)
    if graph.guard is not None:
        graph = graph.guard
    if not all(graph.holds(other) for other in graphs):
        raise ForeignExpression(
            "an expression of another trace, or of the inside of a loop or guard, was used here; values must not be "
            "kept from one trace to the next, and leave a loop only as what it carries, a guard only as its results"
        )
    return graph, [graph.imported(x.graph, x.index) if isinstance(x, Expr) else float(x) for x in values]
