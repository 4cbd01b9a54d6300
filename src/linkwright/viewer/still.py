"""`write_svg`: a still picture of a mechanism, drawn as in the animation."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from ..errors import InputError
from ..model import Model
from .body_poses import body_poses
from .camera import Camera
from .contact_shapes import floor_of
from .palette import shade
from .polygons import convex
from .scene import CLOSURE, GROUND_LINK, JOINT, Bar, Box, Plate, Scene
from .shapes import make_scene
from .skin import Skin, brightness, thinned
from .svg import Markup, colour_of, limb_class, polygon
from .view import bounds, extreme_points, floor_height, start_view

_MOST_FACES = 8000  # of all meshes, some 60 bytes each
_PIECES = 6  # long rods are sorted piece by piece
_SUN = np.array([0.25, 0.18])  # how far shadows lean per metre of height
_AROUND = np.array(list(np.ndindex(3, 3, 3))) - 1.0  # directions in which a mesh's outermost vertices cast its shadow
_LIGHT = np.array([-0.35, -0.6, 1.0]) / np.linalg.norm([-0.35, -0.6, 1.0])
_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
# Joints and closures lie inside the rods they join: they come forward by these parts of the size, the ground goes back.
_LIFT = {JOINT: 0.035, CLOSURE: 0.05, GROUND_LINK: -0.02}


def write_svg(
    model: Model, q, path, *, width: int = 900, height: int = 600, floor: float | bool | None = None,
    azimuth: float | None = None, elevation: float | None = None,
) -> Path:  # fmt: skip
    """Write a picture of the mechanism at q (nq,) to `path`; returns the path. Light or dark as the reader's screen is.

    azimuth, elevation   from where it is looked at, in degrees; by default flat mechanisms from the side
    """
    q = np.asarray(q, dtype=float)
    if q.shape != (model.nq,) or not np.all(np.isfinite(q)):
        raise InputError(f"q is {q}; expected {model.nq} finite numbers: one configuration of {model.name!r}")
    rotations, positions = body_poses(model, q[None])
    scene = make_scene(model, rotations[0], positions[0])
    box = bounds(scene, rotations, positions)
    view = start_view(box, box, scene.size)
    level = floor_height(floor_of(model) if floor is None else floor, box)
    points = extreme_points(scene, rotations, positions)
    if level is not None:
        points = np.concatenate([points, [[*post[:2], level] for post in scene.posts]] if scene.posts else [points])
    camera = Camera(
        points,
        view["azimuth"] if azimuth is None else math.radians(azimuth),
        view["elevation"] if elevation is None else math.radians(elevation),
        width,
        height,
    )
    picture = _Picture(scene, rotations[0], positions[0], camera, level)
    picture.draw()
    path = Path(path)
    path.write_text(picture.drawing.text(title=model.name), encoding="utf-8")
    return path


class _Picture:
    def __init__(self, scene: Scene, rotations, positions, camera: Camera, floor: float | None):
        self.scene, self.R, self.p, self.camera, self.floor = scene, rotations, positions, camera, floor
        self.drawing = Markup(camera.width, camera.height)
        self.layers: list[tuple[float, str]] = []  # depth, markup

    def draw(self) -> None:
        if self.floor is not None:
            self._floor()
            self._shadows()
            for anchor in self.scene.posts:
                self._post(anchor)
        for plate in self.scene.plates:
            self._plate(plate)
        for rod in self.scene.rods:
            self._rod(rod)
        for box in self.scene.boxes:
            self._box(box)
        for skin in thinned(self.scene.skins, _MOST_FACES):
            self._skin(skin)
        for _, markup in sorted(self.layers, key=lambda layer: -layer[0]):
            self.drawing.add(markup)
        for tie in self.scene.ties:
            a, b = self._at(tie.start), self._at(tie.end)
            if np.linalg.norm(a - b) > 2e-3 * self.scene.size:
                start, end = self._screen(a, b)
                self.drawing.add(self.drawing.line(start, end, 1.5, 'class="tie"'))

    def _at(self, point) -> np.ndarray:
        return self.R[point[0]] @ point[1] + self.p[point[0]]

    def _screen(self, *points) -> list[np.ndarray]:
        return list(self.camera.project(np.array(points)))

    def _rod(self, rod: Bar) -> None:
        a, b = self._at(rod.start), self._at(rod.end)
        colour = limb_class(rod.group)
        lift = _LIFT.get(rod.group, 0.0) * self.scene.size
        (start, end), length = self._screen(a, b), np.linalg.norm(b - a)
        if np.hypot(*(end - start)[:2]) < 0.5:
            markup = self.drawing.ball(start, rod.radius * start[3], colour, rod.label)
            self.layers.append((start[2] - lift, markup))
            return
        paint = self.drawing.across(start, end, rod.radius * (start[3] + end[3]) / 2, colour)
        count = _PIECES if length > 0.15 * self.scene.size else 1
        for k in range(count):
            p, q = self._screen(a + (b - a) * (k / count), a + (b - a) * ((k + 1) / count))
            thickness = max(1.2, rod.radius * (p[3] + q[3]))
            markup = self.drawing.line(p, q, thickness, f'stroke="{paint}"', rod.label)
            self.layers.append(((p[2] + q[2]) / 2 - lift, markup))

    def _plate(self, plate: Plate) -> None:
        corners = self._screen(*(self.R[plate.body] @ c + self.p[plate.body] for c in plate.corners))
        depth = float(np.mean([c[2] for c in corners])) + 0.01 * self.scene.size
        self.layers.append((depth, polygon(corners, f'class="{limb_class(plate.group)} plate"', plate.label)))

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
                colour = self.drawing.shaded(limb_class(box.group), 0.35 * bright if bright > 0 else 0.4 * bright)
                edge = self.drawing.shaded(limb_class(box.group), -0.3)
                style = f'fill="{colour}" stroke="{edge}" stroke-linejoin="round"'
                parts.append(polygon(self._screen(*c), style, box.label))
        self.layers.append((float(self._screen(middle)[0][2]), "".join(parts)))

    def _skin(self, skin: Skin) -> None:
        R = self.R[skin.body]
        world = skin.vertices @ R.T + self.p[skin.body]
        seen, normals = self.camera.project(world)[skin.faces], skin.normals @ R.T
        away = np.einsum("ij,ij->i", normals, world[skin.faces[:, 0]] - self.camera.eye) > 0
        tones = brightness(np.where(away[:, None], -normals, normals), _LIGHT)
        depths, drawn = seen[..., 2].mean(axis=1), ~away if skin.is_closed else np.ones(len(away), dtype=bool)
        base = skin.colour or colour_of(limb_class(skin.group))
        for corners, tone, depth in zip(seen[drawn], tones[drawn], depths[drawn], strict=True):
            points = "L".join(f"{x:.1f} {y:.1f}" for x, y, *_ in corners)
            colour = shade(base, round(50 * tone) / 50)
            self.layers.append((depth, f'<path d="M{points}z" fill="{colour}" stroke="{colour}"/>'))

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
                    away = np.linalg.norm((ends[0] + ends[1])[:2] / 2 - middle[:2]) / reach
                    if away < 1 and all((self.camera.eye - e) @ self.camera.outward > 0.1 for e in ends):
                        style = f'class="grid" stroke-opacity="{(1 - away) ** 1.5:.2f}"'
                        start, end = self._screen(*ends)
                        self.drawing.add(self.drawing.line(start, end, 1, style))

    def _shadow(self, *points: np.ndarray) -> list[np.ndarray]:
        heights = [max(0.0, p[2] - self.floor) for p in points]
        return self._screen(
            *([*(p[:2] + _SUN * h), self.floor] for p, h in zip(points, heights, strict=True))
        )

    def _shadows(self) -> None:
        parts = []
        for rod in self.scene.rods:
            a, b = self._shadow(self._at(rod.start), self._at(rod.end))
            parts.append(self.drawing.line(a, b, max(1, 2.2 * rod.radius * a[3])))
        for plate in self.scene.plates:
            corners = [self.R[plate.body] @ c + self.p[plate.body] for c in plate.corners]
            parts.append(polygon(self._shadow(*corners)))
        for box in self.scene.boxes:
            solid = self._corners(box)
            parts += [polygon(self._shadow(*solid[list(face)])) for face in _FACES]
        for skin in self.scene.skins:
            hull = skin.vertices[np.unique(np.argmax(skin.vertices @ _AROUND.T, axis=0))]
            shadow = np.array(self._shadow(*(hull @ self.R[skin.body].T + self.p[skin.body])))
            parts.append(polygon(list(shadow[convex(shadow[:, :2])])))
        self.drawing.add(f'<g class="shadow">{"".join(parts)}</g>')

    def _post(self, anchor: np.ndarray) -> None:
        foot, top = self._screen(np.array([*anchor[:2], self.floor]), anchor)
        radius = 0.006 * self.scene.size * top[3]
        rx, ry = 4 * radius, 4 * radius * max(0.15, float(self.camera.outward[2]))
        place = f'cx="{foot[0]:.1f}" cy="{foot[1]:.1f}" rx="{rx:.1f}" ry="{ry:.1f}"'
        self.drawing.add(f'<ellipse class="post" {place}/>')
        if anchor[2] - self.floor > 0.03 * self.scene.size:
            paint = self.drawing.across(foot, top, radius, "post")
            markup = self.drawing.line(foot, top, 2 * radius, f'stroke="{paint}"')
            self.layers.append((float(top[2]) + 0.05 * self.scene.size, markup))
