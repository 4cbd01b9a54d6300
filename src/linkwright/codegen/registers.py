"""Which values are in registers when: loads and stores are placed here, not by LLVM's register allocator.

A stretch of the program is straight-line code, so the future is known, and evicting the value whose next use is
farthest away (Belady's rule) is close to optimal; on Talos' forward dynamics LLVM's allocator needed 15 % more loads
and stores, not counting constants. A value is stored at most once, right after it is computed, and read back before a
use that finds it evicted; x86 instructions take one operand from memory for free (`Machine.memory_operands`). Inputs
and constants are in memory to begin with. At the end of a chunk everything that is still needed goes to memory, and at
the end of a stretch what other stretches need.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from heapq import heappop, heappush
from typing import NamedTuple

from ..trace import Op
from .copies import ordered_copies
from .lower import TEMPORARIES, Fused
from .outline import Outline, Stretch

NEVER = 1 << 60
# Operands that an instruction can read straight from memory (one of them).
_FOLDABLE = {
    Op.ADD: (0, 1), Op.MUL: (0, 1), Op.SUB: (1,), Op.DIV: (1,),
    Fused.MUL_ADD: (0, 1, 2), Fused.MUL_SUB: (0, 1, 2), Fused.NEG_MUL_ADD: (0, 1, 2),
    Fused.AT_LEAST: (1,), Fused.AT_MOST: (1,),
}  # fmt: skip
# A chunk has about as many loads and stores as instructions; copies fill it up to this much.
_STEPS_PER_INSTRUCTION = 2
# Evicting a value that is in memory already saves a store, so it may be needed somewhat sooner than one that is not.
_CLEAN_ADVANTAGE = 2


class Action(IntEnum):
    LOAD = 0
    COMPUTE = 1
    STORE = 2
    OUTPUT = 3  # write a value that is no instruction's result to the outputs it is part of


class RegisterStep(NamedTuple):
    action: Action
    subject: int  # a value, or for COMPUTE the index of an instruction
    slot: int = -1  # -1 for LOAD: the value is an input or a constant


class Room(NamedTuple):
    """What there is to allocate from: see machine.py."""

    registers: int
    memory_operands: bool
    chunk_size: int


class Allocation(NamedTuple):
    """`chunks` of steps, those of each stretch in turn; `ends[k]` is how many there are up to the end of stretch k."""

    chunks: list[list[RegisterStep]]
    ends: list[int]
    slots: int
    cell_slots: dict[int, int]


def allocate(outline: Outline, outputs: Collection[int], room: Room) -> Allocation:
    """`outputs` are the values that are part of an output."""
    stretches = outline.stretches
    home = {r: k for k, x in enumerate(stretches) for y in x.instructions for r in y.results}
    needed_elsewhere: set[int] = set()
    for k, stretch in enumerate(stretches):
        read = {x for y in stretch.instructions for x in y.operands}.union(value for value, _ in stretch.writes)
        needed_elsewhere.update(x for x in read if home.get(x, k) != k)
    drafts = [_Draft(x, needed_elsewhere, room) for x in stretches]
    if drafts:
        drafts[-1].outputs = [x for x in outputs if x in outline.cells or x in outline.tables.fixed]
    return _assign_slots(outline, stretches, drafts, room.chunk_size)


class _Draft:
    """One stretch with its loads and stores, slots still open.

    A cell is written where its new value is computed if nobody reads the old one afterwards (`written`: value ->
    cells), else at the end (`late`), after everything that is written then has been read.
    """

    def __init__(self, stretch: Stretch, needed_elsewhere: set[int], room: Room):
        self.instructions = stretch.instructions
        self.outputs: list[int] = []
        position = {r: k for k, x in enumerate(stretch.instructions) for r in x.results}
        last_read = {x: k for k, y in enumerate(stretch.instructions) for x in y.operands}
        moved = {value for value, _ in stretch.writes if value not in position}
        self.written: dict[int, list[int]] = {}
        self.late: list[tuple[int, int]] = []
        for value, cell in stretch.writes:
            if value in position and last_read.get(cell, -1) <= position[value] and cell not in moved:
                self.written.setdefault(value, []).append(cell)
            else:
                self.late.append((value, cell))
        leaves = {x for y in stretch.instructions for x in y.operands if x not in position}
        kept = needed_elsewhere.union(value for value, _ in self.late)
        self.stored = {x for x in position if x in kept}
        self.loads = _place(stretch.instructions, leaves, self.stored, room)


def _place(instructions, leaves, stored: set[int], room: Room) -> list[list[int]]:
    """Per instruction the values to load before it. `leaves` are in memory to begin with; what must be stored joins
    `stored`."""
    registers, memory_operands, chunk_size = room
    next_uses, first_use = _next_uses(instructions)
    resident: dict[int, int] = {}  # value in a register -> its next use
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
            foldable = _FOLDABLE.get(op, ()) if memory_operands else ()
            candidates = [operands[k] for k in foldable if operands[k] in missing]
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
        free = registers - TEMPORARIES.get(op, 0)
        while len(resident) > free and len(resident) > len(uses):
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
    return all_loads


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


END = NEVER  # after the last instruction of a stretch
FIXED = 1 << 40  # and beyond: slots that tables lie in, as long as the number of the others is open


def _assign_slots(outline: Outline, stretches: list[Stretch], drafts: list[_Draft], chunk_size: int) -> Allocation:
    """Slots are reused after the last load, smallest first, so that the workspace stays small and warm."""
    last_use = _last_uses(outline, stretches, drafts)
    ending: dict[int, list[int]] = {}  # stretch -> values that nobody needs after it
    for value, (k, at) in last_use.items():
        if at == END:
            ending.setdefault(k, []).append(value)
    free: list[int] = []
    slots = 0
    slot_of: dict[int, int] = {value: FIXED + k for value, k in outline.tables.fixed.items()}

    def store(value: int, steps: list[RegisterStep], kept: int | None = None) -> None:
        nonlocal slots
        kept = value if kept is None else kept
        if kept not in slot_of:
            if free:
                slot_of[kept] = heappop(free)
            else:
                slot_of[kept], slots = slots, slots + 1
        steps.append(RegisterStep(Action.STORE, value, slot_of[kept]))

    def load(value: int, steps: list[RegisterStep]) -> int:
        slot = -1 if value in outline.leaves else slot_of[value]
        steps.append(RegisterStep(Action.LOAD, value, slot))
        return slot

    chunks: list[list[RegisterStep]] = []
    ends: list[int] = []
    first = 0  # number of the stretch's first instruction among all
    for k, draft in enumerate(drafts):
        count = len(chunks)
        for index, instruction in enumerate(draft.instructions):
            if index % chunk_size == 0:
                chunks.append([])
            steps = chunks[-1]
            for value in draft.loads[index]:
                slot = load(value, steps)
                if slot >= 0 and last_use.get(value) == (k, index):
                    heappush(free, slot)
            steps.append(RegisterStep(Action.COMPUTE, first + index))
            for value in instruction.results:
                if value in draft.stored:
                    store(value, steps)
                for cell in draft.written.get(value, ()):
                    store(value, steps, cell)
        fixed = outline.tables.fixed  # nobody reads what was there, so these need no order
        groups = [[pair] for pair in draft.late if pair[1] in fixed]
        groups += ordered_copies(pair for pair in draft.late if pair[1] not in fixed)
        if len(chunks) == count and (groups or k == len(drafts) - 1):  # the last one also copies leaves to outputs
            chunks.append([])
        for group in groups:
            steps = _chunk_with_room(chunks, chunk_size)
            for value, _ in group:
                load(value, steps)
            for value, cell in group:
                store(value, steps, cell)
        for value in draft.outputs:
            steps = _chunk_with_room(chunks, chunk_size)
            load(value, steps)
            steps.append(RegisterStep(Action.OUTPUT, value))
        for value in ending.get(k, ()):
            if value in slot_of:
                heappush(free, slot_of[value])
        first += len(draft.instructions)
        ends.append(len(chunks))
    if outline.tables.fixed:  # they come after those whose number is known only now
        for steps in chunks:
            steps[:] = [x._replace(slot=x.slot - FIXED + slots) if x.slot >= FIXED else x for x in steps]
    cell_slots = {x: slot_of[x] for x in outline.cells if x in slot_of}
    return Allocation(chunks, ends, slots + outline.tables.size, cell_slots)


def _chunk_with_room(chunks: list[list[RegisterStep]], chunk_size: int) -> list[RegisterStep]:
    """The chunk that a copy goes to: the last one, or a new one after it."""
    if len(chunks[-1]) >= _STEPS_PER_INSTRUCTION * chunk_size:
        chunks.append([])
    return chunks[-1]


def _last_uses(outline: Outline, stretches: list[Stretch], drafts: list[_Draft]) -> dict[int, tuple[int, int]]:
    """Of every value in a slot, the last (stretch, instruction) that needs it there.

    What a loop reads but does not compute must last until the loop ends; so must its cells. Whether it runs at all must
    last until it is asked, even if that was written before other loops.
    """
    final = {number: k for k, stretch in enumerate(stretches) for number in stretch.around}  # loop -> its last stretch
    home: dict[int, tuple[int, ...]] = {}  # value -> the loops it is computed in, or of a cell: around its loop
    for stretch in stretches:
        for instruction in stretch.instructions:
            home.update(dict.fromkeys(instruction.results, stretch.around))
        for _, cell in stretch.writes:
            home.setdefault(cell, stretch.around)  # the first stretch that writes it is the one before the loop
    uses: dict[int, tuple[int, int]] = {}
    for k, (stretch, draft) in enumerate(zip(stretches, drafts, strict=True)):
        found = [(value, index) for index, values in enumerate(draft.loads) for value in values]
        found += [(x, END) for pair in draft.late for x in pair] + [(x, END) for x in draft.outputs]
        found += [(cell, END) for cells in draft.written.values() for cell in cells]
        for value, index in found:
            if value in outline.leaves or value in outline.tables.fixed:
                continue
            inner = stretch.around[len(home[value]) :]
            uses[value] = max(uses.get(value, (-1, -1)), (final[inner[0]], END) if inner else (k, index))
    first = {number: k for k, stretch in reversed([*enumerate(stretches)]) for number in stretch.around}
    for loop in outline.loops:
        if loop.running is not None:
            uses[loop.running] = max(uses.get(loop.running, (-1, -1)), (first[loop.number] - 1, END))
    return uses
