"""The functions of loops that lanes go round one by one (visits.py): copy a lane, run the code for one, copy back."""

from __future__ import annotations

from dataclasses import replace

from .calls import called_name
from .packing import counting_loop
from .places import BlockLayout, Places
from .plan import LoopCall, Plan
from .row_table import row_table
from .vector_type import VectorType
from .visits import Visit


def visiting_function(
    plan: Plan, loop: LoopCall, visit: Visit, places: Places, layout: BlockLayout, vector: VectorType
) -> list[str]:  # fmt: skip
    """Takes a block, like the functions for several lanes."""
    name, one, size = called_name(vector.lanes, loop), vector.one, vector.scalar_bytes
    table = row_table(plan, vector)
    starts, position = [], table.end
    for array in plan.program.inputs:
        starts.append(position)
        position += array.size * one.in_arrays.bytes
    moves = {
        "slots": [(places.slot_read(slot)[1], slot * size) for slot in visit.read],
        "inputs": [(places.input(k, x)[1], starts[k] + x * one.in_arrays.bytes) for k, x in visit.inputs],
        "results": [(places.slot_written(slot)[1], slot * size) for slot in visit.results],
    }
    base, offset = places.slot_read(loop.running)  # type: ignore[arg-type]  # no counted loop
    lines = [_table(f"{name}_{what}", pairs) for what, pairs in moves.items()]
    return [
        *lines,
        f"define internal void @{name}({places.parameters}) nounwind {{",
        "entry:",
        f"%running_at = getelementptr i8, ptr {base}, i64 {offset}",
        f"%scratch = getelementptr i8, ptr %write, i64 {layout.scratch_start}",
        *(f"%in{k} = getelementptr i8, ptr %scratch, i64 {start}" for k, start in enumerate(starts)),
        *replace(table, outputs=0).stores("%scratch", "%in", "%out"),  # nothing in a loop writes outputs
        "br label %lanes",
        *counting_loop("lanes", "lane", str(vector.lanes), [
            f"%lane_running_at = getelementptr {one.text}, ptr %running_at, i64 %lane",
            f"%running = load {one.text}, ptr %lane_running_at, align {size}",
            f"%needed = fcmp une {one.text} %running, {one.number(0.0)}",
            "br i1 %needed, label %visit, label %next",
            "visit:",
            f"%own = getelementptr {one.text}, ptr %read, i64 %lane",
            "br label %slots",
            *_copies("slots", f"{name}_slots", len(moves["slots"]), one, "%own", "%scratch", "inputs", "visit"),
            *_copies("inputs", f"{name}_inputs", len(moves["inputs"]), one, "%own", "%scratch", "turn", "slots",
                     narrow=True),
            "turn:",
            f"call void @{called_name(1, loop)}(ptr %scratch, ptr %scratch)",
            "br label %results",
            *_copies("results", f"{name}_results", len(moves["results"]), one, "%scratch", "%own", "next", "turn",
                     back=True),
            "next:",
        ], "done", before="entry", last="next"),
        "done:",
        "ret void",
        "}",
    ]  # fmt: skip


def _table(name: str, pairs: list[tuple[int, int]]) -> str:
    """(Bytes from the block, bytes from its scratch memory)."""
    numbers = ", ".join(f"i32 {x}" for pair in pairs for x in pair)
    return f"@{name} = internal constant [{2 * len(pairs)} x i32] [{numbers}], align 4"


def _copies(
    label: str, table: str, count: int, one: VectorType, source: str, target: str, after: str, before: str, *,
    back: bool = False, narrow: bool = False,
) -> list[str]:  # fmt: skip
    first, second = (1, 0) if back else (0, 1)
    narrows = narrow and one.converts
    held = one.in_arrays if narrow else one
    return counting_loop(label, f"{label}_k", str(count), [
        f"%{label}_pair = mul i64 %{label}_k, 2",
        f"%{label}_from_at = add i64 %{label}_pair, {first}",
        f"%{label}_to_at = add i64 %{label}_pair, {second}",
        f"%{label}_from_in = getelementptr i32, ptr @{table}, i64 %{label}_from_at",
        f"%{label}_to_in = getelementptr i32, ptr @{table}, i64 %{label}_to_at",
        f"%{label}_from = load i32, ptr %{label}_from_in, align 4",
        f"%{label}_to = load i32, ptr %{label}_to_in, align 4",
        f"%{label}_source = getelementptr i8, ptr {source}, i32 %{label}_from",
        f"%{label}_target = getelementptr i8, ptr {target}, i32 %{label}_to",
        f"%{label}_value = load {one.text}, ptr %{label}_source, align {one.bytes}",
        *([f"%{label}_narrow = {one.to_arrays(f'%{label}_value')}"] if narrows else []),
        f"store {held.text} %{label}_{'narrow' if narrows else 'value'}, ptr %{label}_target, align {held.bytes}",
    ], after, before=before)  # fmt: skip
