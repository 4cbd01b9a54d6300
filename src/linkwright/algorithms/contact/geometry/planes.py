"""Every shape against a plane, with the points that MuJoCo gives: one of a sphere or ellipsoid, the ends of a capsule,
the lower corner of each diagonal of a box, four points of a cylinder, every point of a convex shape.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from ....model.contact import Shape
from ....scalar import Scalar, sqrt, where
from ....spatial import Placement, Vector
from .touch import NO_LENGTH, Touch, View, tangents_along


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

    def touch(self, lowest: Vector, gap: Scalar, possible: Scalar | None = None) -> Touch:
        """Of the shape's lowest point, with the usual tangents."""
        return Touch(gap, lowest - self.normal * (gap * 0.5), self.normal, self.t1, self.t2, possible)


def _fixed_tangent(normal: Vector) -> Vector:
    """As touch.tangents, of a plane that stands still: numbers."""
    guide = Vector.unit(1) if abs(normal.y) < 0.5 else Vector.unit(2)
    t1 = guide - normal * (normal @ guide)
    return t1 * (1.0 / math.sqrt(t1 @ t1))


def touches_with_plane(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    """`pose`: of the shape, in the body's frame."""
    return _KINDS[shape.kind](floor, shape, pose)


def _sphere(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    return [_ball(floor, pose.position, shape.size[0])]


def _ball(floor: Floor, center: Vector, radius: float) -> Touch:
    return floor.touch(center - floor.normal * radius, floor.height(center) - radius)


def _capsule(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    """Tangents follow the capsule's axis."""
    radius, half = shape.size
    axis = _column(pose, 2)
    t1, t2 = tangents_along(axis, floor.normal, floor.view.axes[0])
    ends = (_ball(floor, pose.position + axis * (sign * half), radius) for sign in (1.0, -1.0))
    return [Touch(end.gap, end.point, end.normal, t1, t2) for end in ends]


def _ellipsoid(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    down = pose.rotation.T @ floor.normal
    stretched = Vector(*(s * x for s, x in zip(shape.size, down, strict=True)))
    reach = sqrt(stretched @ stretched)
    scale = -1.0 / reach
    local = Vector(*(s * x * scale for s, x in zip(shape.size, stretched, strict=True)))
    lowest = pose.position + pose.rotation @ local
    return [floor.touch(lowest, floor.height(pose.position) - reach)]


def _box(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    """Of the two ends of each diagonal the lower one."""
    edges = [_column(pose, k) * shape.size[k] for k in range(3)]
    heights = [floor.normal @ edge for edge in edges]
    level = floor.height(pose.position)
    touches = []
    for sx, sy in ((-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)):
        corner = edges[0] * sx + edges[1] * sy - edges[2]
        below = heights[0] * sx + heights[1] * sy - heights[2]
        sign = where(below > 0.0, -1.0, 1.0)
        touches.append(floor.touch(pose.position + corner * sign, level - abs(below)))
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
    side = across.cross(axis)
    side = side * (radius * math.sqrt(0.75) / sqrt(side @ side))
    level, end = floor.height(pose.position), along * half
    near, far = pose.position + axis * half, pose.position - axis * half
    third = near - across * 0.5
    gap = level + end - drop * 0.5
    return [
        floor.touch(near + across, level + end + drop),
        floor.touch(far + across, level - end + drop),
        floor.touch(third + side, gap),
        floor.touch(third - side, gap),
    ]


def _convex(floor: Floor, shape: Shape, pose: Placement) -> list[Touch]:
    corners = [pose.position + pose.rotation @ Vector(*point) for point in shape.points]
    return [floor.touch(corner, floor.height(corner)) for corner in corners]


def _column(pose: Placement, k: int) -> Vector:
    return Vector(*(row[k] for row in pose.rotation.rows))


_KINDS: dict[str, Callable[[Floor, Shape, Placement], list[Touch]]] = {
    "sphere": _sphere, "capsule": _capsule, "ellipsoid": _ellipsoid, "box": _box, "cylinder": _cylinder,
    "convex": _convex,
}  # fmt: skip
