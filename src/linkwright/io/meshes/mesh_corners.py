"""By what meshes are watched: some corners of their hull, and by how much at most the rest is outside of those."""

from __future__ import annotations

import numpy as np

from .convex_hull import hull_faces

MOST_CORNERS = 48  # of a mesh; public ones reach at most 1 % of their extent beyond so many
_ENOUGH = 2e-3  # of the extent: what is outside by less needs no further corner
_AT_ONCE = 64  # points whose distance from all faces is computed together
_LEAST_SLACK = 1e-9  # m: sizes are positive

Corners = tuple[tuple[tuple[float, ...], ...], float]
"""(Some corners of the hull, m by which any point is outside of their hull at most)."""


def corners_of(points: np.ndarray) -> Corners:
    """Of the points (n, 3) of a mesh."""
    points = np.asarray(points, dtype=float)
    corners, faces = hull_faces(points, MOST_CORNERS, _ENOUGH)
    slack = _from_corners(points, corners) if not len(faces) else _outside(points, corners, faces)
    return tuple(map(tuple, corners.tolist())), max(slack, _LEAST_SLACK)


def _from_corners(points: np.ndarray, corners: np.ndarray) -> float:
    """Of points without an inside: the most that any is away from the closest corner."""
    away = points[:, None, :] - corners
    squares = away[..., 0] ** 2 + away[..., 1] ** 2 + away[..., 2] ** 2
    return float(np.sqrt(squares.min(axis=1).max()))


def _outside(points: np.ndarray, corners: np.ndarray, faces: np.ndarray) -> float:
    """The most that points are away from the hull that these faces (m, 3), by numbers of corners, are around."""
    a, b, c = (corners[faces[:, k]] for k in range(3))
    inside = corners.sum(axis=0) / len(corners)
    normals = _cross(b - a, c - a)
    normals = normals / np.maximum(np.sqrt(_dot(normals, normals)), 1e-300)[:, None]
    normals = np.where((_dot(a - inside, normals) < 0.0)[:, None], -normals, normals)
    above = _heights(points, a, normals)
    best = above.argmax(axis=1)
    outside = np.flatnonzero(above[np.arange(len(points)), best] > 0.0)
    k = best[outside]  # one of the faces: no closer than the closest of them
    bounds = _from_triangles(points[outside], a[k], b[k], c[k])
    order, farthest = np.argsort(-bounds, kind="stable"), 0.0
    for begin in range(0, len(order), _AT_ONCE):
        some = order[begin : begin + _AT_ONCE]
        if bounds[some[0]] <= farthest:
            break
        x, count = np.repeat(points[outside[some]], len(a), axis=0), len(some)
        away = _from_triangles(x, *(np.tile(corner, (count, 1)) for corner in (a, b, c)))
        farthest = max(farthest, float(away.reshape(count, -1).min(axis=1).max()))
    return farthest


def _from_triangles(x: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """How far each point is from its triangle: from the inside of it, or from its sides."""
    normal = _cross(b - a, c - a)
    square = np.maximum(_dot(normal, normal), 1e-300)
    inside = np.ones(len(x), dtype=bool)
    nearest = np.full(len(x), np.inf)
    for p, q in ((a, b), (b, c), (c, a)):
        side, away = q - p, x - p
        share = np.clip(_dot(away, side) / np.maximum(_dot(side, side), 1e-300), 0.0, 1.0)
        rest = away - side * share[:, None]
        nearest = np.minimum(nearest, _dot(rest, rest))
        inside &= _dot(_cross(side, away), normal) >= 0.0
    height = _dot(x - a, normal)
    return np.sqrt(np.where(inside, height * height / square, nearest))


def _heights(points: np.ndarray, on: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """(n, m): of points over planes."""
    x, y, z = points.T
    u, v, w = normals.T
    return x[:, None] * u + y[:, None] * v + z[:, None] * w - _dot(on, normals)


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2]


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    (x, y, z), (u, v, w) = a.T, b.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)
