"""Who computes the chunks: this process, an executor of `concurrent.futures`, or a Ray cluster.

Each yields (number of the chunk, its arrays) as they are finished, in whatever order. Whoever it is computes the same
bits (chunk.py).
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from typing import Any

from ..errors import InputError, MissingExtraError
from ..sim.prepared import Prepared
from .chunk import Arrays, computed

Task = tuple[int, Prepared]
AHEAD = 2  # tasks handed out per worker: none waits for the next one, and few are under way at once
RETRIES = 3  # of a chunk whose worker died
LOOKED_AFTER = 5.0  # seconds without news, after which a cluster is asked whether it is still there


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
    head = ray.get_runtime_context().gcs_address
    under_way: dict[Any, int] = {}
    try:
        while waiting or under_way:
            is_there = ray.is_initialized()  # who asks a cluster that was shut down starts another one
            while is_there and waiting and len(under_way) < most:
                number, prepared = waiting.pop()
                under_way[remote.remote(prepared)] = number
            done = ray.wait(list(under_way), num_returns=1, timeout=LOOKED_AFTER)[0] if is_there else []
            if not (done or (is_there and _answers(head))):
                under_way.clear()
                ray.shutdown()  # which otherwise ends this process, once it gives up waiting for its head
                raise ConnectionError(f"the Ray cluster at {head} has gone away")
            for reference in done:
                number = under_way.pop(reference)
                yield number, ray.get(reference)
    finally:
        for reference in under_way:
            ray.cancel(reference, force=False)


def _answers(head: str) -> bool:
    """Whether somebody listens at the address of a cluster's head."""
    host, _, port = head.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=LOOKED_AFTER):
            return True
    except OSError:
        return False
