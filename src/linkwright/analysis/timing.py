"""Timing on a noisy machine: contenders take turns, and the best of many short runs counts."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Mapping

from ..codegen.target import host_target

# One run lasts about this long: long against the clock's resolution, short against the scheduler's.
_RUN_SECONDS = 1e-3


def best_seconds(contenders: Mapping[str, Callable[[], object]], *, seconds: float = 1.0) -> dict[str, float]:
    """Best time of one call of each, measured in turns for about `seconds` in all (at least five turns)."""
    loops = {name: _loops_for(call) for name, call in contenders.items()}
    best = dict.fromkeys(contenders, float("inf"))
    deadline = time.perf_counter() + seconds
    turns = 0
    while turns < 5 or time.perf_counter() < deadline:
        for name, call in contenders.items():
            count = range(loops[name])
            start = time.perf_counter()
            for _ in count:
                call()
            best[name] = min(best[name], (time.perf_counter() - start) / loops[name])
        turns += 1
    return best


def _loops_for(call: Callable[[], object]) -> int:
    call()  # warm up
    start = time.perf_counter()
    call()
    return max(1, min(10_000, int(_RUN_SECONDS / max(1e-7, time.perf_counter() - start))))


def machine() -> dict[str, str | int | None]:
    """What the numbers were measured on."""
    name = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as lines:
            name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    except OSError:
        pass
    lanes = host_target().machine.lanes("float64")
    return {"processor": name, "cores": os.cpu_count(), "lanes": lanes, "python": platform.python_version()}
