"""Who computes the chunks: this process, an executor of `concurrent.futures`, or a Ray cluster.

Each yields (number of the chunk, its arrays) as they are finished, in whatever order. Whoever it is computes the same
bits (chunk.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any

from ..errors import InputError, MissingExtraError
from ..sim.prepared import Prepared
from .chunk import Arrays, computed

Task = tuple[int, Prepared]
AHEAD = 2  # tasks handed out per worker: none waits for the next one, and few are under way at once
RETRIES = 3  # of a chunk whose worker died


def run(executor: Any, tasks: Sequence[Task], threads: int | str) -> Iterator[tuple[int, Arrays]]:
    return runner_of(executor)(tasks, threads)


def runner_of(executor: Any) -> Callable[[Sequence[Task], int | str], Iterator[tuple[int, Arrays]]]:
    if executor is None:
        return _here
    if executor == "ray":
        return _on_ray
    if isinstance(executor, Executor):
        return lambda tasks, threads: _in_futures(executor, tasks)
    raise InputError(
        f"executor is {executor!r}; expected None (this process), 'ray', or an Executor of concurrent.futures"
    )


def _here(tasks: Sequence[Task], threads: int | str) -> Iterator[tuple[int, Arrays]]:
    for number, prepared in tasks:
        yield number, computed(prepared, threads)


def _in_futures(executor: Executor, tasks: Sequence[Task]) -> Iterator[tuple[int, Arrays]]:
    waiting = list(reversed(tasks))
    most = AHEAD * (getattr(executor, "_max_workers", None) or os.cpu_count() or 1)
    under_way: dict[Future[Arrays], int] = {}
    try:
        while waiting or under_way:
            while waiting and len(under_way) < most:
                number, prepared = waiting.pop()
                under_way[executor.submit(computed, prepared)] = number
            done, _ = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                number = under_way.pop(future)
                yield number, future.result()
    finally:
        for future in under_way:
            future.cancel()


def _on_ray(tasks: Sequence[Task], threads: int | str) -> Iterator[tuple[int, Arrays]]:
    try:
        import ray
    except ImportError:
        raise MissingExtraError("ray", "ray", "rollouts on a Ray cluster") from None
    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False)
    # a worker that dies is replaced, and its chunk computed again: it depends on nothing but its inputs
    remote = ray.remote(max_retries=RETRIES, num_cpus=1)(computed)
    waiting = list(reversed(tasks))
    most = AHEAD * max(1, int(ray.cluster_resources().get("CPU", 1)))
    under_way: dict[Any, int] = {}
    try:
        while waiting or under_way:
            while waiting and len(under_way) < most:
                number, prepared = waiting.pop()
                under_way[remote.remote(prepared)] = number
            done, _ = ray.wait(list(under_way), num_returns=1)
            for reference in done:
                number = under_way.pop(reference)
                yield number, ray.get(reference)
    finally:
        for reference in under_way:
            ray.cancel(reference, force=False)
