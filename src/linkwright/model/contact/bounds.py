"""A ball or a capsule around any shape: what is told of pairs whose contact is not computed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ..pose import Pose
from .shape import Shape

# Turns z, along which capsules lie, to x, y and z.
_ALONG = (
    np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    np.eye(3),
)


def bound_of(shape: Shape) -> Shape:
    """The tighter of both, by volume; it has the shape's margin on it. Not for planes, which have no end."""
    axis, radius, half = _capsule(shape)
    ball, center = _ball(shape)
    margin = shape.surface.margin
    placement = shape.placement @ Pose(_ALONG[axis] if not shape.points else np.eye(3), np.array(center))
    if half <= 0.0 or ball**3 <= radius**3 + 1.5 * half * radius**2:
        return replace(shape, kind="sphere", size=(ball + margin,), placement=placement, points=())
    return replace(shape, kind="capsule", size=(radius + margin, half), placement=placement, points=())


def _ball(shape: Shape) -> tuple[float, tuple[float, float, float]]:
    """(radius, centre)."""
    if shape.points:
        low, high = (tuple(pick(column) for column in zip(*shape.points, strict=True)) for pick in (min, max))
        center = tuple(0.5 * (a + b) for a, b in zip(low, high, strict=True))
        reach = max(math.dist(center, point) for point in shape.points)
        return max(reach, 1e-9), center  # type: ignore[return-value]  # three of them
    if shape.kind in ("sphere", "ellipsoid"):
        return max(shape.size), (0.0, 0.0, 0.0)
    reach = shape.size[0] + shape.size[1] if shape.kind == "capsule" else math.hypot(*shape.size)
    return reach, (0.0, 0.0, 0.0)


def _capsule(shape: Shape) -> tuple[int, float, float]:
    """(axis, radius, half the length) of a capsule around it; no length where a ball is all there is."""
    if shape.kind in ("capsule", "cylinder"):
        return 2, shape.size[0], shape.size[1]
    if shape.kind in ("box", "ellipsoid"):
        axis = max(range(3), key=lambda k: shape.size[k])
        others = [x for k, x in enumerate(shape.size) if k != axis]
        if shape.kind == "box":
            return axis, math.hypot(*others), shape.size[axis]
        return axis, max(others), shape.size[axis] - max(others)
    return 2, 0.0, 0.0
