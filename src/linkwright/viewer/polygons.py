"""Small plane geometry for pictures: outlines of points, and the shortest frame through them."""

from __future__ import annotations

import numpy as np


def outline(points: np.ndarray) -> np.ndarray | None:
    """The convex polygon of points that lie in a plane and span it; None if they do not."""
    if len(points) < 3:
        return None
    middle = points.mean(axis=0)
    _, spread, axes = np.linalg.svd(points - middle, full_matrices=True)
    if spread[1] < 0.08 * spread[0] or (len(spread) > 2 and spread[2] > 0.05 * spread[0]):
        return None
    flat = (points - middle) @ axes[:2].T
    order = convex(flat)
    return points[order]


def convex(flat: np.ndarray) -> list[int]:
    """Indices of the convex hull of points in a plane, in turn (gift wrapping)."""
    start = int(np.lexsort((flat[:, 1], flat[:, 0]))[0])
    hull = [start]
    while len(hull) <= len(flat):
        here = hull[-1]
        ahead = (here + 1) % len(flat)
        for k in range(len(flat)):
            (ax, ay), (bx, by) = flat[ahead] - flat[here], flat[k] - flat[here]
            turn = ax * by - ay * bx
            if turn < -1e-12 or (abs(turn) <= 1e-12 and bx * bx + by * by > ax * ax + ay * ay):
                ahead = k
        if ahead == start:
            break
        hull.append(ahead)
    return hull


def shortest_tree(points: list[np.ndarray]) -> list[tuple[int, int]]:
    """Pairs that connect all points with the least length (Prim)."""
    edges, inside = [], {0}
    while len(inside) < len(points):
        a, b = min(
            ((a, b) for a in inside for b in range(len(points)) if b not in inside),
            key=lambda pair: float(np.linalg.norm(points[pair[0]] - points[pair[1]])),
        )
        edges.append((a, b))
        inside.add(b)
    return edges


def distinct(points: list[np.ndarray]) -> list[np.ndarray]:
    """Points that are at least a micrometre apart, the first of each kept."""
    kept: list[np.ndarray] = []
    for p in points:
        if all(np.abs(p - other).max() > 1e-6 for other in kept):
            kept.append(p)
    return kept
