"""Where chunks find inputs and leave outputs: the user's own rows (one lane) or packed blocks (several lanes).

Slots are written and read through two pointers to the same memory. LLVM must then assume that any store may change
what any load sees, so it leaves each where registers.py put it; with one pointer it would see through the pair, keep
the value in a register after all, and run out of registers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .plan import Plan
from .row_table import row_table
from .vector_type import VectorType
from .visits import scratch_bytes

Place = tuple[str, int]  # pointer, bytes from it
_PARAMETERS = "ptr %write, ptr %read"


@dataclass(frozen=True)
class Places:
    """Pointer parameters of a chunk function, and what is where behind them."""

    parameters: str
    input: Callable[[int, int], Place]  # from input number and element
    output: Callable[[int, int], Place]
    slot_written: Callable[[int], Place]
    slot_read: Callable[[int], Place]
    alignment: int
    in_arrays: bool  # inputs and outputs are the numbers of the user's arrays themselves
    prologue: Callable[[Iterable[str]], list[str]]  # what defines the pointers that a function's lines use
    # whether a slot, or None: any input, holds one number for all lanes
    is_shared: Callable[[int | None], bool] = lambda slot: False
    # for how many lanes there is memory at a place, if not for all
    first_lanes: Callable[[Place], int | None] = lambda place: None


def direct_places(plan: Plan, vector: VectorType) -> Places:
    """One lane: a sample's rows are read and written where the user's arrays are."""
    size, in_arrays = vector.bytes, vector.in_arrays.bytes
    return Places(
        parameters=_PARAMETERS,
        input=lambda number, element: (f"%in{number}", element * in_arrays),
        output=lambda number, element: (f"%out{number}", element * in_arrays),
        slot_written=lambda slot: ("%write", slot * size),
        slot_read=lambda slot: ("%read", slot * size),
        alignment=vector.scalar_bytes,
        in_arrays=True,
        prologue=row_table(plan, vector).loads,
    )


@dataclass(frozen=True)
class BlockLayout:
    """Several lanes: inputs, outputs and slots of one block of samples, one vector each, in one stretch of memory."""

    input_start: tuple[int, ...]  # bytes
    output_start: tuple[int, ...]
    slot_start: int
    scratch_start: int  # for visits; the end of what every block uses
    size: int


def block_layout(plan: Plan, vector: VectorType) -> BlockLayout:
    sizes = [x.size for x in plan.program.inputs] + [x.size for x in plan.program.outputs]
    position, starts = 0, []
    for size in sizes:
        starts.append(position)
        position += size * vector.bytes
    count = len(plan.program.inputs)
    end = position + plan.slots * vector.bytes
    return BlockLayout(tuple(starts[:count]), tuple(starts[count:]), position, end, end + scratch_bytes(plan, vector))


def packed_places(plan: Plan, vector: VectorType) -> Places:
    layout, size = block_layout(plan, vector), vector.bytes
    return Places(
        parameters=_PARAMETERS,
        input=lambda number, element: ("%read", layout.input_start[number] + element * size),
        output=lambda number, element: ("%write", layout.output_start[number] + element * size),
        slot_written=lambda slot: ("%write", layout.slot_start + slot * size),
        slot_read=lambda slot: ("%read", layout.slot_start + slot * size),
        alignment=size,
        in_arrays=False,
        prologue=lambda lines: [],
    )
