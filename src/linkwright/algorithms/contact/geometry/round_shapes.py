"""Spheres and capsules against each other: the closest points of two segments, and balls around them."""

from __future__ import annotations

from ....model.contact import Shape
from ....scalar import Scalar, sqrt, where
from ....spatial import Placement, Vector
from .touch import NO_LENGTH, Place, Touch, View, clipped, tangents


def touches_of_round_shapes(
    first: Shape, first_pose: Placement, second: Shape, second_pose: Placement, view: View
) -> list[Touch]:
    """Spheres and capsules; a capsule comes first if there is one."""
    centers = _closest(first, first_pose, second, second_pose)
    return [_balls(centers[0], first.size[0], centers[1], second.size[0], view)]


def distance_of_round_shapes(first: Shape, first_pose: Placement, second: Shape, second_pose: Placement) -> Scalar:
    """Negative where they overlap."""
    one, two = _closest(first, first_pose, second, second_pose)
    away = one - two
    return sqrt(away @ away) - (first.size[0] + second.size[0])


def _closest(first: Shape, first_pose: Placement, second: Shape, second_pose: Placement) -> tuple[Vector, Vector]:
    """Centres of the two balls that are closest."""
    if first.kind == "sphere":
        return first_pose.position, second_pose.position
    if second.kind == "sphere":
        return _closest_on(first, first_pose, second_pose.position), second_pose.position
    return _closest_of_two(first, first_pose, second, second_pose)


def _balls(one: Vector, its: float, two: Vector, other: float, view: View) -> Touch:
    away = one - two
    square = away @ away
    together = square < NO_LENGTH * NO_LENGTH  # no direction is better than another
    distance = sqrt(square)
    scale = 1.0 / where(together, 1.0, distance)
    normal = Vector(*(where(together, z, x * scale) for x, z in zip(away, view.axes[2], strict=True)))
    gap = distance - (its + other)
    t1, t2 = tangents(normal, view)
    place = Place(two + normal * (gap * 0.5 + other), normal, t1, t2)
    return Touch(gap, lambda: place)


def _closest_on(capsule: Shape, pose: Placement, point: Vector) -> Vector:
    axis = _axis(pose)
    return pose.position + axis * clipped(axis @ (point - pose.position), capsule.size[1])


def _closest_of_two(first: Shape, one: Placement, second: Shape, two: Placement) -> tuple[Vector, Vector]:
    """Points x1 a1 and x2 a2 from the centres, x in -1 ... 1, with the least distance.

    Of parallel capsules any point of where they overlap will do: the one closest to the middle of the first.
    """
    a1, a2 = _axis(one) * first.size[1], _axis(two) * second.size[1]
    away = one.position - two.position
    m1, m12, m2 = a1 @ a1, -(a1 @ a2), a2 @ a2
    u, v = -(a1 @ away), a2 @ away
    determinant = m1 * m2 - m12 * m12
    parallel = abs(determinant) < NO_LENGTH
    safe = where(parallel, 1.0, determinant)
    free1 = where(parallel, 0.0, (m2 * u - m12 * v) / safe)
    x1 = clipped(free1, 1.0)
    x2 = (v - m12 * x1) / m2
    beyond = abs(x2) > 1.0
    x2 = clipped(x2, 1.0)
    x1 = where(beyond, clipped((u - m12 * x2) / m1, 1.0), x1)
    return one.position + a1 * x1, two.position + a2 * x2


def _axis(pose: Placement) -> Vector:
    return Vector(*(row[2] for row in pose.rotation.rows))
