"""The shapes of a mechanism: as its file says its bodies look, else derived from joints, frames and inertias.

Of itself a body is drawn as rods from the joint that carries it to everything it carries: joints, ends of constraints,
named frames at its tips. With several such points in a plane it is a plate; a floating one is a box of its own inertia.
"""

from __future__ import annotations

import numpy as np

from ..model import Model
from ..model.constraints import Constraint, ConstraintEnd
from .contact_shapes import draw_contact_shapes
from .looks import skins_of
from .polygons import distinct, outline, shortest_tree
from .scene import CLOSURE, GROUND_LINK, JOINT, Bar, Box, Plate, Point, Scene, Tie, limb_groups

# Rods are as thick as their mass would make them at this density, between these parts of the mechanism's size.
_DENSITY = 1500.0
_THINNEST, _THICKEST = 0.004, 0.030
_STOUTEST = 0.22  # a rod's radius over its length
_FLAT = 0.3  # a floating body this thin, compared to its width, is drawn as a plate
# Half sizes of boxes are at most these parts of the mechanism's size.
_LARGEST_FREE, _LARGEST_CARRIED, _LARGEST_TIP = 0.3, 0.045, 0.1
_REACHED = 0.8  # a last body whose half size is more than this part of its rods is larger than they are: a foot
_TELESCOPED = 0.65  # how much thinner what slides is than what it slides in would be


def make_scene(model: Model, rotations: np.ndarray, positions: np.ndarray) -> Scene:
    """The scene of a model whose bodies are at `rotations` (n, 3, 3) and `positions` (n, 3) when first drawn."""
    held = [(c, own) for c in model.constraints if (own := c.ends(model))]
    ends = [end for _, own in held for end in own]
    points = [_points(model, i, ends) for i in range(model.nbodies)]
    scene = Scene(_extent(model, points, rotations, positions))
    groups = limb_groups(model)
    scene.skins, scene.missing = skins_of(model, groups)
    dressed = {skin.body for skin in scene.skins}
    for i in range(1, model.nbodies):
        if i not in dressed:
            _draw_body(scene, model, i, points[i], groups[i])
            _draw_joint(scene, model, i)
    for constraint, own in held:
        _draw_constraint(scene, constraint, own)
    draw_contact_shapes(scene, model, groups, dressed)
    if 0 not in dressed:
        _draw_ground(scene)
    return scene


def _points(model: Model, i: int, ends: list[ConstraintEnd]) -> list[np.ndarray]:
    """Where something is attached to body i: what it carries, ends of constraints, and named frames at its tips."""
    found = [_carried_at(model, c) for c in model.graph.children[i]]
    if not found:
        found = [frame.placement.translation for frame in model.frames.values() if frame.body == i]
    found += [end.pose.translation for end in ends if end.body == i]
    return distinct(found)


def _carried_at(model: Model, c: int) -> np.ndarray:
    """Where the rod of the body that carries body c ends: at the joint; of a telescope, at the end of its outer tube.

    A slide has no place along its axis. Where that leads through the carrier's own joint, the carrier is a tube about
    its centre of mass.
    """
    body = model.bodies[c]
    at, carrier = body.placement.translation, model.bodies[body.parent]
    if not body.joint.moves.slides or not body.parent or not carrier.inertia.mass:
        return at
    axis = body.placement.rotation @ body.joint.axis
    along = float(axis @ at)
    end = float(np.clip(2 * axis @ carrier.inertia.com, min(along, 0.0), max(along, 0.0)))
    is_telescope = np.linalg.norm(at - along * axis) < 1e-3 * abs(along) and abs(end) > 0.1 * abs(along)
    return end * axis if is_telescope else at


def _extent(model: Model, points, rotations: np.ndarray, positions: np.ndarray) -> float:
    world = [positions[i] for i in range(1, model.nbodies)]
    world += [rotations[i] @ p + positions[i] for i in range(model.nbodies) for p in points[i]]
    world += [rotations[i] @ body.inertia.com + positions[i] for i, body in enumerate(model.bodies) if i]
    spread = float(np.linalg.norm(np.ptp(np.array(world), axis=0))) if world else 0.0
    largest = max((2 * float(_equivalent_box(body.inertia)[1].max()) for body in model.bodies[1:]), default=0.0)
    # inertias may be anything in files; they count where there is little else, as for a single cube
    return spread if spread > 0.25 * largest else largest or 1.0


