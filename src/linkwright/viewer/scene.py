"""What to draw for a mechanism: rods, plates and boxes fixed to its bodies, derived from joints, frames and inertias.

Models carry no meshes. A body is drawn as rods from the joint that carries it to everything it carries: joints, ends of
closures, named frames at its tips. With three such points it is a plate, without any a box of its own inertia.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..model import Model
from .closure_ends import ClosureEnd, closure_ends

Point = tuple[int, np.ndarray]  # on a body, in its frame

# Rods are as thick as their mass would make them at this density, between these parts of the mechanism's size.
_DENSITY = 1500.0
_THINNEST, _THICKEST = 0.004, 0.030
_STOUTEST = 0.22  # a rod's radius over its length
_MOST_POSTS = 2
_FLAT = 0.3  # a floating body this thin, compared to its width, is drawn as a plate
_SMALL = 1e-9
JOINT, CLOSURE, GROUND_LINK = -1, -2, -3  # groups of colour besides the limbs', which count from 0


@dataclass(frozen=True)
class Rod:
    """A capsule between two points, each fixed to a body; a ball where they are one."""

    start: Point
    end: Point
    radius: float
    group: int
    label: str


@dataclass(frozen=True)
class Box:
    body: int
    rotation: np.ndarray
    centre: np.ndarray
    half: np.ndarray
    group: int
    label: str


@dataclass(frozen=True)
class Plate:
    """A flat polygon fixed to one body."""

    body: int
    corners: np.ndarray
    group: int
    label: str


@dataclass(frozen=True)
class Tie:
    """Two points that a closure holds together; a dashed line where they are apart."""

    start: Point
    end: Point
    label: str


@dataclass
class Scene:
    """Everything in body frames; `size` is the mechanism's extent at its first pose."""

    size: float
    rods: list[Rod] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    plates: list[Plate] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    anchors: list[np.ndarray] = field(default_factory=list)
    """Where the mechanism is held by the ground, in the world."""

    @property
    def posts(self) -> list[np.ndarray]:
        """Anchors that stand on the floor by posts: where there are many, these would hide the mechanism."""
        return self.anchors if len(self.anchors) <= _MOST_POSTS else []


def make_scene(model: Model, rotations: np.ndarray, positions: np.ndarray) -> Scene:
    """The scene of a model whose bodies are at `rotations` (n, 3, 3) and `positions` (n, 3) when first drawn."""
    ends = closure_ends(model)
    points = [_points(model, i, ends) for i in range(model.nbodies)]
    scene = Scene(_extent(model, points, rotations, positions))
    groups = limb_groups(model)
    for i in range(1, model.nbodies):
        _draw_body(scene, model, i, points[i], groups[i])
        _draw_joint(scene, model, i)
    for pair in ends:
        _draw_closure(scene, pair)
    _draw_ground(scene)
    return scene


def limb_groups(model: Model) -> list[int]:
    """A number per body: 0 for the trunk, and one for each limb that hangs on the first body that branches."""
    graph = model.graph
    trunk = 0
    while len(graph.children[trunk]) == 1:
        trunk = graph.children[trunk][0]
    groups = [0] * model.nbodies
    for number, limb in enumerate(graph.children[trunk], start=1):
        for i in graph.subtree[limb]:
            groups[i] = number
    return groups


def _points(model: Model, i: int, ends: list[tuple[ClosureEnd, ...]]) -> list[np.ndarray]:
    """Where something is attached to body i: what it carries, ends of closures, and named frames at its tips."""
    found = [model.bodies[c].placement.translation for c in model.graph.children[i]]
    if not found:
        found = [frame.placement.translation for frame in model.frames.values() if frame.body == i]
    found += [end.pose.translation for pair in ends for end in pair if end.body == i]
    return _distinct(found)


def _distinct(points: list[np.ndarray]) -> list[np.ndarray]:
    kept: list[np.ndarray] = []
    for p in points:
        if all(np.abs(p - other).max() > 1e-6 for other in kept):
            kept.append(p)
    return kept


def _extent(model: Model, points, rotations: np.ndarray, positions: np.ndarray) -> float:
    world = [positions[i] for i in range(1, model.nbodies)]
    world += [rotations[i] @ p + positions[i] for i in range(model.nbodies) for p in points[i]]
    world += [rotations[i] @ body.inertia.com + positions[i] for i, body in enumerate(model.bodies) if i]
    spread = np.ptp(np.array(world), axis=0) if world else np.zeros(3)
    boxes = [2 * _equivalent_box(body.inertia)[1].max() for body in model.bodies[1:]]
    return float(max(np.linalg.norm(spread), *boxes, _SMALL) if boxes else 1.0) or 1.0


