"""The closed set of operations a traced program consists of. Nothing else reaches the compiler."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


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


ARITY = {
    Op.ADD: 2, Op.SUB: 2, Op.MUL: 2, Op.DIV: 2, Op.NEG: 1, Op.SQRT: 1, Op.ABS: 1, Op.MIN: 2, Op.MAX: 2,
    Op.SIN: 1, Op.COS: 1, Op.ATAN2: 2, Op.EXP: 1, Op.LOG: 1,
    Op.LT: 2, Op.LE: 2, Op.AND: 2, Op.OR: 2, Op.NOT: 1, Op.SELECT: 3,
}  # fmt: skip

LEAVES = frozenset({Op.INPUT, Op.CONST})
COMMUTATIVE = frozenset({Op.ADD, Op.MUL})
TRUTH_VALUED = frozenset({Op.LT, Op.LE, Op.AND, Op.OR, Op.NOT})
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


def _takes_truth(op: Op, position: int) -> bool:
    return op in (Op.AND, Op.OR, Op.NOT) or (op is Op.SELECT and position == 0)


# Per operation and operand: whether it must be a truth value (else it must be a number).
TAKES_TRUTH = {op: tuple(_takes_truth(op, k) for k in range(arity)) for op, arity in ARITY.items()}
