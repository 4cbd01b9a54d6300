"""A sum over frames of constant rows on their motions."""

from __future__ import annotations

from ...scalar import Scalar
from ...spatial import Force, sum_of
from .closure import Closure, Terms
from .frame_motions import FrameMotions


class SumClosure(Closure):
    def _parts(self):
        for k, (_, K) in enumerate(self.constraint.parts):
            yield self.tree.constraint_frame(self.constraint, k), self.tree.constraint_matrix(self.constraint, k, K)

    def rows(self) -> list[Force]:
        return next(self._parts())[1]

    def terms(self) -> Terms:
        merged: dict[int, tuple[Force, ...]] = {}
        for (body, frame), rows in self._parts():
            K = tuple(frame.T @ row for row in rows)
            merged[body] = tuple(a + b for a, b in zip(merged[body], K, strict=True)) if body in merged else K
        return list(merged.items())

    def motion(self, motions: FrameMotions) -> tuple[list[Scalar], list[Scalar]]:
        velocity, rate = [], []
        for frame, rows in self._parts():
            moving, change = motions.velocity(frame), motions.acceleration(frame)
            velocity.append([row.dot(moving) for row in rows])
            rate.append([row.dot(change) for row in rows])
        return [sum_of(x) for x in zip(*velocity, strict=True)], [sum_of(x) for x in zip(*rate, strict=True)]
