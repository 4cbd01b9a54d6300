"""Many steps in compiled code: tables of where arrays are, and samples in an order that keeps lanes busy.

Samples that are computed together wait for the slowest of them, and what one of them needs is computed for all. Where
a program says what a sample took, by an output (passes of an iteration, say), a run is made of short stretches, and
before each of them samples are ordered by what the last step took: those alike are computed together, as long as that
makes blocks of samples more alike. No sample knows of the others, so results are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .array_places import begins
from .threads import run_split

if TYPE_CHECKING:
    from .general_call import Runner

# Steps between two orders. Go1 on the ground: the slowest of 8 takes 6.5 passes with 1, 6.7 with 2, 8.1 with none.
_STRETCH = 2
# Ordering and storing samples between stretches costs some hundredths of a step: it goes on while blocks hold less
# than this part of the different values that they would hold if samples were taken as they come.
_WORTHWHILE = 0.85
SMALLEST_REGROUPED = 16  # blocks of a batch: ordering fewer costs as much as it gains


class RepeatedCall:
    """`strides` and `advances` as in repeating_drivers.py: of inputs, then of outputs."""

    def __init__(
        self, runner: Runner, arrays: list[np.ndarray], outputs: list[np.ndarray], strides: list[int],
        advances: list[int], batch: int | None,
    ):  # fmt: skip
        self.runner, self.arrays, self.outputs, self.batch = runner, arrays, outputs, batch
        self.strides, self.advances = _whole(strides), _whole(advances)
        self.places = _whole(begins([*arrays, *outputs]))

    def run(self, steps: int, every: int) -> None:
        self._run(self.places, self.strides, self._table(None), steps, every)

    def run_regrouped(self, steps: int, every: int, effort: int) -> None:
        """`effort`: the number of an output. Stretches end where records are due, and have one each; of others the
        state is kept apart."""
        signature, inputs, names = self.runner.signature, len(self.arrays), self.runner.signature.output_names
        sources, spaced = self.places[:inputs].copy(), self.strides[:inputs].copy()
        onward = self.advances * signature.numpy_dtype.itemsize
        is_recorded = self.advances[inputs:] > 0
        apart = [np.empty((self.batch or 0, *spec.shape), signature.numpy_dtype) for spec in signature.outputs]
        beside, sizes = _whole(begins(apart)), _whole([spec.size for spec in signature.outputs])
        fed_back = [(k, names[spec.name]) for k, spec in enumerate(signature.inputs) if spec.name in names]
        to, of = _whole([k for k, _ in fed_back]), _whole([k for _, k in fed_back])
        order, gains, done, record = None, True, 0, 0
        while done < steps:
            count = min(_STRETCH if gains else steps, steps - done, every - done % every)
            due = (done + count) % every == 0 or done + count == steps
            targets, spacing = self.places[inputs:] + record * onward[inputs:], self.strides[inputs:]
            if not due:
                targets, spacing = np.where(is_recorded, beside, targets), np.where(is_recorded, sizes, spacing)
            ahead = sources + done * onward[:inputs]
            self._run(np.append(ahead, targets), np.append(spaced, spacing), self._table(order), count, count)
            sources[to], spaced[to] = targets[of], spacing[of]  # what is fed back is read where it was stored
            took = apart[effort]
            if due or not is_recorded[effort]:
                took = self.outputs[effort][:, record] if is_recorded[effort] else self.outputs[effort]
            took = took.reshape(len(took), -1).max(axis=1)
            gains = gains and (order is None or self._mixed(took[order]) < _WORTHWHILE * self._mixed(took))
            order = np.argsort(took, kind="stable") if gains else None
            done, record = done + count, record + due

    def _mixed(self, took: np.ndarray) -> int:
        """How many different values there are beside the first in each block, all blocks together; a ragged last one
        does not count."""
        lanes = self.runner.image.lanes
        blocks = np.sort(took[: len(took) // lanes * lanes].reshape(-1, lanes), axis=1)
        return int(np.count_nonzero(blocks[:, 1:] != blocks[:, :-1]))

    def _table(self, order: np.ndarray | None) -> np.ndarray:
        """Read up to a whole block."""
        if self.batch is None:
            return np.zeros(1, dtype=np.int64)
        table = np.zeros(self.batch + self.runner.image.lanes, dtype=np.int64)
        table[: self.batch] = np.arange(self.batch) if order is None else order
        return table

    def _run(self, places: np.ndarray, strides: np.ndarray, order: np.ndarray, steps: int, every: int) -> None:
        runner, batch = self.runner, self.batch
        # the bits are the same; one lane does no work for empty ones
        lanes = 1 if batch is None else runner.image.lanes
        function, outputs = runner.repeaters[lanes], places[len(self.arrays) :]
        tables = begins([places, outputs, strides, self.advances])
        (order_table,) = begins([order])

        def run(begin: int, end: int) -> None:
            function(*tables, begin, end, steps, every, order_table, runner.workspace())

        if batch is None:
            run(0, 1)
        elif batch:
            run_split(run, batch, runner.threads, lanes, runner.cost * steps)


def _whole(numbers: Sequence[int]) -> np.ndarray:
    return np.array(numbers, dtype=np.int64)
