"""From a program to chunks of steps: what is computed, loaded and stored, in which order; and the loops around them.

One huge function compiles in quadratic time, so the instructions become functions of at most `chunk_size` of them. A
loop is a function too, which calls those of its body, so that whoever runs a program just makes one call after the
other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..trace import Program
from .lower import Instruction
from .machine import Machine
from .outline import CodeLoop, Outline, Stretch, make_outline
from .registers import RegisterStep, Room, allocate
from .table_memory import place_tables
from .tables import Line, Memory, Move, even_line, merged
from .visits import Visit, is_rare, make_visit


@dataclass(frozen=True)
class ChunkCall:
    number: int


@dataclass(frozen=True)
class LoopCall:
    """Call `calls` over and over, `limit` times at the most, as long as slot `running` holds no zero in some lane; if
    there is no such slot, `limit` times, with `rows` to copy before each pass and `results` after it. With a `visit`
    several lanes go round one by one, in the code for one. Passes are `independent` if they need nothing of each
    other, and then each is told its number."""

    number: int
    calls: tuple[ChunkCall | LoopCall, ...]
    limit: int
    running: int | None
    rows: tuple[Move, ...] = ()
    results: tuple[Move, ...] = ()
    visit: Visit | None = None
    independent: bool = False

    @property
    def chunks(self) -> list[int]:
        """Those it calls itself."""
        return [call.number for call in self.calls if isinstance(call, ChunkCall)]


@dataclass(frozen=True)
class Plan:
    machine: Machine
    outline: Outline
    instructions: list[Instruction]
    chunks: list[list[RegisterStep]]
    calls: tuple[ChunkCall | LoopCall, ...]
    slots: int
    fixed_start: int  # the first of the slots that tables lie in
    output_elements: dict[int, list[tuple[int, int]]]  # value -> [(output number, element)]

    @property
    def program(self) -> Program:
        return self.outline.program

    @cached_property
    def bodies(self) -> dict[int, LoopCall]:
        """Chunk -> the loop with independent passes whose body it is part of."""
        loops = [x for x in self.called(1) if isinstance(x, LoopCall) and x.independent]
        return {k: loop for loop in loops for k in loop.chunks}

    @property
    def visited(self) -> bool:
        """Whether there are loops that several lanes go round one by one."""
        return any(isinstance(call, LoopCall) and call.visit for call in self.called(2))

    def called(self, lanes: int) -> list[ChunkCall | LoopCall]:
        """All functions there are for so many lanes, in the order of execution."""
        return list(_called(self.calls, lanes))


def _called(calls, lanes: int) -> Iterator[ChunkCall | LoopCall]:
    for call in calls:
        yield call
        if isinstance(call, LoopCall) and (lanes == 1 or call.visit is None):
            yield from _called(call.calls, lanes)


def make_plan(program: Program, machine: Machine, chunk_size: int | None = None) -> Plan:
    """One register is left for what instructions read from memory or need in between."""
    outline = make_outline(program, machine)
    elements: dict[int, list[tuple[int, int]]] = {}
    for number, output in enumerate(program.outputs):
        for element, node in enumerate(output.nodes):
            elements.setdefault(outline.results[node], []).append((number, element))
    room = Room(machine.vector_registers - 1, machine.memory_operands, chunk_size or machine.chunk_size)
    result_moves = place_tables(outline, _result_moves(outline, elements), elements)
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

    def _loop_call(loop: CodeLoop) -> LoopCall:
        running = None if loop.running is None else allocation.cell_slots[loop.running]
        rows, results = tuple(merged(loop.rows)), tuple(merged(result_moves[loop.number]))
        inside = calls(loop.parts)
        chunks = [allocation.chunks[call.number] for call in _called(inside, 1) if isinstance(call, ChunkCall)]
        visit = make_visit(loop, chunks, outline, allocation.cell_slots) if is_rare(loop, allocation.slots) else None
        independent = running is None and not loop.carried and all(isinstance(x, Stretch) for x in loop.parts)
        return LoopCall(loop.number, inside, loop.limit, running, rows, results, visit, independent)

    instructions = [x for stretch in outline.stretches for x in stretch.instructions]
    return Plan(
        machine, outline, instructions, allocation.chunks, calls(outline.parts), allocation.slots,
        allocation.slots - outline.tables.size, elements,
    )  # fmt: skip


def _result_moves(outline: Outline, elements: dict[int, list[tuple[int, int]]]) -> dict[int, list[Move]]:
    """What each counted loop copies after a pass: its results to where they are read, and straight to the program's
    outputs where they lie at even distances there; those then need no other code, and leave `elements`."""
    fixed = outline.tables.fixed
    read = {fixed[x] for s in outline.stretches for y in s.instructions for x in y.operands if x in fixed}
    read |= {fixed[value] for s in outline.stretches for value, _ in s.writes if value in fixed}
    for loop in outline.loops:
        read |= {fixed[value] for value in loop.found}
        for move in loop.rows:
            if move.source.memory is Memory.FIXED:
                read |= move.source.elements(loop.limit, 1)
    moves: dict[int, list[Move]] = {}
    for loop in outline.loops:
        kept: list[Move] = []
        given: list[Move] = []
        for value, column in zip(loop.found, loop.results, strict=True):
            source = outline.tables.line(value)
            lines = _output_lines([elements.get(x, []) for x in column])
            given += [Move(source, line) for line in lines]
            for x in column if lines else ():
                elements.pop(x)
            if any(x in elements or fixed[x] in read for x in column):
                step = fixed[column[1]] - fixed[column[0]] if len(column) > 1 else 0
                kept.append(Move(source, Line(Memory.FIXED, 0, fixed[column[0]], step)))
        moves[loop.number] = [*kept, *given]
    return moves


def _output_lines(uses: list[list[tuple[int, int]]]) -> list[Line]:
    """The lines on which all uses of a column as output lie; none if some do not."""
    lines: list[Line] = []
    if len({len(x) for x in uses}) == 1:
        for places in zip(*uses, strict=True):
            line = even_line([(Memory.OUTPUT, *place) for place in places])
            if line is None:
                return []
            lines.append(line)
    return lines
