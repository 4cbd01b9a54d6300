"""The functions of loops and guards, which call the chunks of their bodies.

They take the same pointers as a chunk, so that whoever runs a program just makes one call after the other. A block
leaves when none of its lanes needs another pass, whatever the other blocks of its tile do. What is rare, lanes go
round one by one (visits.py).
"""

from __future__ import annotations

from .calls import body_calls, called_name, chunk_name
from .counted import counted_function
from .places import Places, block_layout
from .plan import ChunkCall, LoopCall, Plan
from .together import PassesTogether, chunks_together, passes_at_once
from .vector_type import VectorType
from .visiting import visiting_function


def called_functions(plan: Plan, places: Places, vector: VectorType) -> list[str]:
    """Declarations of the chunks, which are in other modules, and the functions of the loops."""
    lines: list[str] = []
    together = chunks_together(plan, vector) if vector.lanes == 1 else set()
    for loop in plan.called(vector.lanes):
        if isinstance(loop, ChunkCall):
            if loop.number not in together:
                given = f"{places.parameters}, i64 %pass" if loop.number in plan.bodies else places.parameters
                lines.append(f"declare void @{chunk_name(vector.lanes, loop.number)}({given})")
        elif vector.lanes == 1 and passes_at_once(plan, loop, vector) > 1:
            lines += PassesTogether(plan, loop, vector).function(called_name(1, loop))
        elif loop.running is None:
            lines += counted_function(plan, loop, places, vector)
        elif loop.visit is not None and vector.lanes > 1:
            lines += visiting_function(plan, loop, loop.visit, places, block_layout(plan, vector), vector)
        elif loop.limit == 1:
            lines += _guard_function(loop, loop.running, places, vector)
        else:
            lines += _loop_function(loop, loop.running, places, vector)
    return lines


def _loop_function(loop: LoopCall, running: int, places: Places, vector: VectorType) -> list[str]:
    """Goes round while any lane has to."""
    return [
        *_head(loop, running, places, vector),
        "br label %check",
        "check:",
        "%pass = phi i64 [ 0, %entry ], [ %pass_next, %round ]",
        *_any_lane_running(places, vector),
        f"%allowed = icmp slt i64 %pass, {loop.limit}",
        "%again = and i1 %any, %allowed",
        "br i1 %again, label %round, label %done",
        "round:",
        *body_calls(loop, places, vector),
        "%pass_next = add i64 %pass, 1",
        "br label %check",
        "done:",
        "ret void",
        "}",
    ]


def _guard_function(loop: LoopCall, running: int, places: Places, vector: VectorType) -> list[str]:
    """One pass if any lane needs it."""
    return [
        *_head(loop, running, places, vector),
        *_any_lane_running(places, vector),
        "br i1 %any, label %round, label %done",
        "round:",
        *body_calls(loop, places, vector),
        "br label %done",
        "done:",
        "ret void",
        "}",
    ]


def _head(loop: LoopCall, running: int, places: Places, vector: VectorType) -> list[str]:
    base, offset = places.slot_read(running)
    return [
        f"define internal void @{called_name(vector.lanes, loop)}({places.parameters}) nounwind {{",
        "entry:",
        f"%running_at = getelementptr i8, ptr {base}, i64 {offset}",
    ]


def _any_lane_running(places: Places, vector: VectorType) -> list[str]:
    """Define %any."""
    lines = [
        f"%running = load {vector.text}, ptr %running_at, align {places.alignment}",
        f"%going = fcmp une {vector.text} %running, {vector.number(0.0)}",
    ]
    if vector.lanes == 1:
        return [*lines, "%any = and i1 %going, true"]
    return [
        *lines,
        f"%lanes_going = bitcast {vector.truth} %going to i{vector.lanes}",
        f"%any = icmp ne i{vector.lanes} %lanes_going, 0",
    ]
