"""The functions of counted loops: copy the row of the tables, call the body, copy the row of results."""

from __future__ import annotations

from collections.abc import Sequence

from .calls import body_calls, called_name
from .packing import counting_loop
from .places import Place, Places
from .plan import LoopCall, Plan
from .rows_in_place import rows_in_place
from .tables import Line, Memory, Move, merged
from .vector_type import VectorType, float_literal

TABLES = "lw_tables"
WRITTEN_OUT = 4  # columns that are copied one by one; more of them in a loop


def table_definition(plan: Plan, scalar: VectorType) -> list[str]:
    """The numbers that counted loops read by index: one for all lanes."""
    numbers = [f"{scalar.scalar} {float_literal(x, scalar.dtype)}" for x in plan.outline.tables.constants]
    if not numbers:
        return []
    return [f"@{TABLES} = internal constant [{len(numbers)} x {scalar.scalar}] [{', '.join(numbers)}], align 64"]


def counted_function(plan: Plan, loop: LoopCall, places: Places, vector: VectorType) -> list[str]:
    moves, rows = _Moves(plan, places, vector), rows_in_place(plan, loop, vector)
    before = moves.text(merged(rows.rows), "round", "call")
    after = moves.text(merged(rows.results), "call", "next")
    lines = [
        f"define internal void @{called_name(vector.lanes, loop)}({places.parameters}) nounwind {{",
        "entry:",
        *places.prologue([*before, *after]),
        "br label %check",
        "check:",
        "%pass = phi i64 [ 0, %entry ], [ %pass_next, %next ]",
        f"%again = icmp slt i64 %pass, {loop.limit}",
        "br i1 %again, label %round, label %done",
        "round:",
    ]
    return [
        *lines,
        *before,
        "call:",
        *body_calls(loop, places, vector),
        *after,
        "next:",
        "%pass_next = add i64 %pass, 1",
        "br label %check",
        "done:",
        "ret void",
        "}",
    ]


class _Moves:
    def __init__(self, plan: Plan, places: Places, vector: VectorType):
        self.plan, self.places, self.vector = plan, places, vector
        self._count = 0

    def _new(self) -> str:
        self._count += 1
        return f"%m{self._count}"

    def text(self, moves: Sequence[Move], before: str, after: str) -> list[str]:
        """Code that begins in the block `before` and leaves to `after`."""
        lines: list[str] = []
        block = before
        for move in moves:
            if move.columns <= WRITTEN_OUT:
                for column in range(move.columns):
                    lines += self._copy(move, str(column))
                continue
            label, following = f"columns{self._new()[1:]}", f"after{self._new()[1:]}"
            body = self._copy(move, f"%k_{label}")
            lines.append(f"br label %{label}")
            lines += counting_loop(label, f"k_{label}", str(move.columns), body, following, before=block)
            lines.append(f"{following}:")
            block = following
        return [*lines, f"br label %{after}"]

    def _copy(self, move: Move, column: str) -> list[str]:
        vector = self.vector
        lines, source = self._address(move.source, column)
        value, (held, alignment) = self._new(), self._held(move.source)
        if move.source.memory is Memory.CONSTANTS:
            number = self._new()
            lines.append(f"{number} = load {vector.scalar}, ptr {source}, align {vector.scalar_bytes}")
            lines += self._in_all_lanes(number, value)
        else:
            lines.append(f"{value} = load {held.text}, ptr {source}, align {alignment}")
        if held is not vector:
            value, number = self._new(), value
            lines.append(f"{value} = {vector.from_arrays(number)}")
        if move.target.memory is Memory.OUTPUT and vector.converts:  # rounded whatever holds it: see emit.py
            value, number = self._new(), value
            lines.append(f"{value} = {vector.to_arrays(number)}")
            if not self.places.in_arrays:
                value, number = self._new(), value
                lines.append(f"{value} = {vector.from_arrays(number)}")
        more, target = self._address(move.target, column, written=True)
        held, alignment = self._held(move.target)
        return [*lines, *more, f"store {held.text} {value}, ptr {target}, align {alignment}"]

    def _held(self, line: Line) -> tuple[VectorType, int]:
        """(The type of what a line holds, its alignment): inputs and outputs may be the user's own arrays."""
        if line.memory in (Memory.INPUT, Memory.OUTPUT) and self.places.in_arrays and self.vector.converts:
            return self.vector.in_arrays, self.vector.in_arrays.bytes
        return self.vector, self.places.alignment

    def _in_all_lanes(self, number: str, value: str) -> list[str]:
        vector = self.vector
        if vector.lanes == 1:
            return [f"{value} = select i1 true, {vector.text} {number}, {vector.text} {number}"]
        first = self._new()
        mask = f"<{vector.lanes} x i32> zeroinitializer"
        return [
            f"{first} = insertelement {vector.text} poison, {vector.scalar} {number}, i32 0",
            f"{value} = shufflevector {vector.text} {first}, {vector.text} poison, {mask}",
        ]

    def _address(self, line: Line, column: str, *, written: bool = False) -> tuple[list[str], str]:
        base, offset = self._begin(line, written)
        kind = self.vector.scalar if line.memory is Memory.CONSTANTS else self._held(line)[0].text
        start, passes, columns, element, address = (self._new() for _ in range(5))
        return [
            f"{start} = getelementptr i8, ptr {base}, i64 {offset}",
            f"{passes} = mul i64 %pass, {line.per_pass}",
            f"{columns} = mul i64 {column}, {line.per_column}",
            f"{element} = add i64 {passes}, {columns}",
            f"{address} = getelementptr {kind}, ptr {start}, i64 {element}",
        ], address

    def _begin(self, line: Line, written: bool) -> Place:
        """Pointer and bytes from it to the first element of a line."""
        if line.memory is Memory.CONSTANTS:
            return f"@{TABLES}", line.first * self.vector.scalar_bytes
        if line.memory is Memory.INPUT:
            return self.places.input(line.array, line.first)
        if line.memory is Memory.OUTPUT:
            return self.places.output(line.array, line.first)
        slot = self.plan.fixed_start + line.first
        return self.places.slot_written(slot) if written else self.places.slot_read(slot)
