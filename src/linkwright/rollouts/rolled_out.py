"""What a rollout has found: arrays of all samples, or chunk by chunk."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..call_errors import names_arguments
from ..errors import InputError, unknown_name
from ..programs.status import STATUS_MEANING, STATUS_NOT_MODELLED
from .chunk import NEVER
from .chunk_files import DESCRIPTION, ChunkStore, store_of


@dataclass(frozen=True)
class RolledOut:
    """Samples of a rollout, as far as they are finished.

    dt, steps, every   seconds per step, steps, and every how many of them states are kept
    samples            asked for
    parts              how they are cut into chunks, and `store`, where these are
    seconds            what computing took, waiting included; 0 of what was read from a folder
    """

    dt: float
    steps: int
    every: int
    samples: int
    parts: tuple[slice, ...]
    store: ChunkStore
    seconds: float = 0.0

    @property
    def finished(self) -> np.ndarray:
        """(samples,) whether each of them is there."""
        done = np.zeros(self.samples, dtype=bool)
        for number in self.store.finished():
            done[self.parts[number]] = True
        return done

    @property
    def names(self) -> list[str]:
        """Of the arrays."""
        return self.store.names()

    def __getitem__(self, name: str) -> np.ndarray:
        """One array of all samples that are finished, in their order; copied, unless there is one chunk."""
        found = [array for _, array in self.chunks(name)]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def chunks(self, name: str) -> Iterator[tuple[slice, np.ndarray]]:
        """(samples, array) of every finished chunk; from `.npy` files memory-mapped, so that no more is read than is
        looked at."""
        if name not in self.names:
            raise unknown_name("array of this rollout", name, self.names)
        for number in sorted(self.store.finished()):
            yield self.parts[number], self.store.get(number, name)

    @property
    def q(self) -> np.ndarray:
        """(B, T + 1, nq) configurations, the start first."""
        return self["q"]

    @property
    def v(self) -> np.ndarray:
        """(B, T + 1, nv) velocities, the start first."""
        return self["v"]

    @property
    def status(self) -> np.ndarray:
        """(B,) the worst of all steps, as of solvers; 3 where a sample diverged."""
        return self["status"]

    @property
    def diverged(self) -> np.ndarray:
        """(B,) the first step after which a state is not finite, or -1."""
        return self["diverged"]

    @property
    def t(self) -> np.ndarray:
        """(T + 1,) seconds."""
        count = -(-self.steps // self.every)
        return np.minimum(np.arange(count + 1) * self.every, self.steps) * self.dt

    def __str__(self) -> str:
        done = int(self.finished.sum())
        lost = int((self.diverged != NEVER).sum()) if done else 0
        speed = f", {done * self.steps / self.seconds:,.0f} steps/s" if self.seconds > 0 else ""
        flagged = int((self.status != 0).sum()) if done else 0
        met = int((self.status == STATUS_NOT_MODELLED).sum()) if done else 0
        unmodelled = f" ({met} of them 6: {STATUS_MEANING[6]})" if met else ""
        return (
            f"{done} of {self.samples} samples, {self.steps} steps of {self.dt:g} s{speed}; "
            f"{lost} diverged, status not ok in {flagged}{unmodelled}"
        )


@names_arguments
def open_rollout(folder: str | Path) -> RolledOut:
    """What `rollout(..., into=folder)` has written, finished or not, now or while it is being written."""
    path = Path(folder) / DESCRIPTION
    try:
        known: Mapping[str, Any] = json.loads(path.read_text())
        parts = cut(known["samples"], known["chunk"])
        numbers = known["dt"], known["steps"], known["every"], known["samples"]
        form = known["format"]
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(f"{str(folder)!r} holds no rollout: {DESCRIPTION} is missing or cannot be read") from None
    return RolledOut(*numbers, tuple(parts), store_of(Path(folder), parts, form))


def cut(samples: int, size: int) -> Sequence[slice]:
    """Samples into chunks, in order."""
    return [slice(k, min(k + size, samples)) for k in range(0, samples, size)]
