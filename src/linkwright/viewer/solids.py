"""Simple solids as triangles, each (vertices (n, 3), faces (m, 3)) with faces counted anticlockwise from outside."""

from __future__ import annotations

import numpy as np

Triangles = tuple[np.ndarray, np.ndarray]
_QUADS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def box(half: np.ndarray) -> Triangles:
    """With these half sizes, around the origin."""
    corners = (2.0 * np.array(list(np.ndindex(2, 2, 2))) - 1.0) * half
    return corners, np.array([t for a, b, c, d in _QUADS for t in ((a, b, c), (a, c, d))])


def ball(sides: int) -> Triangles:
    """Of radius 1, around the origin."""
    return _turned([(np.sin(t), -np.cos(t)) for t in np.linspace(0.0, np.pi, sides // 2 + 1)[1:-1]], sides, -1.0, 1.0)


def tube(radius: float, half: float, sides: int, *, rounded: bool) -> Triangles:
    """Along z from -half to half; `rounded` adds half balls, else it has flat ends."""
    if not rounded:
        return _turned([(radius, -half), (radius, half)], sides, -half, half)
    bends = np.linspace(0.0, np.pi / 2, sides // 4 + 1)
    low = [(radius * np.sin(t), -half - radius * np.cos(t)) for t in bends[1:]]
    high = [(r, -z) for r, z in reversed(low)]
    return _turned([*low, *high], sides, -half - radius, half + radius)


def _turned(outline, sides: int, bottom: float, top: float) -> Triangles:
    """A line of (radius, height) turned about z, with a vertex below it and one above."""
    angles = 2 * np.pi * np.arange(sides) / sides
    rings = [np.stack([r * np.cos(angles), r * np.sin(angles), np.full(sides, z)], axis=1) for r, z in outline]
    vertices = np.concatenate([*rings, [[0.0, 0.0, bottom], [0.0, 0.0, top]]])
    low, high = len(vertices) - 2, len(vertices) - 1
    faces = []
    for k in range(sides):
        after = (k + 1) % sides
        faces.append((low, after, k))
        for ring in range(len(rings) - 1):
            a, b, c, d = (ring * sides + k, ring * sides + after, (ring + 1) * sides + k, (ring + 1) * sides + after)
            faces += [(a, b, d), (a, d, c)]
        last = (len(rings) - 1) * sides
        faces.append((last + k, last + after, high))
    return vertices, np.array(faces)
