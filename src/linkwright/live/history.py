"""What a live simulation has been through, so that one can look back and go on from there."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

MOST = 9000  # states: five minutes of pictures


class History:
    """States (q, v) at rising times; the oldest are forgotten."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._states: list[tuple[np.ndarray, np.ndarray]] = []

    def __len__(self) -> int:
        return len(self._times)

    @property
    def span(self) -> tuple[float, float]:
        """Times of the first and the last state that are known."""
        return (self._times[0], self._times[-1]) if self._times else (0.0, 0.0)

    def add(self, t: float, q: np.ndarray, v: np.ndarray) -> None:
        self._times.append(t)
        self._states.append((q, v))
        if len(self._times) > MOST:
            del self._times[0], self._states[0]

    def at(self, t: float) -> tuple[float, np.ndarray, np.ndarray]:
        """(time, q, v) of the last state that is not later."""
        k = max(0, bisect_right(self._times, t + 1e-9) - 1)
        return self._times[k], *self._states[k]

    def forget_after(self, t: float) -> None:
        k = bisect_right(self._times, t + 1e-9)
        del self._times[k:], self._states[k:]
