"""A capsule against a box: a ball at the point of its axis that is closest to the box, and one at a second point.

The closest point is an end of the axis over a face (or inside), or that where the axis passes one of the twelve edges.
From there the second point is as far along the axis as the box goes on beside it, where they are about parallel. That
is MuJoCo's rule; which way to go and how far depends on what of the box is closest: a face, an edge, or a corner.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....model.contact import Shape
from ....scalar import Scalar, maximum, minimum, where
from ....spatial import Placement, Vector, sum_of
from .sphere_box import ball_and_box
from .touch import NO_LENGTH, Touch, View, clipped

_FAR = 1e30


@dataclass(frozen=True)
class _Closest:
    """The best so far. Flags are 1 or 0; those of three are one per axis of the box.

    square   of the distance
    s        where on the axis, -1 ... 1
    face     the face over which an end is; all zero for an end inside the box
    edge     the edge, by its direction; at_corner says whether its end is closest, x where on it, -1 ... 1
    upper    which corner (that with x = -1 of an edge, unless its upper end is closest)
    """

    square: Scalar
    s: Scalar
    is_face: Scalar
    face: list[Scalar]
    edge: list[Scalar]
    at_corner: Scalar
    x: Scalar
    upper: list[Scalar]

    def or_else(self, other: _Closest, better: Scalar) -> _Closest:
        pick = lambda new, old: where(better, new, old)  # noqa: E731
        several = lambda new, old: [pick(p, q) for p, q in zip(new, old, strict=True)]  # noqa: E731
        return _Closest(
            pick(other.square, self.square), pick(other.s, self.s), pick(other.is_face, self.is_face),
            several(other.face, self.face), several(other.edge, self.edge), pick(other.at_corner, self.at_corner),
            pick(other.x, self.x), several(other.upper, self.upper),
        )  # fmt: skip


def touches_of_capsule_and_box(
    box: Shape, box_pose: Placement, capsule: Shape, capsule_pose: Placement, view: View
) -> list[Touch]:
    radius, half = capsule.size
    back = box_pose.rotation.T
    center = back @ (capsule_pose.position - box_pose.position)
    direction = back @ Vector(*(row[2] for row in capsule_pose.rotation.rows))
    axis = direction * half
    closest = _over_faces(center, axis, box.size)
    for j in range(3):
        for corner in range(4):
            found, there = _at_edge(center, axis, half, box.size, j, corner)
            closest = closest.or_else(found, there & (found.square < closest.square - NO_LENGTH))
    step, goes_on = _second(closest, center, axis, direction, box.size)
    places = [center + axis * closest.s, center + axis * (closest.s + step)]
    first, second = (ball_and_box(box, box_pose, place, radius, view) for place in places)
    return [first, Touch(second.gap, second.place, goes_on > 0.5)]


def _over_faces(center: Vector, axis: Vector, size) -> _Closest:
    """The closer end of the axis, of those that are out of the box in one direction at most."""
    nothing: list[Scalar] = [0.0] * 3
    closest = _Closest(_FAR, 0.0, 1.0, nothing, nothing, 0.0, 0.0, nothing)
    for s in (-1.0, 1.0):
        end = center + axis * s
        outside = [where(abs(x) > half, 1.0, 0.0) for x, half in zip(end, size, strict=True)]
        square = sum_of((x - clipped(x, half)) * (x - clipped(x, half)) for x, half in zip(end, size, strict=True))
        found = _Closest(square, s, 1.0, outside, nothing, 0.0, 0.0, nothing)
        closest = closest.or_else(found, (sum_of(outside) < 1.5) & (square < closest.square))
    return closest


def _at_edge(center: Vector, axis: Vector, half: float, size, j: int, corner: int) -> tuple[_Closest, Scalar]:
    """Closest approach of the axis and an edge along direction j, and whether they are not parallel."""
    k, l = (j + 1) % 3, (j + 2) % 3
    bits: list[Scalar] = [0.0] * 3
    bits[k], bits[l] = float(corner & 1), float(corner >> 1)
    middle = Vector(*(0.0 if i == j else (2.0 * bits[i] - 1.0) * size[i] for i in range(3)))
    away = middle - center
    m1, m12, m2 = size[j] * size[j], axis[j] * -size[j], half * half
    u, v = away[j] * -size[j], axis @ away
    determinant = m1 * m2 - m12 * m12
    there = abs(determinant) >= NO_LENGTH
    free = (m2 * u - m12 * v) / where(there, determinant, 1.0)
    x = clipped(free, 1.0)
    s = where(abs(free) > 1.0, (v - m12 * x) * (1.0 / m2), (m1 * v - m12 * u) / where(there, determinant, 1.0))
    beyond = abs(s) > 1.0
    s = clipped(s, 1.0)
    again = (u - m12 * s) * (1.0 / m1)
    bound = where(beyond & (abs(again) > 1.0), again, free)  # what was last held to an end of the edge
    at_end = where(abs(bound) > 1.0, 1.0, 0.0)
    x = where(beyond, clipped(again, 1.0), x)
    gap = away - axis * s
    gap = Vector(*(y + size[j] * x if i == j else y for i, y in enumerate(gap)))
    upper = list(bits)
    upper[j] = where(bound > 1.0, 1.0, 0.0)
    along = [1.0 if i == j else 0.0 for i in range(3)]
    return _Closest(gap @ gap, s, 0.0, [0.0] * 3, along, at_end, x, upper), there


def _second(closest: _Closest, center: Vector, axis: Vector, direction: Vector, size) -> tuple[Scalar, Scalar]:
    """(step along the axis to the second point, 1 if there is one)."""
    rising = [where(x > 0.0, 1.0, 0.0) for x in axis]
    differ = [abs(r - u) for r, u in zip(rising, closest.upper, strict=True)]
    # steps that lead from one side of the box to the other
    across = [2.0 * half / maximum(abs(x), 1e-30) for x, half in zip(axis, size, strict=True)]
    face = _beside_face(closest, center, axis, size)
    corner = _beside_corner(closest.s, differ, across, direction)
    edge: tuple[Scalar, Scalar] = (0.0, 0.0)
    for j in range(3):
        own = _beside_edge(closest, differ, rising, across, direction, j)
        edge = (where(closest.edge[j] > 0.5, own[0], edge[0]), where(closest.edge[j] > 0.5, own[1], edge[1]))
    pick = lambda k: where(  # noqa: E731
        closest.is_face > 0.5, face[k], where(closest.at_corner > 0.5, corner[k], edge[k])
    )
    return pick(0), pick(1)


def _beside_face(closest: _Closest, center: Vector, axis: Vector, size) -> tuple[Scalar, Scalar]:
    """To the other end of the axis, or where it leaves the space over the face."""
    end, way, step = center + axis * closest.s, -closest.s, 2.0
    for i, half in enumerate(size):
        slope = where(abs(axis[i]) > 1e-30, axis[i], 1e-30)
        for side in (half, -half):
            reached = (side - end[i]) / slope * way
            counts = (closest.face[i] < 0.5) & (reached > 0.0) & (reached < step)
            step = where(counts, reached, step)
    return step * way, sum_of(closest.face)


def _beside_corner(s: Scalar, differ: list[Scalar], across: list[Scalar], direction: Vector) -> tuple[Scalar, Scalar]:
    """Along an edge or a face from the corner, unless the axis points to the corner or away from it."""
    count = sum_of(differ)
    way = where(count > 1.5, -1.0, 1.0)
    lone = [where(count > 1.5, 1.0 - d, d) for d in differ]
    along_edge = sum_of(on * x * x for on, x in zip(lone, direction, strict=True)) > 0.5
    ahead, behind = 1.0 - way * s, 1.0 + way * s
    for on, step in zip(lone, across, strict=True):
        ahead = where(on > 0.5, minimum(ahead, step), ahead)
        behind = where(on > 0.5, behind, minimum(behind, step))
    return where(along_edge, ahead * way, behind * -way), where((count > 0.5) & (count < 2.5), 1.0, 0.0)


def _beside_edge(
    closest: _Closest, differ: list[Scalar], rising: list[Scalar], across: list[Scalar], direction: Vector, j: int
) -> tuple[Scalar, Scalar]:  # fmt: skip
    """Over the face that the axis is less steep to, unless edge and axis form a T."""
    k, l = (j + 1) % 3, (j + 2) % 3
    first = abs(direction[k]) > abs(direction[l])
    turned, step = where(first, differ[k], differ[l]), where(first, across[k], across[l])
    way = where(turned > 0.5, 1.0, -1.0)
    step = minimum(1.0 - way * closest.s, step)
    to_end = where(abs(rising[j] - turned) < 0.5, 1.0 - closest.x, 1.0 + closest.x)
    step = minimum(step, across[j] * 0.5 * to_end)
    return step * way, where(abs(differ[k] + differ[l] - 1.0) < 0.5, 1.0, 0.0)
