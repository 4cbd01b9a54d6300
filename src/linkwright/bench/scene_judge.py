"""Who is inside whom in a drawn scene, from coordinates alone: points on surfaces, and how deep each is in a shape.

Nothing of the library's geometry is used. Points are spread over each surface; a point is as deep in a convex body as
it is far from its nearest face, tangent plane or rim, in closed form, for ellipsoids along the gradient of what is
constant on them. What is between points may be deeper; what is told is at least so deep.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from .scene_drawing import DrawnScene, SceneShape, rotation

_POINTS = 400  # on a surface
Placed = tuple[np.ndarray, np.ndarray]  # rotation, position


def swallowed(scene: DrawnScene, states: np.ndarray) -> Iterator[tuple[str, str, float, float]]:
    """(shape, shape or floor, how deep in all of the states at least (m), how thick the thinner is), of what a scene
    lets touch. `states` (T, nq)."""
    places = [_places(scene, q) for q in states]
    shapes = {shape.name: (k, shape) for k, body in enumerate(scene.bodies) for shape in body.shapes}
    surfaces = {name: _surface(shape) for name, (_, shape) in shapes.items()}
    for one, two in combinations(shapes, 2):
        if _may_touch(scene, *shapes[one], *shapes[two]):
            depths = [
                max(_deepest(surfaces[a], place[a], shapes[b][1], place[b]) for a, b in ((one, two), (two, one)))
                for place in places
            ]
            yield one, two, min(depths), min(_thickness(shapes[name][1]) for name in (one, two))
    for name, (_, shape) in shapes.items():
        if scene.floor is not None and _stands(scene, shape):
            normal = scene.floor.normal
            heights = [((surfaces[name] @ place[name][0].T + place[name][1]) @ normal).min() for place in places]
            yield name, "floor", min(-height for height in heights), _thickness(shape)


def _may_touch(scene: DrawnScene, i: int, one: SceneShape, j: int, two: SceneShape) -> bool:
    if i == j:
        return False
    if {(one.name, two.name), (two.name, one.name)} & set(scene.listed):
        return True
    carried = scene.bodies[i].on == j or scene.bodies[j].on == i
    return not carried and bool(one.contype & two.conaffinity or two.contype & one.conaffinity)


def _stands(scene: DrawnScene, shape: SceneShape) -> bool:
    floor = scene.floor
    assert floor is not None
    if scene.form == "built, on_ground":
        return bool(shape.contype or shape.conaffinity)
    if ("floor", shape.name) in scene.listed:
        return True
    return bool(shape.contype & floor.conaffinity or floor.contype & shape.conaffinity)


def _places(scene: DrawnScene, q: np.ndarray) -> dict[str, Placed]:
    """Of every shape in the world."""
    bodies: list[Placed] = []
    at = 0
    for body in scene.bodies:
        if body.on is None:
            bodies.append((rotation(q[at + 3 : at + 7]), q[at : at + 3]))
            at += 7
        else:
            R, p = bodies[body.on]
            turned = rotation(np.array([0.0, np.sin(q[at] / 2), 0.0, np.cos(q[at] / 2)]))
            bodies.append((R @ turned, p + R @ np.array(body.position)))
            at += 1
    return {
        shape.name: (R @ rotation(np.array(shape.quaternion)), p + R @ np.array(shape.position))
        for body, (R, p) in zip(scene.bodies, bodies, strict=True) for shape in body.shapes
    }  # fmt: skip


def _surface(shape: SceneShape) -> np.ndarray:
    """Points on it, in its frame."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(_POINTS, 3))
    x /= np.linalg.norm(x, axis=1)[:, None]
    a, b, c = shape.size
    if shape.kind == "sphere":
        return a * x
    if shape.kind == "ellipsoid":
        return x * np.array([a, b, c])
    if shape.kind == "capsule":
        return a * x + np.stack([0 * x[:, 0], 0 * x[:, 0], np.sign(x[:, 2]) * b], axis=1)
    if shape.kind == "cylinder":
        angle, cap = rng.uniform(0, 2 * np.pi, _POINTS), rng.random(_POINTS) < 0.5
        radius, height = np.where(cap, np.sqrt(rng.random(_POINTS)), 1.0) * a, rng.uniform(-b, b, _POINTS)
        height = np.where(cap, np.sign(height) * b, height)
        rims = np.concatenate([angle[:100], angle[:100]])
        edge = np.stack([a * np.cos(rims), a * np.sin(rims), np.repeat([-b, b], 100)], axis=1)
        return np.concatenate([np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1), edge])
    corners = np.array(shape.corners) if shape.kind == "mesh" else _corners(a, b, c)
    normals, offsets = _faces(corners)
    inner, found = corners.mean(axis=0), [corners]
    for p, q in combinations(corners, 2):  # along edges, and lines inside: those are no surface, but inside as well
        found.append(p + np.linspace(0, 1, 12)[:, None] * (q - p))
    rays = (offsets - normals @ inner) / np.maximum(x @ normals.T, 1e-12)
    return np.concatenate([*found, inner + x * rays.min(axis=1)[:, None]])


def _deepest(points: np.ndarray, place: Placed, shape: SceneShape, there: Placed) -> float:
    """Of points of one shape in another; negative where none is in it."""
    world = points @ place[0].T + place[1]
    return float(_depth(shape, (world - there[1]) @ there[0]).max())


def _depth(shape: SceneShape, x: np.ndarray) -> np.ndarray:
    a, b, c = shape.size
    if shape.kind == "sphere":
        return a - np.linalg.norm(x, axis=1)
    if shape.kind == "capsule":
        along = np.clip(x[:, 2], -b, b)
        return a - np.linalg.norm(x - np.stack([0 * along, 0 * along, along], axis=1), axis=1)
    if shape.kind == "cylinder":
        return np.minimum(a - np.hypot(x[:, 0], x[:, 1]), b - np.abs(x[:, 2]))
    if shape.kind == "ellipsoid":
        half = np.array([a, b, c])
        level = np.linalg.norm(x / half, axis=1)
        slope = np.linalg.norm(x / half**2, axis=1) / np.maximum(level, 1e-12)
        return np.minimum((1.0 - level) / np.maximum(slope, 1e-12), half.min())
    corners = np.array(shape.corners) if shape.kind == "mesh" else _corners(a, b, c)
    normals, offsets = _faces(corners)
    return (offsets - x @ normals.T).min(axis=1)


def _faces(corners: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Outward normals and offsets of planes of a convex body: through three corners, with all others on one side."""
    normals, offsets = [], []
    for a, b, c in combinations(corners, 3):
        normal = np.cross(b - a, c - a)
        length = np.linalg.norm(normal)
        if length < 1e-12:
            continue
        normal = normal / length
        heights = (corners - a) @ normal
        for sign in (1.0, -1.0):
            if (sign * heights).max() < 1e-9:
                normals.append(sign * normal)
                offsets.append(sign * float(normal @ a))
    return np.array(normals), np.array(offsets)


def _corners(a: float, b: float, c: float) -> np.ndarray:
    return np.array([[x, y, z] for x in (-a, a) for y in (-b, b) for z in (-c, c)])


def _thickness(shape: SceneShape) -> float:
    if shape.kind == "mesh":
        return float(np.ptp(np.array(shape.corners), axis=0).min())
    count = {"sphere": 1, "capsule": 2, "cylinder": 2}.get(shape.kind, 3)
    return 2.0 * min(shape.size[:count])
