"""`linkwright bench rollouts`: steps a second of `lw.rollout` on threads and on the workers of a Ray cluster."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ..assembly import project_configuration
from ..io import load
from ..rollouts import rollout

_TURNS = 3
_CHUNKS = 4  # per worker, so that none waits long for the last


@dataclass(frozen=True)
class RolloutThroughput:
    """seconds of the best of several rollouts, by the clock on the wall; `same_bits`: as on one thread"""

    executor: str
    workers: int
    seconds: float
    steps_per_second: float
    same_bits: bool

    @property
    def per_worker(self) -> float:
        return self.steps_per_second / self.workers

    def as_dictionary(self) -> dict[str, Any]:
        return {**asdict(self), "per_worker": self.per_worker}


def measure(
    robot: str, *, samples: int = 2048, steps: int = 100, workers: Sequence[int] | None = None,
    progress: Callable[[str], None] = lambda step: None,
) -> Iterator[RolloutThroughput]:  # fmt: skip
    """One thread first; then as many threads, and workers of a Ray cluster of this machine, as `workers` says."""
    model = load(robot)
    closed = project_configuration(model, model.drawn) if model.constraints else model.drawn
    q0 = np.tile(closed, (samples, 1))
    torque = 0.1 * np.random.default_rng(0).normal(size=(samples, steps, model.nv))

    def run(**options: Any) -> tuple[float, np.ndarray]:
        begin = time.perf_counter()
        found = rollout(model, q0, control=torque, start="as given", record=steps, progress=False, **options)
        return time.perf_counter() - begin, found.q

    counts = tuple(workers or dict.fromkeys((1, os.cpu_count() or 1)))
    progress("compiling")
    run()
    reference: np.ndarray | None = None

    def best(who: str, count: int, **options: Any) -> RolloutThroughput:
        nonlocal reference
        progress(f"{who}, {count}")
        took, q = min((run(**options) for _ in range(_TURNS)), key=lambda found: found[0])
        reference = q if reference is None else reference
        return RolloutThroughput(who, count, took, samples * steps / took, np.array_equal(q, reference))

    for count in dict.fromkeys((1, *counts)):
        yield best("threads", count, threads=count)
    for count in counts:
        with _cluster(count) as there:
            if there:
                chunk = max(8, samples // (_CHUNKS * count))
                run(executor="ray", chunk=chunk)  # workers start, and load what is compiled
                yield best("ray", count, executor="ray", chunk=chunk)


@contextmanager
def _cluster(workers: int) -> Iterator[bool]:
    """Whether Ray is installed; then one of so many workers runs on this machine."""
    try:
        import ray
    except ImportError:
        yield False
        return
    ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False, logging_level="error")
    try:
        yield True
    finally:
        ray.shutdown()
