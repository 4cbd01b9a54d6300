"""Shapes that can touch, as the pictures show them, and the floor that they touch."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from ..algorithms.contact.watching import watched_pairs
from ..model import Model, Pose
from ..model.contact import Shape
from .scene import Bar, Box, Scene

_LEVEL = 1e-6  # a plane whose normal leans by less is a floor
_THINNEST = 0.5  # a convex shape or an ellipsoid narrower than this part of its width is drawn as a box


def draw_contact_shapes(scene: Scene, model: Model, groups: list[int], dressed: Collection[int]) -> None:
    """Shapes that take part in a contact, or are watched; the ground's planes are the floor. Bodies that are `dressed`
    show theirs."""
    touching = _touching(model)
    for shape in model.shapes:
        body = model.body_of(shape.on)
        if shape.name in touching and shape.kind != "plane" and body not in dressed:
            _draw(scene, shape, body, _on_body(model, shape), groups[body])


def floor_of(model: Model) -> float | None:
    """The height of the ground's level plane that things touch, if there is one."""
    touched = _touching(model)
    for shape in model.shapes:
        if shape.kind == "plane" and shape.name in touched:
            pose = _on_body(model, shape)
            if pose.rotation[2, 2] > 1.0 - _LEVEL:
                return float(pose.translation[2])
    return None


def _touching(model: Model) -> set[str]:
    """Shapes whose contact is computed or watched."""
    computed = ((pair.first, pair.second) for pair in model.pairs)
    return {name for pair in (*computed, *watched_pairs(model)) for name in pair}


def _on_body(model: Model, shape: Shape) -> Pose:
    """A frame's shape sits where the frame does."""
    frame = model.frames.get(shape.on)
    return shape.placement if frame is None else frame.placement @ shape.placement


def _draw(scene: Scene, shape: Shape, body: int, pose: Pose, group: int) -> None:
    label = f"{shape.name} ({shape.kind})"
    along = np.zeros(3)
    if shape.kind == "box":
        scene.boxes.append(Box(body, pose.rotation, pose.translation, np.array(shape.size), group, label))
        return
    if shape.points:
        points = np.array(shape.points)
        middle, half = (points.max(axis=0) + points.min(axis=0)) / 2, np.ptp(points, axis=0) / 2
        centre = pose.rotation @ middle + pose.translation
        scene.boxes.append(Box(body, pose.rotation, centre, np.maximum(half, 1e-3 * scene.size), group, label))
        return
    if shape.kind == "ellipsoid":
        half = np.array(shape.size)
        if half.min() < _THINNEST * np.median(half):
            scene.boxes.append(Box(body, pose.rotation, pose.translation, half, group, label))
            return
        longest, radius = int(np.argmax(half)), float(np.median(half))
        along[longest] = half[longest] - radius
    else:
        radius = shape.size[0]
        along[2] = shape.size[1] if len(shape.size) > 1 else 0.0
        if shape.kind == "cylinder":  # drawn with round ends, as long as it is
            along[2] = max(along[2] - radius, 0.0)
    ends = [pose.rotation @ (sign * along) + pose.translation for sign in (-1, 1)]
    scene.rods.append(Bar((body, ends[0]), (body, ends[1]), float(radius), group, label))
