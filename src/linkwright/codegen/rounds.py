"""The functions of loops and guards, which call the chunks of their bodies.

They take the same pointers as a chunk, so that whoever runs a program just makes one call after the other. A block
leaves when none of its lanes needs another pass, whatever the other blocks of its tile do. What is rare, lanes go
round one by one (visits.py).
"""

from __future__ import annotations

from collections.abc import Iterator

from .calls import called_name, chunk_name
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
    within = {guard.number for loop in plan.called(vector.lanes) for guard in _guards_within(loop, vector.lanes)}
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
        elif loop.number in within:
            continue
        elif loop.limit == 1:
            lines += _guard_function(loop, loop.running, places, vector)
        else:
            lines += _loop_function(loop, loop.running, places, vector)
    return lines


def _guards_within(loop: ChunkCall | LoopCall, lanes: int) -> Iterator[LoopCall]:
    """Guards that a loop or guard of this file has in its own function: there are many, and most are not taken."""
    if isinstance(loop, LoopCall) and loop.running is not None and (loop.visit is None or lanes == 1):
        for call in loop.calls:
            if isinstance(call, LoopCall) and call.limit == 1 and call.running is not None and call.visit is None:
                yield call


def _loop_function(loop: LoopCall, running: int, places: Places, vector: VectorType) -> list[str]:
    """Goes round while any lane has to."""
    return [
        *_head(loop, running, places, vector),
        "br label %check",
        "check:",
        "%pass = phi i64 [ 0, %entry ], [ %pass_next, %turned ]",
        *_any_lane_running("", places, vector),
        f"%allowed = icmp slt i64 %pass, {loop.limit}",
        "%again = and i1 %any, %allowed",
        "br i1 %again, label %round, label %done",
        "round:",
        *_body(loop, places, vector),
        "br label %turned",
        "turned:",
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
        *_any_lane_running("", places, vector),
        "br i1 %any, label %round, label %done",
        "round:",
        *_body(loop, places, vector),
        "br label %done",
        "done:",
        "ret void",
        "}",
    ]


def _body(loop: LoopCall, places: Places, vector: VectorType) -> list[str]:
    """One call after the other; guards where they stand. Begins and ends within a block of instructions."""
    guards = {guard.number for guard in _guards_within(loop, vector.lanes)}
    lines: list[str] = []
    for call in loop.calls:
        if isinstance(call, ChunkCall) or call.number not in guards:
            lines.append(f"call void @{called_name(vector.lanes, call)}({places.parameters})")
            continue
        tag = f"_{call.number}"
        lines += [
            *_where_running(tag, call.running, places),  # type: ignore[arg-type]  # guards have one
            *_any_lane_running(tag, places, vector),
            f"br i1 %any{tag}, label %round{tag}, label %done{tag}",
            f"round{tag}:",
            *_body(call, places, vector),
            f"br label %done{tag}",
            f"done{tag}:",
        ]
    return lines


def _head(loop: LoopCall, running: int, places: Places, vector: VectorType) -> list[str]:
    return [
        f"define internal void @{called_name(vector.lanes, loop)}({places.parameters}) nounwind {{",
        "entry:",
        *_where_running("", running, places),
    ]


def _where_running(tag: str, running: int, places: Places) -> list[str]:
    base, offset = places.slot_read(running)
    return [f"%running_at{tag} = getelementptr i8, ptr {base}, i64 {offset}"]


def _any_lane_running(tag: str, places: Places, vector: VectorType) -> list[str]:
    """Define %any<tag>."""
    lines = [
        f"%running{tag} = load {vector.text}, ptr %running_at{tag}, align {places.alignment}",
        f"%going{tag} = fcmp une {vector.text} %running{tag}, {vector.number(0.0)}",
    ]
    if vector.lanes == 1:
        return [*lines, f"%any{tag} = and i1 %going{tag}, true"]
    return [
        *lines,
        f"%lanes_going{tag} = bitcast {vector.truth} %going{tag} to i{vector.lanes}",
        f"%any{tag} = icmp ne i{vector.lanes} %lanes_going{tag}, 0",
    ]
