"""Dyads: two unknown joints of a planar loop and the pin that closes it, solved in closed form.

Unknown joints that turn, and the pin, are the corners of a triangle whose sides are known: pieces of the loop between
them. Its angles follow, on the side on which it is drawn. If one of the unknown joints slides, two pieces remain
between the other and the pin, and must be equally long. Angles are sums of angles of bounded range, so they count
turns: nothing jumps while the known coordinates move on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ....model import Model
from ....scalar import Scalar, atan2, cos, maximum, sin, sqrt, where
from .implicit_loops import ImplicitStep
from .involvement import involved_bodies
from .planar_loop import PIN, leaning, planar_loop
from .planar_piece import PlanarPiece, steadiest_view

_CORRECTIONS = 2  # steps of Newton's method where axes lean, by no more than a milliradian


class DyadStep(ImplicitStep):
    """Positions by formula; velocities as for any loop."""

    _turns: dict[int, float]

    @staticmethod
    def serves(model: Model, constraint: int, known: set[int]) -> tuple[int, ...]:
        """The two velocities that a dyad finds; none if the constraint does not close one."""
        bodies, _ = involved_bodies(model, model.constraints[constraint])
        unknown = [i for i in bodies if model.iv[i].start not in known]
        slides = [i for i in unknown if model.joints[i - 1].motion().slides]
        if len(unknown) != 2 or len(slides) > 1 or leaning(model, constraint) is None:
            return ()
        return tuple(sorted(model.iv[i].start for i in unknown))

    def draw(self, drawn: Sequence[Scalar]) -> None:
        """Measure the pieces at a closed pose; on a tree of numbers."""
        elements = planar_loop(self._tree, self._tree.constraints[0], drawn)
        self._slide = next((e for e in elements if e.velocity in self.unknown and e.slide is not None), None)
        corners = [n for n, e in enumerate(elements) if e.slide is None and (e.velocity in (PIN, *self.unknown))]
        self._corners = [elements[n] for n in corners]
        self._pieces = []
        for a, b in zip(corners, [*corners[1:], corners[0]], strict=True):
            inner = elements[a + 1 : b] if b > a else [*elements[a + 1 :], *elements[:b]]
            slides = self._slide is not None and self._slide in inner
            self._pieces.append(PlanarPiece(elements[a], inner, elements[b], self._slide if slides else None))
        drawn = [float(x) for x in drawn]
        self._side = 1.0 if self._side_of(drawn) > 0 else -1.0
        self._count_turns(drawn)

        leans = leaning(self._tree.model, self._loops[0].constraint)
        self._corrections = _CORRECTIONS if leans else 0

    def as_drawn(self, other: DyadStep) -> None:
        """Take over what was measured on numbers."""
        self._slide, self._corners, self._pieces = other._slide, other._corners, other._pieces
        self._side, self._turns, self._corrections = other._side, other._turns, other._corrections

    def _count_turns(self, drawn: Sequence[Scalar]) -> None:
        """Whole turns to be added so that what is found for the drawn pose is the drawn pose."""
        self._turns = {}
        found = self.found(drawn)
        turning = [e for e in self._corners if e.coordinate != PIN]
        whole = {e.coordinate: round((found[e.coordinate] - e.drawn) / (2 * math.pi)) for e in turning}
        self._turns = {n: -2 * math.pi * count for n, count in whole.items()}

    @property
    def winds(self) -> bool:
        return any(piece.winds for piece in self._pieces)

    def watch(self, paths: Sequence[np.ndarray], reached: np.ndarray) -> None:
        """Look at each piece from where its direction moves least along some paths, so that none jumps by a turn.

        paths     per coordinate (paths, poses); each path begins as drawn
        reached   (paths, poses): up to where they lead
        """
        for piece in self._pieces:
            if piece.winds:
                piece.look_from(*steadiest_view(piece, paths, reached))
        self._count_turns([float(x[0, 0]) for x in paths])

    def reaches(self, q: Sequence[Scalar]) -> Scalar:
        """Not negative where there is a solution."""
        squares = [x * x + y * y for x, y in (piece.vector(q) for piece in self._pieces)]
        if self._slide is None:
            return _area(squares)
        k = self._sliding_piece
        return squares[1 - k] - self._pieces[k].vector(q)[1] ** 2

    # At a posture

    def _side_of(self, q: Sequence[Scalar]) -> Scalar:
        """Positive if the triangle is to the left of the way round, or the slide ahead; at a closed pose."""
        vectors = [piece.vector(q) for piece in self._pieces]
        if self._slide is not None:
            k = self._sliding_piece
            return vectors[k][0] + (q[self._slide.coordinate] - self._slide.drawn)
        n = next(n for n, e in enumerate(self._corners) if e.coordinate != PIN)
        e, after, before = self._corners[n], self._pieces[n], self._pieces[n - 1]
        turn = (q[e.coordinate] - e.drawn) * e.sense
        turn = turn + after.turn_before(q) + after.angle(vectors[n])
        return sin(turn - (before.angle(vectors[n - 1]) - before.turn_after(q)))

    @property
    def _sliding_piece(self) -> int:
        return next(n for n, piece in enumerate(self._pieces) if piece.slides)

    def found(self, q: Sequence[Scalar], side: Scalar | None = None) -> dict[int, Scalar]:
        """The unknown coordinates by number."""
        side = self._side if side is None else side
        vectors = [piece.vector(q) for piece in self._pieces]
        angles = [piece.angle(seen) for piece, seen in zip(self._pieces, vectors, strict=True)]
        result: dict[int, Scalar] = {}
        if self._slide is None:
            turns = self._triangle([x * x + y * y for x, y in vectors], side)
        else:
            k = self._sliding_piece
            (x, y), (u, w) = vectors[k], vectors[1 - k]
            reach = sqrt(maximum((u * u + w * w) - y * y, 0.0))
            result[self._slide.coordinate] = reach * side - x + self._slide.drawn
            angles[k] = atan2(y * side, reach) + where(side > 0.0, 0.0, math.pi)
            turns = [math.pi, math.pi]
        for n, e in enumerate(self._corners):
            if e.coordinate == PIN:
                continue
            after, before = self._pieces[n], self._pieces[n - 1]
            known = before.turn_after(q) + after.turn_before(q)
            turn = turns[n] - angles[n] + angles[n - 1] - known + self._turns.get(e.coordinate, 0.0) * e.sense
            result[e.coordinate] = turn * e.sense + e.drawn
        return result

    @staticmethod
    def _triangle(squares: Sequence[Scalar], side: Scalar) -> list[Scalar]:
        """How far one turns at each corner on the way round a triangle, from its sides squared; flat if it is none."""
        a, b, c = squares  # sides after corners 0, 1, 2
        height = sqrt(maximum(_area(squares), 0.0))
        return [atan2(height, x) * side for x in (b - c - a, c - a - b, a - b - c)]

    def solve_positions(self, q):
        if not self.follows_start:
            found = self.found(q)
        else:
            start = list(self.start)
            side = where(self._side_of(start) > 0.0, 1.0, -1.0)
            found = self.found(q, side)
            for e in self._corners:
                if e.coordinate != PIN:  # as many turns as it has made at the start
                    n, at = e.coordinate, start[e.coordinate]
                    found[n] = at + atan2(sin(found[n] - at), cos(found[n] - at))
        for n, x in found.items():
            q[n] = x
        for _ in range(self._corrections):
            self.correct(q)


def _area(squares: Sequence[Scalar]) -> Scalar:
    """Of a triangle, times four and squared, from its sides squared; negative if there is none."""
    a, b, c = squares
    twice = a + b - c
    return a * b * 4.0 - twice * twice
