"""What watching knows of a shape: a body of six numbers and a radius around it or, of corners, how far it reaches.

Whatever has no corners is a box, plus an ellipsoid, plus a ball, added as sets (Minkowski): a capsule is a box without
width or depth plus a ball, a cylinder one plus a flat ellipsoid. Corners are known by how far they reach along 26
directions: to the faces, edges and corners of a cube. Between those the reach is at most what is interpolated, since
the reach of a convex set along a + b is at most that along a plus that along b; so nothing of the shape is outside.
That is a first look; the second takes the corners one by one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ....model.contact import Shape
from ....scalar import Scalar, sqrt, where
from ....spatial import Vector

DIRECTIONS = tuple(
    (x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if (x, y, z) != (0, 0, 0)
)  # fmt: skip
"""Of a cube's 6 faces, 12 edges and 8 corners."""
_NO_LENGTH = 1e-30  # square of a direction's share across an ellipsoid below which no point of it is farthest


@dataclass(frozen=True)
class Solid:
    """Around the origin of its frame, along its axes.

    box, ellipsoid   half lengths
    radius           of the ball, margin included
    reach            of corners along `DIRECTIONS`, all zero without any
    corners          themselves, for who looks closer; none for a first look
    """

    box: Sequence[Scalar]
    ellipsoid: Sequence[Scalar]
    radius: Scalar
    reach: Sequence[Scalar]
    corners: Sequence[Sequence[Scalar]] = ()

    @classmethod
    def of_numbers(cls, numbers: Sequence[Scalar]) -> Solid:
        """From what `numbers` gives, or symbols in their place."""
        return cls(numbers[:3], numbers[3:6], numbers[6], numbers[7:])

    @property
    def numbers(self) -> list[float]:
        return [*self.box, *self.ellipsoid, self.radius, *self.reach]

    @classmethod
    def of_close_numbers(cls, numbers: Sequence[Scalar]) -> Solid:
        """From what `close_numbers` gives, or symbols in their place."""
        corners = [numbers[k : k + 3] for k in range(7, len(numbers), 3)]
        return cls(numbers[:3], numbers[3:6], numbers[6], (0.0,) * len(DIRECTIONS), corners)

    def close_numbers(self, count: int) -> list[float]:
        """For a closer look, with so many corners: the last one again and again, the middle of what has none."""
        corners = list(self.corners) or [(0.0, 0.0, 0.0)]
        corners += [corners[-1]] * (count - len(corners))
        return [*self.box, *self.ellipsoid, self.radius, *(x for corner in corners for x in corner)]

    @property
    def half(self) -> list[Scalar]:
        """Half lengths of the box around all of it."""
        sides = [self.reach[DIRECTIONS.index(axis)] for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
        return [b + e + self.radius + s for b, e, s in zip(self.box, self.ellipsoid, sides, strict=True)]

    @property
    def ball(self) -> float:
        """Radius of the ball around all of it."""
        if self.corners:
            return self.radius + max(math.hypot(*corner) for corner in self.corners)
        return self.radius + max(self.ellipsoid) + math.hypot(*self.box)

    def farthest(self, x: Vector) -> Vector:
        """The point farthest along x, without the ball; of corners the first of them if they are alike far."""
        stretched = [e * u for e, u in zip(self.ellipsoid, x, strict=True)]
        square = stretched[0] * stretched[0] + stretched[1] * stretched[1] + stretched[2] * stretched[2]
        known = square > _NO_LENGTH
        scale = where(known, 1.0, 0.0) / sqrt(where(known, square, 1.0))
        signs = [where(u >= 0.0, 1.0, -1.0) for u in x]
        corner = [s * c for s, c in zip(signs, self._corner(x), strict=True)]
        if self.corners:
            corner = self._farthest_corner(x)
        return Vector(*(
            s * b + c + e * (y * scale)
            for s, b, c, e, y in zip(signs, self.box, corner, self.ellipsoid, stretched, strict=True)
        ))  # fmt: skip

    def _farthest_corner(self, x: Vector) -> list[Scalar]:
        best = list(self.corners[0])
        far = Vector(*best) @ x
        for corner in self.corners[1:]:
            along = Vector(*corner) @ x
            better = along > far
            far = where(better, along, far)
            best = [where(better, new, old) for new, old in zip(corner, best, strict=True)]
        return best

    def _corner(self, x: Vector) -> list[Scalar]:
        """Where three of the planes meet that bound the corners: the face, edge and corner of the cube closest to x.
        As lengths along the axes to the side of x."""
        if self.corners or all(isinstance(r, float) and r == 0.0 for r in self.reach):
            return [0.0, 0.0, 0.0]
        reach: dict[tuple[int, ...], Scalar] = dict(zip(DIRECTIONS, self.reach, strict=True))
        for axis in range(3):  # to the side of x
            up = x[axis] >= 0.0
            reach = {
                d: r if d[axis] == 0 else where(up, r, reach[(*d[:axis], -1, *d[axis + 1 :])])
                for d, r in reach.items() if d[axis] >= 0
            }  # fmt: skip
        s0, s1, s2 = (abs(u) for u in x)
        first = (s0 >= s1) & (s0 >= s2), (s0 < s1) & (s1 >= s2), (s0 < s2) & (s1 < s2)
        last = (s0 < s1) & (s0 < s2), (s0 >= s1) & (s1 < s2), (s0 >= s2) & (s1 >= s2)
        order = s1 >= s2, s0 >= s2, s0 >= s1  # of the other two axes, whether the first is longer
        result = []
        for i in range(3):
            j, k = (m for m in range(3) if m != i)
            alone, of_j, of_k = (_axes(m) for m in (i, j, k))
            middle = where(order[i], reach[_axes(i, j)] - reach[of_j], reach[_axes(i, k)] - reach[of_k])
            result.append(where(first[i], reach[alone], where(last[i], reach[1, 1, 1] - reach[_axes(j, k)], middle)))
        return result


def _axes(*which: int) -> tuple[int, int, int]:
    return int(0 in which), int(1 in which), int(2 in which)


def solid_of(shape: Shape) -> tuple[Solid, Vector]:
    """(What is known of a shape, where the middle of that is in the shape's frame)."""
    zero, radius, size, middle = (0.0, 0.0, 0.0), shape.surface.margin, shape.size, Vector.zero()
    reach = (0.0,) * len(DIRECTIONS)
    if shape.points:
        slack = size[0] if size else 0.0
        middle_of, corners, reach = _reach(shape.points)
        return Solid(zero, zero, radius + slack, reach, corners), Vector(*middle_of)
    if shape.kind == "sphere":
        return Solid(zero, zero, radius + size[0], reach), middle
    if shape.kind == "capsule":
        return Solid((0.0, 0.0, size[1]), zero, radius + size[0], reach), middle
    if shape.kind == "cylinder":
        return Solid((0.0, 0.0, size[1]), (size[0], size[0], 0.0), radius, reach), middle
    if shape.kind == "ellipsoid":
        return Solid(zero, size, radius, reach), middle
    return Solid(size, zero, radius, reach), middle


def _reach(points: Iterable[Sequence[float]]) -> tuple[list[float], list[list[float]], tuple[float, ...]]:
    """(The middle of the box around points; they, from there; how far they reach along each direction)."""
    given = np.array(points, dtype=float)
    middle = 0.5 * (given.max(axis=0) + given.min(axis=0))
    given = given - middle
    return middle.tolist(), given.tolist(), tuple(float(_along(given, direction).max()) for direction in DIRECTIONS)


def _along(points: np.ndarray, direction: tuple[int, int, int]) -> np.ndarray:
    """Products in a fixed order: the same on every processor."""
    x, y, z = direction
    return points[:, 0] * x + points[:, 1] * y + points[:, 2] * z