def _draw_body(scene: Scene, model: Model, i: int, points: list[np.ndarray], group: int) -> None:
    body = model.bodies[i]
    free, com = body.joint.kind in ("free_flyer", "translational", "planar"), body.inertia.com
    origin = com if free else np.zeros(3)
    if not points and not free and np.linalg.norm(com) > 0.01 * scene.size:
        points = [2 * com]  # a rod with its mass in the middle
    reach = [p for p in points if np.linalg.norm(p - origin) > 1e-3 * scene.size]
    R, half = _equivalent_box(body.inertia)
    corners = outline(np.array(reach if free else [origin, *reach]))
    if free and half.min() > _FLAT * np.median(half):
        corners = None  # it is the body that counts, not where things are attached to it
    if (free and corners is None) or (not reach and body.inertia.mass):
        scene.boxes.append(Box(i, R, com, np.clip(half, 0.006 * scene.size, 0.3 * scene.size), group, body.name))
    if not reach:
        return
    longest = max(np.linalg.norm(p - origin) for p in reach)
    radius = np.sqrt(body.inertia.mass / (_DENSITY * np.pi * sum(np.linalg.norm(p - origin) for p in reach)))
    radius = float(np.clip(radius, _THINNEST * scene.size, _THICKEST * scene.size))
    radius = min(radius, _STOUTEST * longest)
    if corners is None:
        edges = [(origin, p) for p in reach]
    else:
        scene.plates.append(Plate(i, corners, group, body.name))
        edges = list(zip(corners, np.roll(corners, -1, axis=0), strict=True))
        radius = min(radius, 0.014 * scene.size)
    scene.rods += [Rod((i, a), (i, b), radius, group, body.name) for a, b in edges]


def outline(points: np.ndarray) -> np.ndarray | None:
    """The convex polygon of points that lie in a plane and span it; None if they do not."""
    if len(points) < 3:
        return None
    middle = points.mean(axis=0)
    _, spread, axes = np.linalg.svd(points - middle, full_matrices=True)
    if spread[1] < 0.08 * spread[0] or (len(spread) > 2 and spread[2] > 0.05 * spread[0]):
        return None
    flat = (points - middle) @ axes[:2].T
    order = _convex(flat)
    return points[order]


def _convex(flat: np.ndarray) -> list[int]:
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


def _draw_joint(scene: Scene, model: Model, i: int) -> None:
    body = model.bodies[i]
    joint, parent, at = body.joint, body.parent, body.placement
    if parent == 0 and joint.kind != "free_flyer":
        scene.anchors.append(at.translation)
    own = [rod.radius for rod in scene.rods if rod.start[0] == i == rod.end[0]]
    radius = max([0.6 * _THINNEST * scene.size, *own]) if own else 0.008 * scene.size
    label = f"{joint.name} ({joint.kind})"
    here: Point = (i, np.zeros(3))
    if joint.kind in ("revolute", "continuous", "helical"):
        thick = min(1.12 * radius, 0.013 * scene.size)
        half = joint.axis * (radius + 0.3 * thick)
        scene.rods.append(Rod((i, -half), (i, half), thick, JOINT, label))
    elif joint.kind in ("prismatic", "cylindrical"):  # the part of the slide that sticks out
        scene.rods.append(Rod((parent, at.translation), here, radius * 0.7, JOINT, label))
        scene.rods.append(Rod(here, here, radius * 1.3, JOINT, label))
    elif joint.kind in ("spherical", "universal"):
        scene.rods.append(Rod(here, here, radius * 1.4, JOINT, label))


def _draw_closure(scene: Scene, ends: tuple[ClosureEnd, ...]) -> None:
    points: list[Point] = [(end.body, end.pose.translation) for end in ends]
    radius, name = 0.011 * scene.size, ends[0].constraint
    scene.rods.append(Rod(points[0], points[0], radius, CLOSURE, f"{name} (closure)"))
    if len(ends) == 1:
        return
    if ends[0].rod:
        scene.rods.append(Rod(points[0], points[1], 0.5 * radius, CLOSURE, f"{name} (rod)"))
        scene.rods.append(Rod(points[1], points[1], radius, CLOSURE, f"{name} (closure)"))
    else:
        scene.ties.append(Tie(points[0], points[1], name))
    if ends[1].body == 0:
        scene.anchors.append(ends[1].pose.translation)


def _draw_ground(scene: Scene) -> None:
    """The ground link: a frame through the points where the mechanism is held."""
    anchors = scene.anchors = _distinct(scene.anchors)
    corners = outline(np.array(anchors)) if anchors else None
    if corners is not None and len(corners) == len(anchors):
        edges = list(zip(corners, np.roll(corners, -1, axis=0), strict=True))
    else:
        edges = [(anchors[a], anchors[b]) for a, b in _shortest_tree(anchors)]
    scene.rods += [Rod((0, a), (0, b), 0.006 * scene.size, GROUND_LINK, "world") for a, b in edges]


def _shortest_tree(points: list[np.ndarray]) -> list[tuple[int, int]]:
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


def _equivalent_box(inertia) -> tuple[np.ndarray, np.ndarray]:
    """(principal axes, half sizes) of the solid box with this mass and inertia."""
    if not inertia.mass:
        return np.eye(3), np.zeros(3)
    moments, axes = np.linalg.eigh(inertia.tensor)
    if np.allclose(inertia.tensor, np.diag(np.diag(inertia.tensor)), rtol=0, atol=1e-9 * abs(moments).max()):
        moments, axes = np.diag(inertia.tensor), np.eye(3)  # as given, not sorted
    if np.linalg.det(axes) < 0:
        axes = axes * [1, 1, -1]
    squares = 1.5 * (moments.sum() - 2 * moments) / inertia.mass
    return axes, np.sqrt(np.maximum(squares, 0))

