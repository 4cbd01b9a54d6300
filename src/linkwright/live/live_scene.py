"""A mechanism drawn by viser: what is fixed to a body hangs on that body's frame, so a pose is one frame a body."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..compilation import compile
from ..model import Model
from ..viewer.body_poses import quaternions
from ..viewer.contact_shapes import floor_of
from ..viewer.palette import CLOSURE as CLOSURE_COLOUR
from ..viewer.palette import FORCE, colour_of, limb_name
from ..viewer.scene import CLOSURE, Bar, Point, Scene
from ..viewer.shapes import make_scene
from ..viewer.skin import thinned

_ROOT = "/robot"
MOST_FACES = 300_000  # of all meshes
_NEAR = 1e-3  # of the mechanism's size: where points are one
_CELLS = 20  # of the floor, across the mechanism's size


class LiveScene:
    """`move(q)` puts all bodies where they are; `forces` draws arrows (k, 2, 3), `show` switches parts on or off."""

    def __init__(self, server: Any, model: Model, q: np.ndarray):
        self._scene, self.model = server.scene, model
        self._kinematics = compile(model, "forward_kinematics", outputs=("rotations", "positions"))
        self._com = compile(model, "center_of_mass")
        self._scene.remove_by_name(_ROOT)
        R, p = self._kinematics(q)
        self.drawn = make_scene(model, R, p)
        self._bodies = [
            self._scene.add_frame(f"{_ROOT}/body{i}", axes_length=0.12 * self.drawn.size,
                                  axes_radius=0.004 * self.drawn.size, show_axes=False)
            for i in range(model.nbodies)
        ]  # fmt: skip
        self._loose: list[tuple[Any, Point, Point]] = []  # lines between points of two bodies
        self.touchable: list[tuple[Any, int]] = []
        """What is drawn of bodies, and of which."""
        self._closures: list[Any] = []
        self._draw(self.drawn)
        size = self.drawn.size
        floor = floor_of(model)
        height = float(min(p[:, 2].min(), 0.0)) - 0.05 * size if floor is None else floor
        self._scene.add_grid(
            f"{_ROOT}/floor", width=4 * size, height=4 * size, cell_size=4 * size / _CELLS,
            section_size=4 * size / 5, position=(0.0, 0.0, height),
        )  # fmt: skip
        self._center = self._scene.add_icosphere(
            f"{_ROOT}/center_of_mass", radius=0.02 * size, color=(250, 200, 0), visible=False
        )
        self._arrows: Any = None
        self._pull: Any = None
        self._q, self._forces = q, (np.zeros((0, 3)), np.zeros((0, 3)), 0.0)
        self._visible = {"closures": True, "frames": False, "centre of mass": False, "forces": True}
        self.move(q)

    def _draw(self, scene: Scene) -> None:
        for k, rod in enumerate(scene.rods):
            self._draw_bar(f"rod{k}", rod if rod.group != CLOSURE else replace(rod, radius=_shown_radius(scene, rod)))
        for k, box in enumerate(scene.boxes):
            node = self._scene.add_box(
                f"{_ROOT}/body{box.body}/box{k}", color=_colour(box.group), dimensions=tuple(2 * box.half),
                position=box.centre, wxyz=_wxyz(box.rotation),
            )  # fmt: skip
            self._drawn(node, box.body, box.group)
        for k, plate in enumerate(scene.plates):
            corners = np.asarray(plate.corners)
            faces = np.array([[0, i, i + 1] for i in range(1, len(corners) - 1)])
            node = self._scene.add_mesh_simple(
                f"{_ROOT}/body{plate.body}/plate{k}", corners, faces, color=_colour(plate.group), side="double"
            )
            self._drawn(node, plate.body, plate.group)
        for k, skin in enumerate(thinned(scene.skins, MOST_FACES)):
            node = self._scene.add_mesh_simple(
                f"{_ROOT}/body{skin.body}/skin{k}", skin.vertices.astype(np.float32), skin.faces.astype(np.uint32),
                color=_rgb(skin.colour) if skin.colour else _colour(skin.group), flat_shading=True,
                side="front" if skin.is_closed else "double",
            )  # fmt: skip
            self._drawn(node, skin.body, skin.group)
        for k, tie in enumerate(scene.ties):
            line = self._scene.add_line_segments(
                f"{_ROOT}/tie{k}", np.zeros((1, 2, 3)), colors=_rgb(CLOSURE_COLOUR), thickness=0.01 * scene.size
            )
            self._closures.append(line)
            self._loose.append((line, tie.start, tie.end))

    def _drawn(self, node: Any, body: int, group: int) -> None:
        if group == CLOSURE:
            self._closures.append(node)
        elif body:
            self.touchable.append((node, body))

    def _draw_bar(self, name: str, rod: Bar) -> None:
        (body, a), (other, b) = rod.start, rod.end
        if body != other:
            line = self._scene.add_line_segments(
                f"{_ROOT}/{name}", np.zeros((1, 2, 3)), colors=_colour(rod.group), thickness=2 * rod.radius
            )
            self._loose.append((line, rod.start, rod.end))
            if rod.group == CLOSURE:
                self._closures.append(line)
            return
        a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
        length, at = float(np.linalg.norm(b - a)), f"{_ROOT}/body{body}/{name}"
        colour = _colour(rod.group)
        if length > 1e-9:
            node = self._scene.add_cylinder(
                at, radius=rod.radius, height=length, color=colour, position=(a + b) / 2,
                wxyz=_wxyz(_along((b - a) / length)), radial_segments=16,
            )  # fmt: skip
            self._drawn(node, body, rod.group)
        for k, end in enumerate((a, b) if length > 1e-9 else (a,)):
            name = f"{at}_end{k}"
            node = self._scene.add_icosphere(name, radius=rod.radius, color=colour, position=end, subdivisions=2)
            self._drawn(node, body, rod.group)

    def move(self, q: np.ndarray) -> None:
        """Draw the mechanism at a configuration (nq,)."""
        self._q = q
        R, p = self._kinematics(q)
        turned = quaternions(R)
        for frame, position, (x, y, z, w) in zip(self._bodies, p, turned, strict=True):
            frame.position, frame.wxyz = position, (w, x, y, z)
        for line, (body, a), (other, b) in self._loose:
            line.points = np.array([[R[body] @ a + p[body], R[other] @ b + p[other]]])
        if self._visible["centre of mass"]:
            self._center.position = self._com(q)

    def forces(self, points: np.ndarray, vectors: np.ndarray, metres_per_newton: float) -> None:
        """Arrows from points (k, 3) along vectors (k, 3) of forces that act."""
        self._forces = points, vectors, metres_per_newton
        acting = np.linalg.norm(vectors, axis=-1) > 1e-9
        segments = np.stack([points, points + vectors * metres_per_newton], axis=1)[acting]
        if self._arrows is not None:
            self._arrows.remove()
            self._arrows = None
        if len(segments) and self._visible["forces"]:
            size = self.drawn.size
            self._arrows = self._scene.add_arrows(
                f"{_ROOT}/forces", segments, colors=_rgb(FORCE), shaft_radius=0.006 * size, head_radius=0.014 * size,
                head_length=0.03 * size,
            )  # fmt: skip

    def pulled(self, line: np.ndarray | None) -> None:
        """The spring (2, 3) from where a body is pulled to the pointer; None for nothing."""
        if line is None:
            if self._pull is not None:
                self._pull.remove()
                self._pull = None
        elif self._pull is None:
            self._pull = self._scene.add_line_segments(
                f"{_ROOT}/pull", line[None], colors=_rgb(FORCE), thickness=0.008 * self.drawn.size
            )
        else:
            self._pull.points = line[None]

    def show(self, part: str, visible: bool) -> None:
        self._visible[part] = visible
        if part == "frames":
            for frame in self._bodies:
                frame.show_axes = visible
        elif part == "closures":
            for node in self._closures:
                node.visible = visible
        elif part == "forces":
            self.forces(*self._forces)
        else:
            self._center.visible = visible
            self.move(self._q)

    @property
    def parts(self) -> dict[str, bool]:
        """What can be switched, and whether it is on."""
        return dict(self._visible)

    def poses(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(rotations, positions) of all bodies in the world."""
        R, p = self._kinematics(q)
        return R, p


def _shown_radius(scene: Scene, closure: Bar) -> float:
    """A closure's ball sticks out of the rods that end in it."""
    body, at = closure.start
    around = [
        rod.radius for rod in scene.rods for end in (rod.start, rod.end)
        if rod.group != CLOSURE and end[0] == body and np.linalg.norm(end[1] - at) < _NEAR * scene.size
    ]  # fmt: skip
    return max([closure.radius, *(1.3 * r for r in around)])


def _along(direction: np.ndarray) -> np.ndarray:
    """A rotation whose z axis is a direction."""
    aside = np.eye(3)[int(np.argmin(np.abs(direction)))]
    x = np.cross(aside, direction)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(direction, x), direction], axis=1)


def _wxyz(R: np.ndarray) -> tuple[float, float, float, float]:
    x, y, z, w = quaternions(np.asarray(R, dtype=float))
    return float(w), float(x), float(y), float(z)


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _colour(group: int) -> tuple[int, int, int]:
    return _rgb(colour_of(limb_name(group)))