def _draw_body(scene: Scene, model: Model, i: int, points: list[np.ndarray], group: int) -> None:
    body = model.bodies[i]
    free, com = body.joint.moves.leading_lengths > 1, body.inertia.com
    origin = com if free else np.zeros(3)
    reach = [p for p in points if np.linalg.norm(p - origin) > 1e-3 * scene.size]
    if not reach and not free and not model.graph.children[i] and np.linalg.norm(com) > 0.01 * scene.size:
        reach = [2 * com]  # a rod with its mass in the middle
    R, half = _equivalent_box(body.inertia)
    corners = outline(np.array(reach if free else [origin, *reach]))
    if free and half.min() > _FLAT * np.median(half):
        corners = None  # it is the body that counts, not where things are attached to it
    largest = (_LARGEST_FREE if free else _LARGEST_CARRIED) * scene.size
    if len(reach) > 1:  # inertias in files may be anything; what is attached tells the size
        largest = min(largest, 1.3 * max(float(np.linalg.norm(p - com)) for p in reach))
    longest = max((float(np.linalg.norm(p - origin)) for p in reach), default=0.0)
    is_tip = not model.graph.children[i] and body.inertia.mass > 0 and corners is None
    if is_tip and reach and half.max() > _REACHED * longest:
        largest = _LARGEST_TIP * scene.size
    else:
        is_tip = is_tip and not reach
    half = np.clip(half, 0.006 * scene.size, largest)
    boxed = (free and corners is None) or is_tip
    if boxed:
        scene.boxes.append(Box(i, R, com, half, group, body.name))
    if not reach:
        return
    radius = np.sqrt(body.inertia.mass / (_DENSITY * np.pi * sum(np.linalg.norm(p - origin) for p in reach)))
    radius = float(np.clip(radius, _THINNEST * scene.size, _THICKEST * scene.size))
    radius = min(radius, _STOUTEST * longest)
    if body.joint.moves.slides:
        radius *= _TELESCOPED
    if corners is None:
        begins = [(_surface(com, R, half, p) if boxed else origin, p) for p in reach]
        edges = [(a, b) for a, b in begins if a is not None]
    else:
        scene.plates.append(Plate(i, corners, group, body.name))
        edges = list(zip(corners, np.roll(corners, -1, axis=0), strict=True))
        radius = min(radius, 0.014 * scene.size)
    scene.rods += [Bar((i, a), (i, b), radius, group, body.name) for a, b in edges]


def _surface(centre: np.ndarray, R: np.ndarray, half: np.ndarray, p: np.ndarray) -> np.ndarray | None:
    """Where the way from a box's centre to p leaves the box; None if p is inside."""
    part = float(np.min(half / np.maximum(np.abs(R.T @ (p - centre)), 1e-12)))
    return None if part >= 1 else centre + 0.97 * part * (p - centre)


def _draw_joint(scene: Scene, model: Model, i: int) -> None:
    body = model.bodies[i]
    joint, parent, at = body.joint, body.parent, body.placement
    if parent == 0 and not joint.moves.is_free:
        scene.anchors.append(at.translation)
    own = [rod.radius for rod in scene.rods if rod.start[0] == i == rod.end[0]]
    radius = max([0.6 * _THINNEST * scene.size, *own]) if own else 0.008 * scene.size
    label = f"{joint.name} ({joint.kind})"
    here: Point = (i, np.zeros(3))
    shape = joint.motion().drawn_as
    if shape == "hinge":
        thick = min(1.12 * radius, 0.013 * scene.size)
        half = joint.axis * (radius + 0.3 * thick)
        scene.rods.append(Bar((i, -half), (i, half), thick, JOINT, label))
    elif shape == "slide":  # the part of the slide that sticks out
        mouth, com = _carried_at(model, i), body.inertia.com
        inner = np.zeros(3) if mouth is at.translation else 2 * com * (np.linalg.norm(com) > 0.01 * scene.size)
        scene.rods.append(Bar((parent, mouth), (i, inner), radius * 0.7, JOINT, label))
        end = here if mouth is at.translation else (parent, mouth)
        scene.rods.append(Bar(end, end, radius * 1.3, JOINT, label))
    elif shape == "ball":
        scene.rods.append(Bar(here, here, radius * 1.4, JOINT, label))


def _draw_constraint(scene: Scene, constraint: Constraint, ends: tuple[ConstraintEnd, ...]) -> None:
    points: list[Point] = [(end.body, end.pose.translation) for end in ends]
    radius, name = 0.011 * scene.size, constraint.name
    scene.rods.append(Bar(points[0], points[0], radius, CLOSURE, f"{name} (closure)"))
    if len(ends) == 1:
        return
    if constraint.keeps_apart:
        scene.rods.append(Bar(points[0], points[1], 0.5 * radius, CLOSURE, f"{name} ({constraint.kind})"))
        scene.rods.append(Bar(points[1], points[1], radius, CLOSURE, f"{name} (closure)"))
    else:
        scene.ties.append(Tie(points[0], points[1], name))
    if ends[1].body == 0 and ends[1].is_pivot:
        scene.anchors.append(ends[1].pose.translation)


def _draw_ground(scene: Scene) -> None:
    """The ground link: a frame through the points where the mechanism is held."""
    anchors = scene.anchors = distinct(scene.anchors)
    corners = outline(np.array(anchors)) if anchors else None
    if corners is not None and len(corners) == len(anchors):
        edges = list(zip(corners, np.roll(corners, -1, axis=0), strict=True))
    else:
        edges = [(anchors[a], anchors[b]) for a, b in shortest_tree(anchors)]
    scene.rods += [Bar((0, a), (0, b), 0.006 * scene.size, GROUND_LINK, "world") for a, b in edges]


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
