"""Which values are in registers when: loads and stores are placed here, not by LLVM's register allocator.

The program is straight-line code, so the future is known, and evicting the value whose next use is farthest away
(Belady's rule) is close to optimal; on Talos' forward dynamics LLVM's allocator needed 15 % more loads and stores,
not counting constants. A value is stored at most once, right after it is computed, and read back before a
use that finds it evicted; x86 instructions take one operand from memory for free. Inputs and constants are in memory
to begin with. At the end of a chunk everything that is still needed goes to memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from heapq import heappop, heappush
from typing import NamedTuple

from ..trace import Op
from .lower import TEMPORARIES, Fused, Instruction

NEVER = 1 << 60
# Operands that an instruction can read straight from memory (one of them).
_FOLDABLE = {
    Op.ADD: (0, 1), Op.MUL: (0, 1), Op.SUB: (1,), Op.DIV: (1,),
    Fused.MUL_ADD: (0, 1, 2), Fused.MUL_SUB: (0, 1, 2), Fused.NEG_MUL_ADD: (0, 1, 2),
}  # fmt: skip
# Evicting a value that is in memory already saves a store, so it may be needed somewhat sooner than one that is not.
_CLEAN_ADVANTAGE = 2


class Action(IntEnum):
    LOAD = 0
    COMPUTE = 1
    STORE = 2


class Step(NamedTuple):
    action: Action
    subject: int  # a node, or for COMPUTE the index of an instruction
    slot: int = -1  # -1 for LOAD: the node is an input or a constant


class Allocation(NamedTuple):
    chunks: list[list[Step]]
    slots: int


def allocate(
    instructions: Sequence[Instruction], leaves: frozenset[int] | set[int], registers: int, chunk_size: int
) -> Allocation:
    loads, stored = _place(instructions, leaves, registers, chunk_size)
    return _assign_slots(instructions, leaves, loads, stored, chunk_size)


def _place(instructions, leaves, registers: int, chunk_size: int) -> tuple[list[list[int]], set[int]]:
    """Per instruction the values to load before it; and the set of values that must be stored."""
    next_uses, first_use = _next_uses(instructions)
    resident: dict[int, int] = {}  # value in a register -> its next use
    stored: set[int] = set()
    all_loads: list[list[int]] = []

    def evict(now: int, keep=()) -> None:
        farthest, victim = -1, -1
        for value, use in resident.items():
            if value in keep:
                continue
            distance = use - now
            if value in stored or value in leaves:
                distance *= _CLEAN_ADVANTAGE
            if distance > farthest:
                farthest, victim = distance, value
        del resident[victim]
        if victim not in leaves:
            stored.add(victim)

    for now, (op, results, operands) in enumerate(instructions):
        if now % chunk_size == 0:
            stored.update(value for value in resident if value not in leaves)
            resident.clear()
        uses = dict(zip(operands, next_uses[now], strict=True))
        missing = [x for x in uses if x not in resident]
        loads = list(missing)
        if missing:
            # One operand may come straight from memory: the one needed again last, unless it is worth a register.
            candidates = [operands[k] for k in _FOLDABLE.get(op, ()) if operands[k] in missing]
            candidates = [x for x in candidates if operands.count(x) == 1]
            if candidates:
                folded = max(candidates, key=uses.__getitem__)
                worth = uses[folded] < NEVER and (
                    len(resident) + len(missing) <= registers or uses[folded] < max(resident.values(), default=0)
                )
                if not worth:
                    missing.remove(folded)
            for value in missing:
                resident[value] = uses[value]
        room = registers - TEMPORARIES.get(op, 0)
        while len(resident) > room and len(resident) > len(uses):
            evict(now, uses)
        for value, use in uses.items():
            if use == NEVER:
                resident.pop(value, None)
            elif value in resident:
                resident[value] = use
        for result in results:
            if result >= 0 and first_use.get(result, NEVER) < NEVER:
                resident[result] = first_use[result]
        while len(resident) > registers:
            evict(now)
        all_loads.append(loads)
    return all_loads, stored


def _next_uses(instructions) -> tuple[list[tuple[int, ...]], dict[int, int]]:
    """For each operand of each instruction the next instruction that uses it; and every value's first use."""
    upcoming: dict[int, int] = {}
    next_uses = []
    for index in range(len(instructions) - 1, -1, -1):
        operands = instructions[index].operands
        next_uses.append(tuple(upcoming.get(x, NEVER) for x in operands))
        for operand in operands:
            upcoming[operand] = index
    next_uses.reverse()
    return next_uses, upcoming


def _assign_slots(instructions, leaves, loads: list[list[int]], stored: set[int], chunk_size: int) -> Allocation:
    """Slots are reused after the last load, smallest first, so that the workspace stays small and warm."""
    last_load = {}
    for index, values in enumerate(loads):
        for value in values:
            last_load[value] = index
    free: list[int] = []
    slots = 0
    slot_of: dict[int, int] = {}
    chunks: list[list[Step]] = []
    for index, instruction in enumerate(instructions):
        if index % chunk_size == 0:
            chunks.append([])
        steps = chunks[-1]
        for value in loads[index]:
            slot = -1 if value in leaves else slot_of[value]
            steps.append(Step(Action.LOAD, value, slot))
            if slot >= 0 and last_load[value] == index:
                heappush(free, slot)
        steps.append(Step(Action.COMPUTE, index))
        for value in instruction.results:
            if value in stored:
                if free:
                    slot = heappop(free)
                else:
                    slot, slots = slots, slots + 1
                slot_of[value] = slot
                steps.append(Step(Action.STORE, value, slot))
    return Allocation(chunks or [[]], slots)
