"""Passes of a counted loop that need nothing of each other: in code for one sample, several of them at once.

A loop that carries nothing may take its passes in any order. So where one sample is computed alone, each lane of a
vector takes a pass of its own: columns of a Jacobian, say, eight at a time. The body is compiled for vectors then. What
it reads from outside is one number, spread over the lanes when it is read. Its row and its results are vectors: in
tables and outputs as these are, where elements lie side by side from pass to pass (rows_in_place.py); else, and what
the body keeps for itself, in memory of their own behind that of the sample. The last passes are taken together with
some before them, which find what they found already; where there are fewer passes than lanes, the other lanes compute
with zeros, and of rows and results in tables and outputs only the first lanes are touched.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .counted import TABLES
from .machine import ALIGNMENT
from .packing import counting_loop
from .places import Place, Places, direct_places
from .plan import LoopCall, Plan
from .registers import Action
from .row_table import row_table
from .rows_in_place import RowsInPlace, body_places, goes_along, rows_in_place
from .tables import Line, Memory, Move, merged
from .vector_type import VectorType, load_first, store_first

WRITTEN_OUT = 8  # columns that are moved one by one; more of them in a loop


def passes_at_once(plan: Plan, loop: LoopCall, scalar: VectorType) -> int:
    """A power of two; 1 where passes are taken one by one."""
    if not loop.independent:
        return 1
    return min(plan.machine.lanes(scalar.dtype), 1 << (loop.limit - 1).bit_length())


def loops_together(plan: Plan, scalar: VectorType) -> list[LoopCall]:
    return [x for x in plan.called(1) if isinstance(x, LoopCall) and passes_at_once(plan, x, scalar) > 1]


def chunks_together(plan: Plan, scalar: VectorType) -> set[int]:
    """Chunks that there are in this form only, not for one lane."""
    return {k for loop in loops_together(plan, scalar) for k in loop.chunks}


def own_memory(plan: Plan, scalar: VectorType) -> int:
    """Bytes behind the table of a sample's rows, and for that to be aligned."""
    sizes = [PassesTogether(plan, loop, scalar).size for loop in loops_together(plan, scalar)]
    return max(sizes) + ALIGNMENT if sizes else 0


