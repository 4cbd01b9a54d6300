"""A program -> the LLVM modules of its compiled form: chunks for one lane and for several, and their drivers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ..trace import Program, count_operations
from .calls import chunk_name
from .counted import table_definition
from .emit import ChunkEmitter
from .entry import EntryFunction, has_entry
from .kernel import (
    batch_kernel,
    scalar_kernel,
    single_driver,
    single_workspace_bytes,
    workspace_bytes,
)
from .places import Places, direct_places, packed_places
from .plan import ChunkCall, Plan, make_plan
from .repeating_drivers import COPY_DECLARATION, batch_repeat, repeat_workspace_bytes, scalar_repeat
from .rounds import called_functions
from .rows_in_place import body_places, rows_in_place
from .target import Target
from .together import PassesTogether, chunks_together, loops_together
from .vector_type import VectorType

STEPS_PER_MODULE = 12_000  # or one chunk: a module is the unit of parallel compilation, and costs 2 ms by itself


@dataclass(frozen=True)
class WorkspaceSizes:
    """What the caller of the compiled functions must provide."""

    workspace_bytes: int
    single_workspace_bytes: int


class ModuleSource:
    """The IR of one compiled function, module by module. `repeat` adds the drivers of many steps."""

    def __init__(
        self, program: Program, lanes: int, dtype: str, target: Target, chunk_size: int | None = None, *,
        repeat: bool = False, arithmetic: str | None = None,
    ):  # fmt: skip
        self.vector = VectorType(lanes, arithmetic or dtype, dtype)
        self.scalar = self.vector.one
        self.target = target
        self._program, self._chunk_size, self._repeat = program, chunk_size, repeat

    @cached_property
    def plan(self) -> Plan:
        return make_plan(self._program, self.target.machine, self._chunk_size)

    @property
    def sizes(self) -> WorkspaceSizes:
        batch = workspace_bytes(self.plan, self.vector)
        if self._repeat:
            batch = max(batch, repeat_workspace_bytes(self.plan, self.scalar))
        return WorkspaceSizes(batch, single_workspace_bytes(self.plan, self.scalar))

    @property
    def has_entry(self) -> bool:
        return has_entry(self.plan, self.scalar)

    def modules(self) -> Iterator[str]:
        """Widest first: those take longest to compile."""
        if self.vector.lanes > 1:
            yield from self._chunk_modules(self.vector)
        yield from self._chunk_modules(self.scalar)
        yield from self._modules_of_passes_together()
        drivers = table_definition(self.plan, self.scalar)
        drivers += called_functions(self.plan, self._places(self.scalar), self.scalar)
        drivers += single_driver(self.plan, self.scalar)
        many = self.vector.lanes > 1
        if many:
            drivers += called_functions(self.plan, self._places(self.vector), self.vector)
        drivers += batch_kernel(self.plan, self.vector) if many else scalar_kernel(self.plan, self.scalar)
        if self._repeat:
            drivers += scalar_repeat(self.plan, self.scalar)
            drivers += batch_repeat(self.plan, self.vector) if many else []
        if self.has_entry:
            drivers += EntryFunction(self.plan, self.vector, count_operations(self.plan.program).total).text()
        yield self._text(drivers, {"declare ptr @llvm.ptrmask.p0.i64(ptr, i64)", COPY_DECLARATION})

    def _chunk_modules(self, vector: VectorType) -> Iterator[str]:
        many = vector.lanes > 1
        places = self._places(vector)
        sincos_lanes = 1 if many else self.target.machine.lanes(vector.dtype)
        numbers = [call.number for call in self.plan.called(vector.lanes) if isinstance(call, ChunkCall)]
        if not many:
            numbers = sorted(set(numbers) - chunks_together(self.plan, vector))
        in_place = {k: rows_in_place(self.plan, loop, vector) for k, loop in self.plan.bodies.items()}
        for group in self._grouped(numbers):
            emitter = ChunkEmitter(self.plan, vector, places, sincos_lanes=sincos_lanes)
            lines: list[str] = []
            for number in group:
                rows = in_place.get(number)
                emitter.places = places if rows is None else body_places(self.plan, rows, places, vector)
                lines += emitter.function(number, chunk_name(vector.lanes, number))
            yield self._text(lines, emitter.declarations)

    def _modules_of_passes_together(self) -> Iterator[str]:
        for loop in loops_together(self.plan, self.scalar):
            passes = PassesTogether(self.plan, loop, self.scalar)
            emitter = ChunkEmitter(self.plan, passes.vector, passes.places(), sincos_lanes=1)
            lines = [line for k in loop.chunks for line in emitter.function(k, passes.chunk_name(k))]
            yield self._text(lines, emitter.declarations)

    def _grouped(self, numbers: list[int]) -> Iterator[list[int]]:
        """Chunks that go into one module each."""
        group: list[int] = []
        steps = 0
        for number in numbers:
            size = len(self.plan.chunks[number])
            if group and steps + size > STEPS_PER_MODULE:
                yield group
                group, steps = [], 0
            group.append(number)
            steps += size
        if group:
            yield group

    def _places(self, vector: VectorType) -> Places:
        return packed_places(self.plan, vector) if vector.lanes > 1 else direct_places(self.plan, vector)

    def _text(self, lines: list[str], declarations: set[str]) -> str:
        return "\n".join([f'target triple = "{self.target.triple}"', *sorted(declarations), *lines, ""])
