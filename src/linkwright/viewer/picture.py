"""`Picture`: a mechanism at one pose as strokes on a canvas, from back to front.

A canvas is SVG (svg.py) or pixels (raster.py): it makes items of rods, balls, faces, ..., which `add` puts on it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from .camera import Camera
from .palette import colour_of, limb_name, shade
from .polygons import convex
from .scene import CLOSURE, GROUND_LINK, JOINT, Bar, Box, Plate, Scene
from .skin import Skin, brightness

_PIECES = 6  # long rods are sorted piece by piece
_SUN = np.array([0.25, 0.18])  # how far shadows lean per metre of height
_AROUND = np.array(list(np.ndindex(3, 3, 3))) - 1.0  # directions in which a mesh's outermost vertices cast its shadow
_LIGHT = np.array([-0.35, -0.6, 1.0]) / np.linalg.norm([-0.35, -0.6, 1.0])
_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
# Joints and closures lie inside the rods they join: they come forward by these parts of the size, the ground goes back.
_LIFT = {JOINT: 0.035, CLOSURE: 0.05, GROUND_LINK: -0.02}
_SHORTEST_ARROW = 2.0  # pixels


class Canvas(Protocol):
    """What pictures are drawn on. Points are (x, y, ...) in pixels from the upper left; colours are "#rrggbb" where
    they are shades, else names of palette.py."""

    def add(self, item: Any) -> None: ...

    def rod(self, paint: Any, a: np.ndarray, b: np.ndarray, width: float, label: str = "") -> Any: ...

    def across(self, a: np.ndarray, b: np.ndarray, radius: float, name: str) -> Any:
        """Paint for a rod from a to b, lit from above and the left."""

    def ball(self, centre: np.ndarray, radius: float, name: str, label: str = "") -> Any: ...

    def plate(self, corners: Sequence[np.ndarray], name: str, label: str) -> Any: ...

    def face(self, corners: Sequence[np.ndarray], colour: str, edge: str, label: str) -> Any: ...

    def triangle(self, corners: np.ndarray, colour: str) -> Any: ...

    def grid_line(self, a: np.ndarray, b: np.ndarray, opacity: float) -> Any: ...

    def shadow(self, lines: Sequence[tuple[np.ndarray, np.ndarray, float]], areas: Sequence[Any]) -> Any: ...

    def foot(self, centre: np.ndarray, rx: float, ry: float) -> Any: ...

    def tie(self, a: np.ndarray, b: np.ndarray) -> Any: ...

    def arrow(self, a: np.ndarray, b: np.ndarray) -> Any: ...

    def trace(self, points: np.ndarray) -> Any:
        """The path that a point took."""


class Picture:
    """Of a scene whose bodies are at rotations (n, 3, 3) and positions (n, 3); meshes as fine as they are.

    floor    its height, or None
    arrows   (k, 2, 3): from where to where forces are drawn
    traces   paths of points, each (n, 3)
    """

    def __init__(
        self, scene: Scene, rotations: np.ndarray, positions: np.ndarray, camera: Camera, floor: float | None,
        canvas: Canvas, arrows: np.ndarray | None = None, traces: Sequence[np.ndarray] = (),
    ):  # fmt: skip
        self.scene, self.R, self.p, self.camera, self.floor = scene, rotations, positions, camera, floor
        self.canvas, self.arrows = canvas, np.zeros((0, 2, 3)) if arrows is None else arrows
        self.traces = traces
        self.layers: list[tuple[float, list[Any]]] = []  # depth, items

    def draw(self) -> None:
        if self.floor is not None:
            self._floor()
            self._shadows()
            for anchor in self.scene.posts:
                self._post(anchor)
        for trace in self.traces:
            self.canvas.add(self.canvas.trace(self.camera.project(trace)))
        for plate in self.scene.plates:
            self._plate(plate)
        for rod in self.scene.rods:
            self._rod(rod)
        for box in self.scene.boxes:
            self._box(box)
        for skin in self.scene.skins:
            self._skin(skin)
        for _, items in sorted(self.layers, key=lambda layer: -layer[0]):
            for item in items:
                self.canvas.add(item)
        for tie in self.scene.ties:
            a, b = self._at(tie.start), self._at(tie.end)
            if np.linalg.norm(a - b) > 2e-3 * self.scene.size:
                start, end = self._screen(a, b)
                self.canvas.add(self.canvas.tie(start, end))
        for a, b in self.arrows:
            start, end = self._screen(a, b)
            if np.hypot(*(end - start)[:2]) > _SHORTEST_ARROW:
                self.canvas.add(self.canvas.arrow(start, end))

    def _at(self, point) -> np.ndarray:
        return self.R[point[0]] @ point[1] + self.p[point[0]]

    def _screen(self, *points) -> list[np.ndarray]:
        return list(self.camera.project(np.array(points)))

    def _rod(self, rod: Bar) -> None:
        a, b = self._at(rod.start), self._at(rod.end)
        colour = limb_name(rod.group)
        lift = _LIFT.get(rod.group, 0.0) * self.scene.size
        (start, end), length = self._screen(a, b), np.linalg.norm(b - a)
        if np.hypot(*(end - start)[:2]) < 0.5:
            self.layers.append((start[2] - lift, [self.canvas.ball(start, rod.radius * start[3], colour, rod.label)]))
            return
        paint = self.canvas.across(start, end, rod.radius * (start[3] + end[3]) / 2, colour)
        count = _PIECES if length > 0.15 * self.scene.size else 1
        for k in range(count):
            p, q = self._screen(a + (b - a) * (k / count), a + (b - a) * ((k + 1) / count))
            thickness = max(1.2, rod.radius * (p[3] + q[3]))
            self.layers.append(((p[2] + q[2]) / 2 - lift, [self.canvas.rod(paint, p, q, thickness, rod.label)]))

    def _plate(self, plate: Plate) -> None:
        corners = self._screen(*(self.R[plate.body] @ c + self.p[plate.body] for c in plate.corners))
        depth = float(np.mean([c[2] for c in corners])) + 0.01 * self.scene.size
        self.layers.append((depth, [self.canvas.plate(corners, limb_name(plate.group), plate.label)]))

    def _corners(self, box: Box) -> np.ndarray:
        signs = 2 * np.array(list(np.ndindex(2, 2, 2))) - 1
        local = box.centre + (signs * box.half) @ box.rotation.T
        return local @ self.R[box.body].T + self.p[box.body]

    def _box(self, box: Box) -> None:
        corners = self._corners(box)
        middle, parts = corners.mean(axis=0), []
        for face in _FACES:
            c = corners[list(face)]
            normal = np.cross(c[1] - c[0], c[2] - c[0])
            normal = normal / max(1e-30, float(np.linalg.norm(normal)))
            normal = normal if normal @ (c[0] - middle) > 0 else -normal
            if normal @ (c[0] - self.camera.eye) < 0:
                bright = float(normal @ _LIGHT)
                base = colour_of(limb_name(box.group))
                colour = shade(base, 0.35 * bright if bright > 0 else 0.4 * bright)
                parts.append(self.canvas.face(self._screen(*c), colour, shade(base, -0.3), box.label))
        self.layers.append((float(self._screen(middle)[0][2]), parts))

    def _skin(self, skin: Skin) -> None:
        R = self.R[skin.body]
        world = skin.vertices @ R.T + self.p[skin.body]
        seen, normals = self.camera.project(world)[skin.faces], skin.normals @ R.T
        away = np.einsum("ij,ij->i", normals, world[skin.faces[:, 0]] - self.camera.eye) > 0
        tones = brightness(np.where(away[:, None], -normals, normals), _LIGHT)
        depths, drawn = seen[..., 2].mean(axis=1), ~away if skin.is_closed else np.ones(len(away), dtype=bool)
        base = skin.colour or colour_of(limb_name(skin.group))
        for corners, tone, depth in zip(seen[drawn], tones[drawn], depths[drawn], strict=True):
            self.layers.append((depth, [self.canvas.triangle(corners, shade(base, round(50 * tone) / 50))]))

    # The floor and what stands on it

    def _floor(self) -> None:
        reach = 1.5 * self.scene.size
        raw = reach / 8
        power = 10 ** math.floor(math.log10(raw))
        step = power * next(m for m in (1, 2, 5, 10) if m * power >= raw)
        middle = self.camera.target
        cx, cy = (round(x / step) * step for x in middle[:2])
        count = math.ceil(reach / step)
        for i in range(-count, count + 1):
            for j in range(-count, count):
                for a, b in (((i, j), (i, j + 1)), ((j, i), (j + 1, i))):
                    ends = [np.array([cx + x * step, cy + y * step, self.floor]) for x, y in (a, b)]
                    away = float(np.linalg.norm((ends[0] + ends[1])[:2] / 2 - middle[:2])) / reach
                    if away < 1 and all((self.camera.eye - e) @ self.camera.outward > 0.1 for e in ends):
                        start, end = self._screen(*ends)
                        self.canvas.add(self.canvas.grid_line(start, end, (1 - away) ** 1.5))

    def _shadow(self, *points: np.ndarray) -> list[np.ndarray]:
        heights = [max(0.0, p[2] - self.floor) for p in points]
        return self._screen(*([*(p[:2] + _SUN * h), self.floor] for p, h in zip(points, heights, strict=True)))

    def _shadows(self) -> None:
        lines, areas = [], []
        for rod in self.scene.rods:
            a, b = self._shadow(self._at(rod.start), self._at(rod.end))
            lines.append((a, b, max(1, 2.2 * rod.radius * a[3])))
        for plate in self.scene.plates:
            areas.append(self._shadow(*(self.R[plate.body] @ c + self.p[plate.body] for c in plate.corners)))
        for box in self.scene.boxes:
            solid = self._corners(box)
            areas += [self._shadow(*solid[list(face)]) for face in _FACES]
        for skin in self.scene.skins:
            hull = skin.vertices[np.unique(np.argmax(skin.vertices @ _AROUND.T, axis=0))]
            shadow = np.array(self._shadow(*(hull @ self.R[skin.body].T + self.p[skin.body])))
            areas.append(list(shadow[convex(shadow[:, :2])]))
        self.canvas.add(self.canvas.shadow(lines, areas))

    def _post(self, anchor: np.ndarray) -> None:
        foot, top = self._screen(np.array([*anchor[:2], self.floor]), anchor)
        radius = 0.006 * self.scene.size * top[3]
        self.canvas.add(self.canvas.foot(foot, 4 * radius, 4 * radius * max(0.15, float(self.camera.outward[2]))))
        if anchor[2] - self.floor > 0.03 * self.scene.size:
            paint = self.canvas.across(foot, top, radius, "post")
            self.layers.append(
                (float(top[2]) + 0.05 * self.scene.size, [self.canvas.rod(paint, foot, top, 2 * radius)])
            )
