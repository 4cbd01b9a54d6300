"""Constraint rows at a body without those that depend on others at every pose ([Sathya2024] remark 9)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...scalar import Scalar
from ...spatial import Force, Motion
from ..parts.reflection import Reflection


class MergedRows:
    """Orthogonal combinations of rows, `rank` of them, of which all the others are zero: a QR factorization.

    Each row is told by what it makes of six independent motions, or, if there are fewer rows to keep, of as many
    motions in general position.
    """

    def __init__(self, K: Sequence[Force] = (), l: Sequence[Scalar] = (), rank: int = 0):
        self._count = len(K)
        self._reflections: list[Reflection] = []
        self.K, self.l = list(K), list(l)
        if self._count == rank:
            return
        kept: list[tuple[Force, Scalar]] = []
        for motion in _PROBES[6 if rank == 6 else 0][:rank]:
            reflection = Reflection([k.dot(motion) for k in self.K])
            self._reflections.append(reflection)
            first, self.K = reflection.split(self.K)
            number, self.l = reflection.split(self.l)
            kept.append((first, number))
        self.K, self.l = [k for k, _ in kept], [x for _, x in kept]

    def restore(self, multipliers: list[Scalar]) -> list[Scalar]:
        """From the rows kept to all that there were; those dropped push nothing."""
        if self._count == len(multipliers):
            return multipliers
        x: list[Scalar] = [0.0] * (self._count - len(multipliers))
        for reflection, own in zip(reversed(self._reflections), reversed(multipliers), strict=True):
            x = reflection.join(own, x)
        return x


_PROBES = {
    6: [Motion.of(np.eye(6)[k].tolist()) for k in range(6)],
    0: [Motion.of(row) for row in np.random.default_rng(1).uniform(-1, 1, (5, 6)).round(3).tolist()],
}
