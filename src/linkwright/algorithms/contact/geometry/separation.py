"""Whether two solids overlap: Gilbert, Johnson and Keerthi's method, ended as soon as a plane between them is found.

Differences a - b of points of both make a convex set, which holds the origin where they overlap. A simplex of up to
four of its corners comes ever closer to the origin; along the line to its nearest point either nothing of the set is on
the other side of a plane, and they are apart, or there is another corner to take in.

[Gilbert1988] A fast procedure for computing the distance between complex objects in three-dimensional space.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from ....scalar import Scalar, maximum, negated, until, where
from ....spatial import Matrix, Placement, Vector, sum_of
from .solid import Solid

# Two shapes of 0.3 m that are 1 mm apart, of all kinds and in random poses, are told apart after eight passes in most
# cases, after 16 in 99.7 %; what is not by then counts as overlapping. Typical pairs whose boxes overlap take five.
MOST_PASSES = 16
_USUAL_PASSES = 5.0
_THIN = 1e-14  # of the product of squared sides: triangles below have no area
_FLAT = 1e-10  # of the product of sides: tetrahedra below have no volume
# Of how far corners are from the origin: a simplex as close as that touches it, since the direction to the origin has
# few digits left; with those a plane is found to that.
_TOUCHING, _ROUNDED = 1e-6, 1e-9
_INSIDE = 1e-11  # share of the volume that an inner point has to all faces


def boxes_overlap(a: Sequence[Scalar], b: Sequence[Scalar], pose: Placement) -> Scalar:
    """Whether, of boxes of half lengths a and b, no face of either has the other beyond it; `pose` is of the second in
    the first. A few boxes that are apart by a plane along an edge of each pass, too."""
    R, t = pose.rotation, pose.position
    size = [[abs(R[r, c]) for c in range(3)] for r in range(3)]
    back = R.T @ t
    beyond = [abs(t[r]) - a[r] - sum_of(size[r][c] * b[c] for c in range(3)) for r in range(3)]
    beyond += [abs(back[c]) - b[c] - sum_of(size[r][c] * a[r] for r in range(3)) for c in range(3)]
    return reduce(maximum, beyond) < 0.0


def overlap(one: Solid, two: Solid, pose: Placement) -> Scalar:
    """1 where the solids overlap or are not told apart, else 0; `pose` is of the second in the first."""
    R, t = pose.rotation, pose.position
    back, radius = R.T, one.radius + two.radius
    square = radius * radius

    def corner(x: Vector) -> Vector:
        """Of the set of differences, the one farthest against x."""
        return one.farthest(-x) - (R @ two.farthest(back @ x) + t)

    def body(values: Sequence[Scalar]) -> tuple[list[Scalar], Scalar]:
        x = Vector(*values[:3])
        corners = [Vector(*values[3 + 3 * k : 6 + 3 * k]) for k in range(3)]
        known = [values[12 + k] > 0.5 for k in range(3)]
        w = corner(x)
        along, far = x @ w, w @ w
        apart = (along > 0.0) & (along * along > (square + _ROUNDED**2 * far) * (x @ x))
        nearest, kept, inside = _nearest(corners, known, w)
        met = inside | (nearest @ nearest <= square + _TOUCHING**2 * far)
        # the newest corner takes the place of one that is needed no more
        place = [negated(kept[0]), kept[0] & negated(kept[1]), kept[0] & kept[1]]
        taken = [Vector(*(where(p, n, o) for n, o in zip(w, old, strict=True)))
                 for p, old in zip(place, corners, strict=True)]  # fmt: skip
        flags = [where(p | k, 1.0, 0.0) for p, k in zip(place, kept, strict=True)]
        return [*nearest, *(u for v in taken for u in v), *flags, where(apart, 0.0, 1.0)], apart | met

    start = [*(-t), *[0.0] * 12, 1.0]
    return until(body, start, limit=MOST_PASSES, expected=_USUAL_PASSES)[-1]


def _nearest(corners: Sequence[Vector], known: Sequence[Scalar], w: Vector) -> tuple[Vector, list[Scalar], Scalar]:
    """(The point of a simplex nearest to the origin; which of the three corners beside w it lies between; whether the
    origin is inside). Only what w is part of is looked at: the rest was, when it was the newest."""
    best, nearest = w @ w, w
    kept: list[Scalar] = [0.0, 0.0, 0.0]
    sides = [corner - w for corner in corners]
    squares = [side @ side for side in sides]
    shares = [-(w @ side) for side in sides]

    def offer(point: Vector, allowed: Scalar, of: Sequence[int]) -> None:
        nonlocal best, nearest, kept
        distance = point @ point
        better = allowed & (distance < best)
        best = where(better, distance, best)
        nearest = Vector(*(where(better, n, o) for n, o in zip(point, nearest, strict=True)))
        kept = [where(better, 1.0 if k in of else 0.0, old) for k, old in enumerate(kept)]

    for k in range(3):
        real = squares[k] > 0.0
        share = shares[k] / where(real, squares[k], 1.0)
        offer(w + sides[k] * share, known[k] & real & (share > 0.0) & (share < 1.0), (k,))
    for i, j in ((0, 1), (1, 2), (2, 0)):
        mixed = sides[i] @ sides[j]
        product = squares[i] * squares[j]
        determinant = product - mixed * mixed
        real = determinant > _THIN * product
        scale = 1.0 / where(real, determinant, 1.0)
        u = (shares[i] * squares[j] - shares[j] * mixed) * scale
        v = (shares[j] * squares[i] - shares[i] * mixed) * scale
        inner = (u > 0.0) & (v > 0.0) & (u + v < 1.0)
        offer(w + sides[i] * u + sides[j] * v, known[i] & known[j] & real & inner, (i, j))
    a, b, c = sides
    across = (b.cross(c), c.cross(a), a.cross(b))
    volume = a @ across[0]
    real = volume * volume > _FLAT * _FLAT * squares[0] * squares[1] * squares[2]
    scale = -1.0 / where(real, volume, 1.0)
    parts = [(w @ normal) * scale for normal in across]
    inside = known[0] & known[1] & known[2] & real & (parts[0] + parts[1] + parts[2] < 1.0 - _INSIDE)
    for part in parts:
        inside = inside & (part > _INSIDE)
    return nearest, [k > 0.5 for k in kept], inside


def turned_into(one: Placement, two: Placement) -> Placement:
    """The pose of the second frame in the first, both given in a third."""
    back: Matrix = one.rotation.T
    return Placement(back @ two.rotation, back @ (two.position - one.position))
