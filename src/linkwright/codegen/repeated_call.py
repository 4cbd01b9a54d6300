"""Many steps in compiled code: tables of where arrays are, and samples in an order that keeps lanes busy.

Samples that are computed together wait for the slowest of them. Where a program says how long a sample took, by an
output (passes of an iteration, say), a run is made of short stretches, and before each of them samples are ordered by
what the last step took: those alike are computed together, as long as that gains. No sample knows of the others, so
results are the same.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .threads import run_split

if TYPE_CHECKING:
    from .general_call import Runner

# Steps between two orders. Go1 on the ground: the slowest of 8 takes 6.5 passes with 1, 6.7 with 2, 8.1 with none.
_STRETCH = 2
# Ordering and storing samples between stretches costs some hundredths of a step: it goes on while the slowest of those
# computed together take at most this part of what they would take as they come.
_WORTHWHILE = 0.85
SMALLEST_REGROUPED = 16  # blocks of a batch: ordering fewer costs as much as it gains


class RepeatedCall:
    """`strides` and `advances` as in repeating_drivers.py."""

    def __init__(
        self, runner: Runner, arrays: list[np.ndarray], outputs: list[np.ndarray], strides: list[int],
        advances: list[int], batch: int | None,
    ):  # fmt: skip
        self.runner, self.arrays, self.outputs, self.batch = runner, arrays, outputs, batch
        self.strides, self.advances = strides, advances
        self.sources, self.targets = begins(arrays), begins(outputs)

    def run(self, steps: int, every: int) -> None:
        self._run(self.sources, self.targets, self.strides, self.advances, self._table(None), steps, every)

    def run_regrouped(self, steps: int, every: int, effort: int) -> None:
        """`effort`: the number of an output. Stretches end where records are due, and have one each; of others the
        state is kept apart."""
        signature, inputs = self.runner.signature, len(self.sources)
        numbers = {spec.name: k for k, spec in enumerate(signature.outputs)}
        size = signature.numpy_dtype.itemsize
        apart = [np.empty((self.batch or 0, *spec.shape), signature.numpy_dtype) for spec in signature.outputs]
        places = list(zip(begins(apart), [spec.size for spec in signature.outputs], strict=True))
        sources, strides, order = list(self.sources), list(self.strides), None
        done = record = 0
        gains = True
        while done < steps:
            count = min(_STRETCH if gains else steps, steps - done, every - done % every)
            due = (done + count) % every == 0 or done + count == steps
            targets = list(self.targets)
            for k, advance in enumerate(self.advances[inputs:]):
                if due or not advance:
                    targets[k], strides[inputs + k] = targets[k] + record * advance * size, self.strides[inputs + k]
                else:
                    targets[k], strides[inputs + k] = places[k]
            ahead = [at + done * advance * size for at, advance in zip(sources, self.advances, strict=False)]
            self._run(ahead, targets, strides, self.advances, self._table(order), count, count)
            for k, spec in enumerate(signature.inputs):  # what is fed back is read where it was stored
                if spec.name in numbers:
                    own = numbers[spec.name]
                    sources[k], strides[k] = targets[own], strides[inputs + own]
            stored = due or not self.advances[inputs + effort]
            took = self.outputs[effort] if stored else apart[effort]
            took = took[:, record] if stored and self.advances[inputs + effort] else took
            took = took.reshape(len(took), -1).max(axis=1)
            gains = gains and (order is None or self._waits(took[order]) <= _WORTHWHILE * self._waits(took))
            order = np.argsort(took, kind="stable") if gains else None
            done, record = done + count, record + due

    def _waits(self, took: np.ndarray) -> float:
        """Of the slowest of all samples computed together, added up; a ragged last block does not count."""
        lanes = self.runner.image.lanes
        return float(took[: len(took) // lanes * lanes].reshape(-1, lanes).max(axis=1).sum())

    def _table(self, order: np.ndarray | None) -> np.ndarray:
        """Read up to a whole block."""
        count = 1 if self.batch is None else self.batch
        table = np.zeros(count + self.runner.image.lanes, dtype=np.int64)
        table[:count] = np.arange(count) if order is None else order
        return table

    def _run(self, sources, targets, strides, advances, order: np.ndarray, steps: int, every: int) -> None:
        pointer, whole = ctypes.c_void_p, ctypes.c_int64
        source_table, target_table = (pointer * len(sources))(*sources), (pointer * len(targets))(*targets)
        stride_table, advance_table = (whole * len(strides))(*strides), (whole * len(advances))(*advances)
        runner, batch = self.runner, self.batch
        # the bits are the same; one lane does no work for empty ones
        lanes = 1 if batch is None else runner.image.lanes
        function, places = runner.repeaters[lanes], order.ctypes.data

        def run(begin: int, end: int) -> None:
            function(
                source_table, target_table, stride_table, advance_table, begin, end, steps, every, places,
                runner.workspace(),
            )  # fmt: skip

        if batch is None:
            run(0, 1)
        elif batch:
            run_split(run, batch, runner.threads, lanes, runner.cost * steps)


def begins(arrays: Sequence[np.ndarray]) -> list[int]:
    """Where they are in memory."""
    return [array.ctypes.data for array in arrays]
