"""The closed set of operations a traced program consists of. Nothing else reaches the compiler."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np

from .. import scalar
from ..errors import TraceError


class Op(IntEnum):
    """Node kinds. `INPUT` holds (input number, element), `CONST` its value, the others indices of earlier nodes."""

    INPUT = 0
    CONST = 1
    ADD = 2
    SUB = 3
    MUL = 4
    DIV = 5
    NEG = 6
    SQRT = 7
    ABS = 8
    MIN = 9
    MAX = 10
    SIN = 11
    COS = 12
    ATAN2 = 13
    EXP = 14
    LOG = 15
    LT = 16  # LT, LE, AND, OR, NOT give truth values, which only AND, OR, NOT and SELECT take
    LE = 17
    AND = 18
    OR = 19
    NOT = 20
    SELECT = 21  # SELECT(condition, if_true, if_false)
    UNTIL = 22  # UNTIL holds (number of the loop, starts of what it carries ..., what else its body reads ...)
    RESULT = 23  # RESULT holds (index of an UNTIL or a REPEAT, which of its results)
    REPEAT = 24  # REPEAT holds (number of the loop, starts ..., what else its body reads ..., table row after row ...)


class DefinedOp(int):
    """An operation that a module of the user's defines (defined_ops.py); in nodes and tables it stands like an `Op`."""

    known: ClassVar[dict[str, DefinedOp]] = {}
    name: str

    def __new__(cls, number: int, name: str) -> DefinedOp:
        op = super().__new__(cls, number)
        op.name = name
        return op

    def __repr__(self) -> str:
        return f"<DefinedOp {self.name}>"

    def __reduce__(self):
        return _defined_op, (self.name,)


def _defined_op(name: str) -> DefinedOp:
    """When a program is read in another process."""
    if name not in DefinedOp.known:
        raise TraceError(f"operation {name.lower()!r} is not defined here; import the module that defines it")
    return DefinedOp.known[name]


def op_named(name: str) -> Op | DefinedOp:
    return DefinedOp.known[name] if name in DefinedOp.known else Op[name]


@dataclass(frozen=True)
class Operation:
    """What an operation is, whoever handles it. Derivatives stand in derivative_rules.py, machine code in
    codegen/lower.py; tests/trace/test_op_contract.py asks every operation for all of it.

    meaning     on numbers and arrays
    on_scalars  on any scalars, also traced ones
    counted_as  the kind that operation counts have it under
    gives       "number" or "truth"
    takes       of each operand
    commutes    whether its operands may change places, bit for bit
    """

    meaning: Callable[..., Any]
    on_scalars: Callable[..., Any]
    counted_as: str = "others"
    gives: str = "number"
    takes: tuple[str, ...] = ("number",)
    commutes: bool = False


_TWO = ("number", "number")
_COMPARED: dict[str, Any] = {"gives": "truth", "takes": _TWO}
OPERATIONS: dict[Op | DefinedOp, Operation] = {
    Op.ADD: Operation(np.add, operator.add, "additions", takes=_TWO, commutes=True),
    Op.SUB: Operation(np.subtract, operator.sub, "additions", takes=_TWO),
    Op.MUL: Operation(np.multiply, operator.mul, "multiplications", takes=_TWO, commutes=True),
    Op.DIV: Operation(np.divide, operator.truediv, "divisions", takes=_TWO),
    Op.NEG: Operation(np.negative, operator.neg, "negations"),
    Op.SQRT: Operation(np.sqrt, scalar.sqrt, "square_roots"),
    Op.ABS: Operation(np.abs, abs),
    Op.MIN: Operation(np.minimum, scalar.minimum, takes=_TWO),
    Op.MAX: Operation(np.maximum, scalar.maximum, takes=_TWO),
    Op.SIN: Operation(np.sin, scalar.sin, "sines_and_cosines"),
    Op.COS: Operation(np.cos, scalar.cos, "sines_and_cosines"),
    Op.ATAN2: Operation(np.arctan2, scalar.atan2, takes=_TWO),
    Op.EXP: Operation(np.exp, scalar.exp),
    Op.LOG: Operation(np.log, scalar.log),
    Op.LT: Operation(np.less, operator.lt, **_COMPARED),
    Op.LE: Operation(np.less_equal, operator.le, **_COMPARED),
    Op.AND: Operation(np.logical_and, operator.and_, gives="truth", takes=("truth", "truth")),
    Op.OR: Operation(np.logical_or, operator.or_, gives="truth", takes=("truth", "truth")),
    Op.NOT: Operation(np.logical_not, lambda x: ~x, gives="truth", takes=("truth",)),
    Op.SELECT: Operation(np.where, scalar.where, takes=("truth", "number", "number")),
}

ARITY = {op: len(known.takes) for op, known in OPERATIONS.items()}
COMMUTATIVE = frozenset(op for op, known in OPERATIONS.items() if known.commutes)
TRUTH_VALUED = frozenset(op for op, known in OPERATIONS.items() if known.gives == "truth")
TAKES_TRUTH = {op: tuple(x == "truth" for x in known.takes) for op, known in OPERATIONS.items()}
"""Per operation and operand: whether it must be a truth value (else it must be a number)."""
LEAVES = frozenset({Op.INPUT, Op.CONST})
LOOPS = frozenset({Op.UNTIL, Op.REPEAT, Op.RESULT})
WITH_BODY = frozenset({Op.UNTIL, Op.REPEAT})


def operands_of(node: tuple) -> tuple[int, ...]:
    """The nodes that `node` needs."""
    op = node[0]
    if op in LEAVES:
        return ()
    if op in WITH_BODY:
        return node[2:]
    return node[1:2] if op is Op.RESULT else node[1:]


def with_operands(node: tuple, operands: Iterable[int]) -> tuple:
    """The same node on other operands."""
    op = node[0]
    if op in LEAVES:
        return node
    if op in WITH_BODY:
        return (op, node[1], *operands)
    return (op, *operands, node[2]) if op is Op.RESULT else (op, *operands)
