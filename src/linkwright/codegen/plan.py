"""From a program to chunks of steps: what is computed, loaded and stored, in which order; and the loops around them.

One huge function compiles in quadratic time, so the instructions become functions of at most `chunk_size` of them. A
loop is a function too, which calls those of its body, so that whoever runs a program just makes one call after the
other.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..trace import Program
from .lower import Instruction
from .machine import Machine
from .outline import Loop, Outline, Stretch, make_outline
from .registers import Room, Step, allocate


@dataclass(frozen=True)
class ChunkCall:
    number: int


@dataclass(frozen=True)
class LoopCall:
    """Call `calls` over and over, `limit` times at the most, as long as slot `running` holds no zero in some lane."""

    number: int
    calls: tuple[ChunkCall | LoopCall, ...]
    limit: int
    running: int

    @property
    def inner(self) -> list[LoopCall]:
        """Itself and the loops within it."""
        return [self, *(loop for call in self.calls if isinstance(call, LoopCall) for loop in call.inner)]


@dataclass(frozen=True)
class Plan:
    machine: Machine
    outline: Outline
    instructions: list[Instruction]
    chunks: list[list[Step]]
    calls: tuple[ChunkCall | LoopCall, ...]
    slots: int
    output_elements: dict[int, list[tuple[int, int]]]  # value -> [(output number, element)]

    @property
    def program(self) -> Program:
        return self.outline.program

    @property
    def loops(self) -> list[LoopCall]:
        return [loop for call in self.calls if isinstance(call, LoopCall) for loop in call.inner]


def make_plan(program: Program, machine: Machine, chunk_size: int | None = None) -> Plan:
    """One register is left for what instructions read from memory or need in between."""
    outline = make_outline(program)
    elements: dict[int, list[tuple[int, int]]] = {}
    for number, output in enumerate(program.outputs):
        for element, node in enumerate(output.nodes):
            elements.setdefault(outline.results[node], []).append((number, element))
    room = Room(machine.vector_registers - 1, machine.memory_operands, chunk_size or machine.chunk_size)
    allocation = allocate(outline, elements, room)
    stretch_chunks = iter(zip([0, *allocation.ends], allocation.ends, strict=False))

    def calls(parts) -> tuple[ChunkCall | LoopCall, ...]:
        result: list[ChunkCall | LoopCall] = []
        for part in parts:
            if isinstance(part, Stretch):
                result += [ChunkCall(k) for k in range(*next(stretch_chunks))]
            else:
                result.append(_loop_call(part))
        return tuple(result)

    def _loop_call(loop: Loop) -> LoopCall:
        return LoopCall(loop.number, calls(loop.parts), loop.limit, allocation.cell_slots[loop.running])

    instructions = [x for stretch in outline.stretches for x in stretch.instructions]
    return Plan(machine, outline, instructions, allocation.chunks, calls(outline.parts), allocation.slots, elements)
