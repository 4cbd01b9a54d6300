"""Operations beyond those of the library, defined by a module of the user's (docs/adding/op.md).

They are of numbers and give a number. What an operation needs is asked for when it is needed: a derivative by those who
differentiate, machine code (`codegen.lower_op`) by those who compile; who finds none says so by the operation's name.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

from ..errors import TraceError
from .derivative_rules import RULES, Partials, Selection
from .expr import Expr, in_one_graph
from .ops import ARITY, OPERATIONS, TAKES_TRUTH, DefinedOp, Op, Operation

FIRST_NUMBER = 1000


class CallableOp(DefinedOp):
    """An operation that is its own function: of numbers, arrays and traced values."""

    def __call__(self, *operands: Any) -> Any:
        takes = ARITY[self]
        if len(operands) != takes:
            raise TraceError(f"operation {self.name.lower()!r} takes {takes} operands; {len(operands)} given")
        if any(isinstance(x, Expr) for x in operands):
            graph, indices = in_one_graph(*operands)
            return Expr(graph, graph.call(self, *indices))
        return OPERATIONS[self].meaning(*operands)


def define_op(
    name: str, meaning: Callable[..., Any], *, takes: int = 1, derivative: Partials | Selection | None = None,
    counted_as: str = "others",
) -> CallableOp:  # fmt: skip
    """A new operation, which is also the function to call it by.

    name        one word; stored with programs, so it should keep its meaning
    meaning     on NumPy numbers and arrays, element by element
    takes       number of operands
    derivative  partial derivatives (derivative_rules.py)
    counted_as  the kind that operation counts have it under
    """
    if not (isinstance(name, str) and name.isidentifier()):
        raise TraceError(f"an operation is named {name!r}; expected one word")
    if name.upper() in Op.__members__ or name.upper() in DefinedOp.known:
        raise TraceError(f"there is an operation named {name!r} already")
    number = FIRST_NUMBER + zlib.crc32(name.upper().encode()) % 10**8  # the same in every process
    if any(number == other for other in DefinedOp.known.values()):
        raise TraceError(f"operation {name!r} has the number of another one by chance; give it another name")
    op = DefinedOp.known[name.upper()] = CallableOp(number, name.upper())
    OPERATIONS[op] = Operation(meaning, op, counted_as, takes=("number",) * takes)
    ARITY[op], TAKES_TRUTH[op] = takes, (False,) * takes
    if derivative is not None:
        RULES[op] = derivative
    return op
