"""A piece of a planar loop between two of its hinges: all joints within it are known, or one of its slides is not.

Its bodies are segments: vectors between the joints that turn, on which the slides between them move.
V = ... + Rot(-q_k) r_(k-1) + r_k + Rot(q_(k+1)) (r_(k+1) + Rot(q_(k+2)) ...) in the frame of segment k.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from ....fixed_order import norm
from ....scalar import Scalar, atan2, cos, is_zero, sin
from .planar_loop import LoopElement


@dataclass
class PlanarSegment:
    """vector   when drawn
    slides   (coordinate, drawn, direction times sense) of prismatic joints along it
    """

    vector: np.ndarray
    slides: list[tuple[int, float, np.ndarray]] = field(default_factory=list)


class PlanarPiece:
    """The way from one hinge to the next; `chosen` is the segment in whose frame it is seen, turned by `turned`."""

    def __init__(
        self, start: LoopElement, inner: Sequence[LoopElement], end: LoopElement, sliding: LoopElement | None = None
    ):
        self.joints = [e for e in inner if e.slide is None]
        points = [start.after, *(e.at for e in self.joints), end.at]
        self.segments = [PlanarSegment(b - a) for a, b in pairwise(points)]
        self.slides = sliding is not None
        """Whether it holds the unknown slide, which `vector` leaves out."""
        k, slid = 0, 0
        for e in inner:
            if e.slide is None:
                k += 1
            elif e is sliding:
                slid = k
            else:
                self.segments[k].slides.append((e.coordinate, e.drawn, e.slide * e.sense))
        lengths = [norm(segment.vector) for segment in self.segments]
        if sliding is not None and sliding.slide is not None:  # along the first axis
            x, y = (sliding.slide * sliding.sense).tolist()
            self.look_from(slid, math.atan2(y, x))
        else:
            longest = max(range(len(lengths)), key=lambda n: lengths[n])
            self.look_along(longest)
        self.winds = sliding is None and not (
            lengths[self.chosen] >= sum(lengths) - lengths[self.chosen] and not any(s.slides for s in self.segments)
        )
        """Whether the direction may turn by more than half a turn away from that of the chosen segment."""

    @property
    def is_rigid(self) -> bool:
        return not self.joints and not any(s.slides for s in self.segments) and not self.slides

    def look_along(self, segment: int) -> None:
        vector = self.segments[segment].vector
        self.look_from(segment, math.atan2(vector[1], vector[0]))

    def look_from(self, segment: int, turned: float) -> None:
        self.chosen, self.turned = segment, turned

    def vector(self, q: Sequence[Scalar]) -> tuple[Scalar, Scalar]:
        """In the chosen segment's frame, turned by `turned`."""
        forward: tuple[Scalar, Scalar] = (0.0, 0.0)
        angle = -self.turned - sum(e.sense * e.drawn for e in self.joints[self.chosen :])
        for k in reversed(range(self.chosen, len(self.segments))):
            forward = _plus(self._segment(k, q, angle), forward)
            if k > self.chosen:
                joint = self.joints[k - 1]
                forward = _turn(forward, q[joint.coordinate], joint.sense)
                angle += joint.sense * joint.drawn
        behind: tuple[Scalar, Scalar] = (0.0, 0.0)
        angle = -self.turned + sum(e.sense * e.drawn for e in self.joints[: self.chosen])
        for k in range(self.chosen):
            joint = self.joints[k]
            behind = _turn(_plus(self._segment(k, q, angle), behind), q[joint.coordinate], -joint.sense)
            angle -= joint.sense * joint.drawn
        return _plus(forward, behind)

    def _segment(self, k: int, q: Sequence[Scalar], angle: float) -> tuple[Scalar, Scalar]:
        """Of segment k, turned by a constant angle."""
        x, y = _rotated(self.segments[k].vector, angle)
        total: tuple[Scalar, Scalar] = (x, y)
        for coordinate, drawn, direction in self.segments[k].slides:
            ux, uy = _rotated(direction, angle)
            along = q[coordinate] - drawn if drawn else q[coordinate]
            total = _plus(total, (_times(along, ux), _times(along, uy)))
        return total

    def angle(self, seen: tuple[Scalar, Scalar]) -> Scalar:
        """Of the piece's vector against the chosen segment's frame as it is turned; zero where nothing moves."""
        return 0.0 if self.is_rigid else atan2(seen[1], seen[0])

    def turn_before(self, q: Sequence[Scalar]) -> Scalar:
        """How far the chosen segment's frame has turned against the first one's, and is turned."""
        return self._turns(self.joints[: self.chosen], q) + self.turned

    def turn_after(self, q: Sequence[Scalar]) -> Scalar:
        """How far the last segment's frame has turned against the chosen one's, and that is not."""
        return self._turns(self.joints[self.chosen :], q) - self.turned

    @staticmethod
    def _turns(joints: Sequence[LoopElement], q: Sequence[Scalar]) -> Scalar:
        total: Scalar = 0.0
        for e in joints:
            total = total + q[e.coordinate] * e.sense
        return total - sum(e.sense * e.drawn for e in joints)


def steadiest_view(piece: PlanarPiece, paths: Sequence[np.ndarray], reached: np.ndarray) -> tuple[int, float]:
    """(segment, angle) from where the piece's direction moves least along the paths, and in the middle of its range."""
    views = []
    for k in range(len(piece.segments)):
        piece.look_along(k)
        x, y = piece.vector(paths)
        angles = np.unwrap(np.arctan2(y, x) + np.zeros(reached.shape), axis=1)[reached]
        middle = piece.turned + float(angles.max() + angles.min()) / 2
        views.append((round(float(np.ptp(angles)), 6), k, round(middle, 6)))  # the same on every processor
    return min(views)[1:]


def _rotated(vector: np.ndarray, angle: float) -> tuple[float, float]:
    c, s = math.cos(angle), math.sin(angle)
    x, y = float(vector[0]), float(vector[1])
    turned = (c * x - s * y, s * x + c * y)
    size = abs(x) + abs(y)
    return tuple(0.0 if abs(t) < 1e-15 * size else t for t in turned)  # type: ignore[return-value]


def _turn(vector: tuple[Scalar, Scalar], q: Scalar, sense: float) -> tuple[Scalar, Scalar]:
    c, s = cos(q), sin(q) * sense
    x, y = vector
    return _minus(_times(c, x), _times(s, y)), _plus_scalar(_times(s, x), _times(c, y))


def _times(a: Scalar, b: Scalar) -> Scalar:
    return 0.0 if is_zero(a) or is_zero(b) else a * b


def _plus_scalar(a: Scalar, b: Scalar) -> Scalar:
    return b if is_zero(a) else a if is_zero(b) else a + b


def _minus(a: Scalar, b: Scalar) -> Scalar:
    return a if is_zero(b) else a - b


def _plus(a: tuple[Scalar, Scalar], b: tuple[Scalar, Scalar]) -> tuple[Scalar, Scalar]:
    return _plus_scalar(a[0], b[0]), _plus_scalar(a[1], b[1])
