"""Times of contenders that take turns on one core: best, median and spread, and whether the machine was quiet."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

_RUN_SECONDS = 1e-3  # one turn: long against the clock's resolution, short against the scheduler's
_FEWEST_TURNS = 5
_AGAIN = 0.2  # share of the time that the repetition at the end takes
QUIET = 1.1  # a machine whose repeated best times differ by less was quiet enough

Call = Callable[[], float | None]
"""Does its work once. Returns None, or the seconds it took if it has a clock of its own (C++ called from here)."""


def measured(contenders: Mapping[str, Call], *, seconds: float, samples: Mapping[str, int] | None = None) -> dict:
    """{"times": name -> {"best", "median", "spread"} in microseconds per sample, "noise", "quiet"}.

    `spread` is the distance of the quartiles relative to the median. `noise` is the middle one of the ratios between
    the best time of a repetition at the end and the best time before, or its inverse: 1 on a quiet machine.
    """
    samples = samples or {}
    with pinned():
        loops = {name: _loops_for(call) for name, call in contenders.items()}
        first = _turns(contenders, loops, seconds * (1 - _AGAIN))
        again = _turns(contenders, loops, seconds * _AGAIN)
    ratios = [max(a, b) / min(a, b) for a, b in ((min(first[n]), min(again[n])) for n in contenders)]
    noise = statistics.median(ratios) if ratios else 1.0
    times = {name: _summary(turns + again[name], samples.get(name, 1)) for name, turns in first.items()}
    return {"times": times, "noise": noise, "quiet": noise < QUIET}


@contextmanager
def pinned() -> Iterator[int | None]:
    """On one core, where the system lets us choose: it does not wander between caches."""
    try:
        allowed = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {max(allowed)})
    except (AttributeError, OSError):
        yield None
        return
    try:
        yield max(allowed)
    finally:
        os.sched_setaffinity(0, allowed)


def _turns(contenders: Mapping[str, Call], loops: Mapping[str, int], seconds: float) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {name: [] for name in contenders}
    deadline, turns = time.perf_counter() + seconds, 0
    while turns < _FEWEST_TURNS or time.perf_counter() < deadline:
        for name, call in contenders.items():
            found[name].append(_once(call, loops[name]))
        turns += 1
    return found


def _once(call: Call, loops: int) -> float:
    own = 0.0
    start = time.perf_counter()
    for _ in range(loops):
        seconds = call()
        if isinstance(seconds, float):
            own += seconds
    return (own or time.perf_counter() - start) / loops


def _loops_for(call: Call) -> int:
    call()  # warm up
    start = time.perf_counter()
    call()
    return max(1, min(10_000, int(_RUN_SECONDS / max(1e-7, time.perf_counter() - start))))


def _summary(turns: list[float], samples: int) -> dict[str, float]:
    median = statistics.median(turns)
    low, _, high = statistics.quantiles(turns, n=4)
    return {"best": min(turns) / samples * 1e6, "median": median / samples * 1e6, "spread": (high - low) / median}
