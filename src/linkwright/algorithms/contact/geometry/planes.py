"""Every shape against a plane, with the points that MuJoCo gives: one of a sphere or ellipsoid, the ends of a capsule,
the lower corner of each diagonal of a box, four points of a cylinder, every point of a convex shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ....model.contact import Shape
from ....scalar import Scalar, sqrt, where
from ....spatial import Placement, Vector
from .touch import NO_LENGTH, Place, Touch, View, tangents_along


class Floor:
    """A plane as a moving body sees it."""

    def __init__(self, pose: Placement, view: View):
        self.view = view
        rows = pose.rotation.rows
        normal = Vector(*(row[2] for row in rows))
        t1 = _fixed_tangent(normal)
        self.normal, self.t1, self.t2 = view.seen(normal), view.seen(t1), view.seen(normal.cross(t1))
        self._level = normal @ (view.origin - pose.position)

    def height(self, point: Vector) -> Scalar:
        return self._level + self.normal @ point

    def touch(self, gap: Scalar, lowest: Callable[[], Vector]) -> Touch:
        """Of the shape's lowest point, with the usual tangents."""
        place = lambda: Place(lowest() - self.normal * (gap * 0.5), self.normal, self.t1, self.t2)  # noqa: E731
        return Touch(gap, place, normal=self.normal)


def _fixed_tangent(normal: Vector) -> Vector:
    """As touch.tangents, of a plane that stands still: numbers, unless its placement is given with the call."""
    upright = abs(normal.y) < 0.5
    guide = Vector(0.0, where(upright, 1.0, 0.0), where(upright, 0.0, 1.0))
    t1 = guide - normal * (normal @ guide)
    return t1 * (1.0 / sqrt(t1 @ t1))


def touches_with_plane(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    """`pose`: of the shape, in the body's frame."""
    return _KINDS[shape.kind](floor, shape, pose)


def _sphere(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    return [_ball(floor, pose.position, shape.size[0])]


def _ball(floor: Floor, center: Vector, radius: float) -> Touch:
    return floor.touch(floor.height(center) - radius, lambda: center - floor.normal * radius)


def _capsule(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    """Tangents follow the capsule's axis."""
    radius, half = shape.size
    axis = _column(pose, 2)

    def turned(end: Touch) -> Place:
        return replace(end.place(), **dict(zip(("t1", "t2"), _tangents_of_capsule(floor, axis), strict=True)))

    ends = [_ball(floor, pose.position + axis * (sign * half), radius) for sign in (1.0, -1.0)]
    return [Touch(end.gap, partial(turned, end), normal=floor.normal) for end in ends]


def _tangents_of_capsule(floor: Floor, axis: Vector) -> tuple[Vector, Vector]:
    return tangents_along(axis, floor.normal, floor.view.axes[0])


def _ellipsoid(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    down = pose.rotation.T @ floor.normal
    stretched = Vector(*(s * x for s, x in zip(shape.size, down, strict=True)))
    reach = sqrt(stretched @ stretched)

    def lowest() -> Vector:
        scale = -1.0 / reach
        local = Vector(*(s * x * scale for s, x in zip(shape.size, stretched, strict=True)))
        return pose.position + pose.rotation @ local

    return [floor.touch(floor.height(pose.position) - reach, lowest)]


def _box(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    """Of the two ends of each diagonal the lower one."""
    edges = [_column(pose, k) * shape.size[k] for k in range(3)]
    heights = [floor.normal @ edge for edge in edges]
    level = floor.height(pose.position)

    def corner(sx: float, sy: float, below: Scalar) -> Vector:
        sign = where(below > 0.0, -1.0, 1.0)
        return pose.position + (edges[0] * sx + edges[1] * sy - edges[2]) * sign

    touches = []
    for sx, sy in ((-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)):
        below = heights[0] * sx + heights[1] * sy - heights[2]
        touches.append(floor.touch(level - abs(below), partial(corner, sx, sy, below)))
    return touches


def _cylinder(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    """The lowest point of each end, and two more on the lower disk, as a triangle with its lowest point.

    Where the lowest point is out of reach, so are the others: its gap is no more than theirs.
    """
    radius, half = shape.size
    n, axis = floor.normal, _column(pose, 2)
    along = n @ axis
    turned = where(along > 0.0, -1.0, 1.0)
    axis, along = axis * turned, along * turned  # points to the plane
    down = axis * along - n
    square = down @ down
    flat = square < NO_LENGTH * NO_LENGTH  # the disk is parallel to the plane: any radius will do
    scale = radius / sqrt(where(flat, 1.0, square))
    across = Vector(*(where(flat, x * radius, d * scale) for d, x in zip(down, _column(pose, 0), strict=True)))
    drop = n @ across
    level, end = floor.height(pose.position), along * half

    def at_rim(sign: float) -> Vector:
        return pose.position + axis * (sign * half) + across

    def beside(sign: float) -> Vector:
        side = across.cross(axis)
        side = side * (sign * radius * math.sqrt(0.75) / sqrt(side @ side))
        return pose.position + axis * half - across * 0.5 + side

    gap = level + end - drop * 0.5
    return [
        floor.touch(level + end + drop, partial(at_rim, 1.0)),
        floor.touch(level - end + drop, partial(at_rim, -1.0)),
        floor.touch(gap, partial(beside, 1.0)),
        floor.touch(gap, partial(beside, -1.0)),
    ]


def _convex(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    corners = [pose.position + pose.rotation @ Vector(*point) for point in shape.points]
    return [floor.touch(floor.height(corner), partial(_itself, corner)) for corner in corners]


def _itself(corner: Vector) -> Vector:
    return corner


def _column(pose: Placement, k: int) -> Vector:
    return Vector(*(row[k] for row in pose.rotation.rows))


_KINDS: dict[str, Callable[[Floor, Shape, Placement], list[Touch]]] = {
    "sphere": _sphere, "capsule": _capsule, "ellipsoid": _ellipsoid, "box": _box, "cylinder": _cylinder,
    "convex": _convex,
}  # fmt: skip
