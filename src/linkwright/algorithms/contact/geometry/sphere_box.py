"""A sphere against a box, also with its centre inside."""

from __future__ import annotations

from ....model.contact import Shape
from ....scalar import sqrt, where
from ....spatial import Placement, Vector
from .touch import NO_LENGTH, Place, Touch, View, clipped, tangents


def touches_of_sphere_and_box(
    box: Shape, box_pose: Placement, sphere: Shape, sphere_pose: Placement, view: View
) -> list[Touch]:
    center = box_pose.rotation.T @ (sphere_pose.position - box_pose.position)
    return [ball_and_box(box, box_pose, center, sphere.size[0], view)]


def ball_and_box(box: Shape, box_pose: Placement, center: Vector, radius: float, view: View) -> Touch:
    """`center`: of the ball, in the box. The normal leads from the ball into the box; inside, from the closest face."""
    rotation = box_pose.rotation
    clamped = Vector(*(clipped(x, half) for x, half in zip(center, box.size, strict=True)))
    away = clamped - center
    square = away @ away
    inside = square <= NO_LENGTH * NO_LENGTH
    distance = sqrt(square)
    scale = 1.0 / where(inside, 1.0, distance)

    # inside: the face with the least way to go
    ways = [half - abs(x) for x, half in zip(center, box.size, strict=True)]
    x_first = (ways[0] <= ways[1]) & (ways[0] <= ways[2])
    y_first = ways[1] <= ways[2]
    x, y = where(x_first, 1.0, 0.0), where(x_first, 0.0, where(y_first, 1.0, 0.0))
    chosen = (x, y, 1.0 - x - y)
    inward = Vector(*(c * where(x < 0.0, 1.0, -1.0) for c, x in zip(chosen, center, strict=True)))
    way = chosen[0] * ways[0] + chosen[1] * ways[1] + chosen[2] * ways[2]

    local = Vector(*(where(inside, b, a * scale) for a, b in zip(away, inward, strict=True)))
    gap = where(inside, -way, distance) - radius
    deepest = center + local * radius
    middle = Vector(
        *(where(inside, c + n * ((radius - way) * 0.5), (p + d) * 0.5)
          for c, n, p, d in zip(center, local, clamped, deepest, strict=True))
    )  # fmt: skip
    normal = rotation @ local
    t1, t2 = tangents(normal, view)
    place = Place(box_pose.position + rotation @ middle, normal, t1, t2)
    return Touch(gap, lambda: place)
