"""A program -> instructions, as the processor will see them.

Three things happen here: a product that is used once, by a sum, fuses with it into a multiply-add; sin and cos of one
angle become one instruction with two results; and the larger or smaller of a value and a known number, which cannot be
NaN, becomes an instruction of its own, a third as long as where both may be. Fusing explicitly, rather than leaving it
to LLVM, makes the rounding of every value the same whatever the lane count and the chunk it falls into.
"""

from __future__ import annotations

from enum import IntEnum
from math import isnan
from typing import NamedTuple

from ..trace import Op, Program
from ..trace.ops import LEAVES, LOOPS, WITH_BODY, operands_of


class Fused(IntEnum):
    """Operations beyond those of the trace; numbered after them."""

    MUL_ADD = 100  # a*b + c
    MUL_SUB = 101  # a*b - c
    NEG_MUL_ADD = 102  # c - a*b
    SINCOS = 103
    AT_LEAST = 104  # the larger of a known number and a value
    AT_MOST = 105


class Instruction(NamedTuple):
    op: Op | Fused
    results: tuple[int, ...]  # nodes of the program; for SINCOS (sin, cos), with -1 for one that nobody needs
    operands: tuple[int, ...]


# Cycles from operands to result on current x86 and ARM cores, near enough for ordering instructions.
LATENCY = {
    Op.ADD: 3, Op.SUB: 3, Op.MUL: 3, Op.DIV: 14, Op.NEG: 1, Op.SQRT: 20, Op.ABS: 1, Op.MIN: 3, Op.MAX: 3,
    Op.ATAN2: 120, Op.EXP: 70, Op.LOG: 80, Op.LT: 3, Op.LE: 3, Op.AND: 1, Op.OR: 1, Op.NOT: 1, Op.SELECT: 2,
    Fused.MUL_ADD: 4, Fused.MUL_SUB: 4, Fused.NEG_MUL_ADD: 4, Fused.SINCOS: 60,
    Fused.AT_LEAST: 3, Fused.AT_MOST: 3,
}  # fmt: skip
# Registers an instruction needs for its own intermediate values, besides those of operands and results.
TEMPORARIES = {Fused.SINCOS: 6, Op.ATAN2: 9, Op.EXP: 5, Op.LOG: 7, Op.MIN: 1, Op.MAX: 1}


def lower(program: Program) -> list[Instruction]:
    """The instructions of a program; where a loop stands among them, its operation with its node as the result."""
    nodes = program.nodes
    uses = [0] * len(nodes)
    for node in nodes:
        for operand in operands_of(node):
            uses[operand] += 2 if node[0] in WITH_BODY else 1
    for output in program.outputs:
        for element in output.nodes:
            uses[element] += 2  # an output must exist as such, so it is never part of another instruction
    fused_into = _choose_fusions(nodes, uses)
    instructions: list[Instruction] = []
    pairs: dict[int, int] = {}  # angle -> instruction that computes its sin and cos
    for index, node in enumerate(nodes):
        op = node[0]
        if op in LEAVES or op is Op.RESULT or index in fused_into:
            continue
        if op in WITH_BODY:
            instructions.append(Instruction(op, (index,), ()))
            continue
        if op is Op.SIN or op is Op.COS:
            angle, which = node[1], int(op is Op.COS)
            position = pairs.get(angle)
            if position is None or instructions[position].results[which] >= 0:
                position = pairs[angle] = len(instructions)
                instructions.append(Instruction(Fused.SINCOS, (-1, -1), (angle,)))
            results = list(instructions[position].results)
            results[which] = index
            instructions[position] = instructions[position]._replace(results=tuple(results))
            continue
        if op is Op.ADD or op is Op.SUB:
            _, first, second = node
            if fused_into.get(first) == index:
                kind = Fused.MUL_ADD if op is Op.ADD else Fused.MUL_SUB
                instructions.append(Instruction(kind, (index,), (*nodes[first][1:], second)))
                continue
            if fused_into.get(second) == index:
                kind = Fused.MUL_ADD if op is Op.ADD else Fused.NEG_MUL_ADD
                instructions.append(Instruction(kind, (index,), (*nodes[second][1:], first)))
                continue
        if op is Op.MAX or op is Op.MIN:
            known = next((x for x in node[1:] if nodes[x][0] is Op.CONST and not isnan(nodes[x][1])), None)
            if known is not None:
                value = node[2] if node[1] == known else node[1]
                kind = Fused.AT_LEAST if op is Op.MAX else Fused.AT_MOST
                instructions.append(Instruction(kind, (index,), (known, value)))
                continue
        instructions.append(Instruction(op, (index,), node[1:]))
    return instructions


def _choose_fusions(nodes, uses) -> dict[int, int]:
    """Product -> the sum it fuses with. Of two products in one sum the one that is ready later fuses: it saves its
    own latency, while the other is computed in the meantime."""
    ready = [0] * len(nodes)
    fused_into: dict[int, int] = {}
    for index, node in enumerate(nodes):
        op = node[0]
        if op in LEAVES or op in LOOPS:
            continue
        operands = node[1:]
        if op is Op.ADD or op is Op.SUB:
            products = [x for x in operands if nodes[x][0] is Op.MUL and uses[x] == 1]
            if products:
                latest = max(products, key=ready.__getitem__)
                fused_into[latest] = index
                start = max([ready[x] for x in operands if x != latest] + [ready[latest] - LATENCY[Op.MUL]])
                ready[index] = start + LATENCY[Fused.MUL_ADD]
                continue
        ready[index] = max([ready[x] for x in operands]) + LATENCY.get(op, LATENCY[Fused.SINCOS])
    return fused_into
