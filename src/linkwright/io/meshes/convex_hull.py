"""Convex hulls by quickhull, the farthest point first, so that it may end after any number of points: what is left out
then is no farther from the hull than what comes next would have been.

[Barber1996] The quickhull algorithm for convex hulls.
"""

from __future__ import annotations

import math

import numpy as np

from ...errors import InputError

HULL_POINTS = 16  # of a mesh in a file: each is a candidate for contact, and costs code
_FLAT = 1e-9  # of the extent: thinner than that, points have no inside
_DIRECTIONS = [
    (x, y, z) for x in (-1.0, 0.0, 1.0) for y in (-1.0, 0.0, 1.0) for z in (-1.0, 0.0, 1.0) if (x, y, z) != (0, 0, 0)
]


def hull_points(points: np.ndarray, most: int = HULL_POINTS) -> tuple[np.ndarray, float]:
    """(corners of the hull, at most so many; how far the farthest point is outside of them)."""
    if not isinstance(most, int) or isinstance(most, bool) or most < 4:
        raise InputError(f"a hull of {most!r} points was asked for; expected a whole number from 4 on")
    points = np.unique(np.asarray(points, dtype=float).reshape(-1, 3), axis=0)
    found = _grown(points, most, _FLAT)
    if found is None:
        return _extremes(points, most), 0.0
    faces, left = found
    return points[sorted({k for face in faces for k in face})], left


def hull_faces(points: np.ndarray, most: int, enough: float) -> tuple[np.ndarray, np.ndarray]:
    """(Corners of the hull, at most so many, and no more once all others are outside by no more than `enough` of the
    extent; its triangles by numbers of corners (m, 3), none where the points have no inside)."""
    found = _grown(points, most, enough)
    if found is None:
        return _extremes(points, most), np.zeros((0, 3), dtype=int)
    rows = sorted({k for face in found[0] for k in face})
    place = {row: k for k, row in enumerate(rows)}
    return points[rows], np.array([[place[k] for k in face] for face in found[0]])


def _grown(points: np.ndarray, most: int, enough: float) -> tuple[list[tuple[int, int, int]], float] | None:
    """(Triangles of the hull, by rows of the points; how far the farthest point is outside); None if all are flat."""
    extent = float(np.ptp(points, axis=0).max(initial=0.0))
    first = _simplex(points, _FLAT * extent)
    if len(points) < 4 or first is None:
        return None
    inside = points[first].mean(axis=0)
    faces = [_face(points, corners, inside) for corners in _triples(first)]
    faces = [(corners, normal, *_farthest(points, normal, offset)) for corners, normal, offset in faces]
    chosen, left = list(first), 0.0
    while True:
        worst = max(faces, key=lambda face: face[3])
        left = max(worst[3], 0.0)
        if left <= enough * extent or len(chosen) >= most:
            break
        apex = worst[2]
        chosen.append(apex)
        seen = [_height(points[apex], face[1], points[face[0][0]]) > 0.0 for face in faces]
        edges: dict[tuple[int, int], int] = {}
        for (corners, *_), visible in zip(faces, seen, strict=True):
            for a, b in zip(corners, (*corners[1:], corners[0]), strict=True) if visible else ():
                key = (min(a, b), max(a, b))
                edges[key] = edges.get(key, 0) + 1
        horizon = [edge for edge, count in edges.items() if count == 1]
        faces = [face for face, visible in zip(faces, seen, strict=True) if not visible]
        for edge in horizon:
            corners, normal, offset = _face(points, (*edge, apex), inside)
            faces.append((corners, normal, *_farthest(points, normal, offset)))
    return [face[0] for face in faces], left


def _triples(four: list[int]) -> list[tuple[int, int, int]]:
    a, b, c, d = four
    return [(a, b, c), (a, b, d), (a, c, d), (b, c, d)]


def _simplex(points: np.ndarray, flat: float) -> list[int] | None:
    """Four points with room between them: extremes along x, from that line, from that plane; None if all are flat."""
    a, b = int(np.argmin(points[:, 0])), int(np.argmax(points[:, 0]))
    if points[b, 0] - points[a, 0] <= flat:
        spans = np.ptp(points, axis=0)
        axis = int(np.argmax(spans))
        a, b = int(np.argmin(points[:, axis])), int(np.argmax(points[:, axis]))
    along = points[b] - points[a]
    length = float(np.sqrt((along * along).sum()))
    if length <= flat:
        return None
    across = np.cross(points - points[a], along / length)
    from_line = np.sqrt((across * across).sum(axis=1))
    c = int(np.argmax(from_line))
    if from_line[c] <= flat:
        return None
    normal = np.cross(along, points[c] - points[a])
    normal = normal / np.sqrt((normal * normal).sum())
    heights = np.abs(((points - points[a]) * normal).sum(axis=1))
    d = int(np.argmax(heights))
    return None if heights[d] <= flat else [a, b, c, d]


def _face(points: np.ndarray, corners: tuple[int, ...], inside: np.ndarray):
    """(corners, unit normal that leads away from the inside, its offset)."""
    a, b, c = (points[k].tolist() for k in corners)
    u, v = ([q - p for p, q in zip(a, other, strict=True)] for other in (b, c))
    normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
    length = max(math.sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]), 1e-300)
    normal = [x / length for x in normal]
    if _height(inside, normal, a) > 0.0:
        normal = [-x for x in normal]
    return corners, normal, normal[0] * a[0] + normal[1] * a[1] + normal[2] * a[2]


def _height(point, normal, on) -> float:
    return sum((float(p) - float(o)) * n for p, n, o in zip(point, normal, on, strict=True))


def _farthest(points: np.ndarray, normal: np.ndarray, offset: float) -> tuple[int, float]:
    """Which point is farthest outside a face, and how far. Products in a fixed order: the same on every processor."""
    heights = points[:, 0] * normal[0] + points[:, 1] * normal[1] + points[:, 2] * normal[2] - offset
    k = int(np.argmax(heights))
    return k, float(heights[k])


def _extremes(points: np.ndarray, most: int) -> np.ndarray:
    """Of points without an inside: the farthest along some directions."""
    found = [int(np.argmax(points[:, 0] * x + points[:, 1] * y + points[:, 2] * z)) for x, y, z in _DIRECTIONS]
    return points[sorted(dict.fromkeys(found[:most]))] if len(points) > most else points