@dataclass(frozen=True)
class PassesTogether:
    """One such loop. `scalar` is what a sample alone is computed with."""

    plan: Plan
    loop: LoopCall
    scalar: VectorType

    @property
    def vector(self) -> VectorType:
        lanes = passes_at_once(self.plan, self.loop, self.scalar)
        return VectorType(lanes, self.scalar.dtype, self.scalar.array_dtype)

    @property
    def taken(self) -> int:
        """The lanes that a pass is in; in the others there is what nobody reads."""
        return min(self.vector.lanes, self.loop.limit)

    @property
    def rows(self) -> RowsInPlace:
        return rows_in_place(self.plan, self.loop, self.scalar)

    @property
    def own(self) -> dict[int, int]:
        """Slots that are vectors here -> which."""
        rows = self.rows
        slots = {step.slot for k in self.loop.chunks for step in self.plan.chunks[k] if step.action is Action.STORE}
        slots |= {self.plan.fixed_start + move.target.first for move in rows.rows}
        return {slot: k for k, slot in enumerate(sorted(slots - rows.written.keys()))}

    @property
    def start(self) -> int:
        return -(-row_table(self.plan, self.scalar).end // ALIGNMENT) * ALIGNMENT

    @property
    def size(self) -> int:
        return len(self.own) * self.vector.bytes

    def chunk_name(self, number: int) -> str:
        return f"lw_together_{number}"

    def places(self) -> Places:
        """Of the chunks of the body."""
        own, start, size, rows = self.own, self.start, self.vector.bytes, self.rows
        taken = self.taken if self.taken < self.vector.lanes else None
        alone = direct_places(self.plan, self.scalar)
        along = body_places(self.plan, rows, alone, self.scalar)

        def slot_read(slot: int) -> Place:
            return ("%read", start + own[slot] * size) if slot in own else along.slot_read(slot)

        def slot_written(slot: int) -> Place:
            return ("%write", start + own[slot] * size) if slot in own else along.slot_written(slot)

        return replace(
            along, slot_read=slot_read, slot_written=slot_written, alignment=self.scalar.bytes,
            is_shared=lambda slot: slot is None or (slot not in own and slot not in rows.read),
            first_lanes=lambda place: taken if goes_along(place) else None,
        )  # fmt: skip

    def function(self, name: str) -> list[str]:
        """Of the loop; its chunks are in other modules."""
        places, lanes, limit = direct_places(self.plan, self.scalar), self.taken, self.loop.limit
        moves = _VectorMoves(self, places)
        before = moves.text(self._translated(self.rows.rows), "round", "call")
        after = moves.text(self._translated(self.rows.results), "call", "next")
        given = f"{places.parameters}, i64 %pass"
        return [
            *(f"declare void @{self.chunk_name(k)}({given})" for k in self.loop.chunks),
            f"define internal void @{name}({places.parameters}) nounwind {{",
            "entry:",
            *places.prologue([*before, *after]),
            "br label %check",
            "check:",
            "%first = phi i64 [ 0, %entry ], [ %first_next, %next ]",
            f"%again = icmp slt i64 %first, {limit}",
            "br i1 %again, label %round, label %done",
            "round:",
            f"%inside = icmp slt i64 %first, {limit - lanes}",
            f"%pass = select i1 %inside, i64 %first, i64 {limit - lanes}",
            *before,
            "call:",
            *(f"call void @{self.chunk_name(k)}({given})" for k in self.loop.chunks),
            *after,
            "next:",
            f"%first_next = add i64 %first, {lanes}",
            "br label %check",
            "done:",
            "ret void",
            "}",
        ]

    def _translated(self, moves: tuple[Move, ...]) -> list[Move]:
        """With slots that are vectors here as such."""
        return merged([
            Move(self._place(source), self._place(target)) for source, target, _ in moves
        ])  # fmt: skip

    def _place(self, line: Line) -> Line:
        own = self.own.get(self.plan.fixed_start + line.first) if line.memory is Memory.FIXED else None
        return line if own is None or line.per_pass else Line(Memory.VECTORS, 0, own, 0)


class _VectorMoves:
    """Code that moves as many rows as there are lanes, from %pass on."""

    def __init__(self, loop: PassesTogether, places: Places):
        self.loop, self.places, self.vector = loop, places, loop.vector
        self._count = 0

    def _emit(self, lines: list[str], instruction: str) -> str:
        self._count += 1
        lines.append(f"%m{self._count} = {instruction}")
        return f"%m{self._count}"

    def text(self, moves: list[Move], before: str, after: str) -> list[str]:
        """Begins in the block `before` and leaves to `after`."""
        lines: list[str] = []
        for move in moves:
            if move.columns <= WRITTEN_OUT:
                for column in range(move.columns):
                    self._move(lines, move, str(column))
                continue
            self._count += 1
            label = f"columns{self._count}"
            body: list[str] = []
            self._move(body, move, f"%k_{label}")
            lines.append(f"br label %{label}")
            lines += counting_loop(label, f"k_{label}", str(move.columns), body, f"after_{label}", before=before)
            before = f"after_{label}"
            lines.append(f"{before}:")
        return [*lines, f"br label %{after}"]

    def _move(self, lines: list[str], move: Move, column: str) -> None:
        vector = self.vector
        value = self._load(lines, move.source, column)
        if move.source.memory is Memory.INPUT and vector.converts:
            value = self._emit(lines, vector.from_arrays(value))
        if move.target.memory is Memory.OUTPUT and vector.converts:
            value = self._emit(lines, vector.to_arrays(value))
        self._store(lines, move.target, column, value)

    def _load(self, lines: list[str], line: Line, column: str) -> str:
        kind, alignment = self._held(line)
        address = self._address(lines, line, column, written=False)
        if line.memory is Memory.VECTORS or line.per_pass == 1:
            there = kind.lanes if line.memory is Memory.VECTORS else self.loop.taken
            return load_first(lambda text: self._emit(lines, text), kind, there, address, alignment)
        vector = "zeroinitializer"
        for lane in range(self.loop.taken if line.per_pass else kind.lanes):
            if lane == 0 or line.per_pass:
                at = self._emit(lines, f"getelementptr {kind.scalar}, ptr {address}, i64 {lane * line.per_pass}")
                one = self._emit(lines, f"load {kind.scalar}, ptr {at}, align {kind.scalar_bytes}")
            vector = self._emit(lines, f"insertelement {kind.text} {vector}, {kind.scalar} {one}, i32 {lane}")
        return vector

    def _store(self, lines: list[str], line: Line, column: str, value: str) -> None:
        kind, alignment = self._held(line)
        address = self._address(lines, line, column, written=True)
        if line.memory is Memory.VECTORS or line.per_pass == 1:
            there = kind.lanes if line.memory is Memory.VECTORS else self.loop.taken
            lines.append(store_first(lambda text: self._emit(lines, text), kind, there, value, address, alignment))
            return
        for lane in range(self.loop.taken):
            at = self._emit(lines, f"getelementptr {kind.scalar}, ptr {address}, i64 {lane * line.per_pass}")
            one = self._emit(lines, f"extractelement {kind.text} {value}, i32 {lane}")
            lines.append(f"store {kind.scalar} {one}, ptr {at}, align {kind.scalar_bytes}")

    def _held(self, line: Line) -> tuple[VectorType, int]:
        """(What a line holds, its alignment)."""
        if line.memory is Memory.VECTORS:
            return self.vector, self.vector.bytes
        kind = self.vector.in_arrays if line.memory in (Memory.INPUT, Memory.OUTPUT) else self.vector
        return kind, kind.scalar_bytes

    def _address(self, lines: list[str], line: Line, column: str, *, written: bool) -> str:
        base, offset = self._begin(line, written)
        kind = self._held(line)[0]
        start = self._emit(lines, f"getelementptr i8, ptr {base}, i64 {offset}")
        columns = self._emit(lines, f"mul i64 {column}, {line.per_column}")
        if line.memory is Memory.VECTORS:
            return self._emit(lines, f"getelementptr {kind.text}, ptr {start}, i64 {columns}")
        passes = self._emit(lines, f"mul i64 %pass, {line.per_pass}")
        element = self._emit(lines, f"add i64 {passes}, {columns}")
        return self._emit(lines, f"getelementptr {kind.scalar}, ptr {start}, i64 {element}")

    def _begin(self, line: Line, written: bool) -> Place:
        """Pointer and bytes from it to the first element of a line."""
        if line.memory is Memory.CONSTANTS:
            return f"@{TABLES}", line.first * self.vector.scalar_bytes
        if line.memory is Memory.INPUT:
            return self.places.input(line.array, line.first)
        if line.memory is Memory.OUTPUT:
            return self.places.output(line.array, line.first)
        pointer = "%write" if written else "%read"
        if line.memory is Memory.VECTORS:
            return pointer, self.loop.start + line.first * self.vector.bytes
        return pointer, (self.loop.plan.fixed_start + line.first) * self.vector.scalar_bytes
