"""Names of the functions that a program consists of, and calls of them."""

from __future__ import annotations

from .places import Places
from .plan import ChunkCall, LoopCall
from .vector_type import VectorType


def chunk_name(lanes: int, number: int) -> str:
    return f"lw_chunk_{lanes}_{number}"


def called_name(lanes: int, call: ChunkCall | LoopCall) -> str:
    return f"lw_loop_{lanes}_{call.number}" if isinstance(call, LoopCall) else chunk_name(lanes, call.number)


def body_calls(loop: LoopCall, places: Places, vector: VectorType) -> list[str]:
    given = f"{places.parameters}, i64 %pass" if loop.independent else places.parameters
    return [f"call void @{called_name(vector.lanes, call)}({given})" for call in loop.calls]
