"""From a program to chunks of steps: what is computed, loaded and stored, in which order.

One huge function compiles in quadratic time, so the instructions become functions of at most `CHUNK_SIZE` of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..trace import Program
from ..trace.ops import LEAVES
from .lower import Instruction, lower
from .registers import Step, allocate
from .schedule import schedule

CHUNK_SIZE = 1500  # Talos in batches: 0.63 us with 300, 0.61 with 1000, 0.60 with 1500, 0.63 with 2500


@dataclass(frozen=True)
class Plan:
    program: Program
    instructions: list[Instruction]
    chunks: list[list[Step]]
    slots: int
    output_elements: dict[int, list[tuple[int, int]]]  # node -> [(output number, element)]


def make_plan(program: Program, registers: int, chunk_size: int | None = None) -> Plan:
    instructions = schedule(lower(program))
    leaves = {index for index, node in enumerate(program.nodes) if node[0] in LEAVES}
    allocation = allocate(instructions, leaves, registers, chunk_size or CHUNK_SIZE)
    elements: dict[int, list[tuple[int, int]]] = {}
    for number, output in enumerate(program.outputs):
        for element, node in enumerate(output.nodes):
            elements.setdefault(node, []).append((number, element))
    return Plan(program, instructions, allocation.chunks, allocation.slots, elements)
