"""Splitting a batch over threads. The compiled code runs without the GIL, so plain threads do."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache

from ..errors import InputError

# Handing work to a thread and waiting for it takes some 20 us, in which a core does about this many operations.
SMALLEST_SHARE = 200_000


def thread_count(threads: int | str) -> int:
    if threads == "all":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise InputError(f'threads={threads!r} is not possible; use a positive whole number or "all"')
    return threads


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """One pool per size for the whole process; its threads start when first needed."""
    return ThreadPoolExecutor(threads, thread_name_prefix="linkwright")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork


def largest_batch_for_one(threads: int, cost: int) -> int:
    """Up to this many samples, of `cost` operations each, are not worth more than one thread."""
    return 2**62 if threads == 1 else 2 * SMALLEST_SHARE // max(1, cost)


def run_split(run: Callable[[int, int], None], batch: int, threads: int, unit: int, cost: int) -> None:
    """run(begin, end) over the batch, in up to `threads` shares whose bounds are multiples of `unit` samples."""
    units = -(-batch // unit)
    shares = max(1, min(threads, units, batch * cost // SMALLEST_SHARE))
    if shares == 1:
        run(0, batch)
        return
    bounds = [min(batch, units * k // shares * unit) for k in range(shares + 1)]
    pending = [_pool(threads - 1).submit(run, bounds[k], bounds[k + 1]) for k in range(1, shares)]
    try:
        run(bounds[0], bounds[1])
    finally:
        wait(pending)  # the arrays must outlive the threads' work whatever happens here
    for share in pending:
        share.result()
