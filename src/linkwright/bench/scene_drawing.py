"""Random scenes of a few bodies, as numbers: neither a model nor a file, so that a judge can know nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

KINDS = ("sphere", "capsule", "box", "cylinder", "ellipsoid", "mesh")
FORMS = ("MJCF", "built, on_ground", "built, plane")
_SIZES = (0.04, 0.15)  # m
_SPREAD = 0.12  # m, sideways: they fall on each other
_LIFT = 0.55  # m, from one to the next: they start apart
_TILT = 0.2  # rad, of some floors

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class SceneShape:
    """size: half lengths, as far as the kind has them; corners of a mesh; place in the body (m, quaternion x y z w)."""

    name: str
    kind: str
    size: Numbers
    corners: tuple[Numbers, ...]
    position: Numbers
    quaternion: Numbers
    contype: int
    conaffinity: int


@dataclass(frozen=True)
class SceneBody:
    """Free, or on a hinge about y of body `on`, where `position` is that of the hinge."""

    name: str
    on: int | None
    position: Numbers
    quaternion: Numbers
    mass: float
    shapes: tuple[SceneShape, ...]


@dataclass(frozen=True)
class SceneFloor:
    quaternion: Numbers
    contype: int
    conaffinity: int

    @property
    def normal(self) -> np.ndarray:
        return rotation(np.array(self.quaternion))[:, 2]


@dataclass(frozen=True)
class DrawnScene:
    form: str
    bodies: tuple[SceneBody, ...]
    floor: SceneFloor | None
    listed: tuple[tuple[str, str], ...]
    weighs_by_shapes: bool

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(shape.name for body in self.bodies for shape in body.shapes)

    @property
    def start(self) -> np.ndarray:
        """q, body by body."""
        parts = [(*body.position, *body.quaternion) if body.on is None else (0.0,) for body in self.bodies]
        return np.concatenate([np.array(part) for part in parts])

    def mjcf(self) -> str:
        assets: list[str] = []
        inside = ["" for _ in self.bodies]
        for k, body in reversed(list(enumerate(self.bodies))):
            geoms = "".join(self._geom(shape, assets) for shape in body.shapes)
            joint = "<freejoint/>" if body.on is None else '<joint axis="0 1 0" damping="0.05"/>'
            inertia = 'pos="0 0 0" mass="{0}" diaginertia="{1} {1} {1}"'.format(body.mass, 0.01 * body.mass)
            weight = "" if self.weighs_by_shapes else f"<inertial {inertia}/>"
            x, y, z, w = body.quaternion
            place = f'pos="{_text(body.position)}" quat="{_text((w, x, y, z))}"'
            text = f'<body name="{body.name}" {place}>{joint}{weight}{geoms}{inside[k]}</body>'
            if body.on is None:
                inside[k] = text
            else:
                inside[body.on] += text
                inside[k] = ""
        floor = ""
        if self.floor is not None:
            x, y, z, w = self.floor.quaternion
            masks = f'contype="{self.floor.contype}" conaffinity="{self.floor.conaffinity}"'
            floor = f'<geom name="floor" type="plane" size="0 0 1" quat="{_text((w, x, y, z))}" {masks}/>'
        pairs = "".join(f'<pair geom1="{one}" geom2="{two}"/>' for one, two in self.listed)
        return (
            f"<mujoco><asset>{''.join(assets)}</asset><worldbody>{floor}{''.join(inside)}</worldbody>"
            f"<contact>{pairs}</contact></mujoco>"
        )

    def _geom(self, shape: SceneShape, assets: list[str]) -> str:
        x, y, z, w = shape.quaternion
        counts = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}
        what = f'type="{shape.kind}" size="{_text(shape.size[: counts.get(shape.kind, 0)])}"'
        if shape.kind == "mesh":
            vertices = " ".join(_text(corner) for corner in shape.corners)
            assets.append(f'<mesh name="{shape.name}_mesh" vertex="{vertices}"/>')
            what = f'type="mesh" mesh="{shape.name}_mesh"'
        return (
            f'<geom name="{shape.name}" {what} pos="{_text(shape.position)}" quat="{_text((w, x, y, z))}" '
            f'contype="{shape.contype}" conaffinity="{shape.conaffinity}"/>'
        )


def drawn_scene(rng: np.random.Generator) -> DrawnScene:
    form = FORMS[rng.choice(3, p=(0.5, 0.3, 0.2))]
    bodies: list[SceneBody] = []
    for k in range(int(rng.integers(1, 4))):
        hinged = k > 0 and bodies[-1].on is None and rng.random() < 0.25
        sideways = rng.uniform(-_SPREAD, _SPREAD, 2)
        position = (0.0, 0.0, 0.42) if hinged else (*sideways, 0.4 + _LIFT * 1.9 * k)
        shapes = tuple(_shape(rng, f"shape_{k}_{j}") for j in range(1 if rng.random() < 0.7 else 2))
        quaternion = (0.0, 0.0, 0.0, 1.0) if hinged else _random_quaternion(rng)
        bodies.append(
            SceneBody(f"body_{k}", k - 1 if hinged else None, _numbers(position), quaternion,
                      float(rng.uniform(0.3, 3.0)), shapes)
        )  # fmt: skip
    floor = None
    if rng.random() < 0.85:
        angle = rng.uniform(-_TILT, _TILT) if rng.random() < 0.3 else 0.0
        masks = (1, 1) if rng.random() < 0.85 else (int(rng.integers(0, 4)), int(rng.integers(0, 4)))
        masks = (1, 1) if form == "built, on_ground" else masks
        floor = SceneFloor((0.0, float(np.sin(angle / 2)), 0.0, float(np.cos(angle / 2))), *masks)
    able = any(shape.contype or shape.conaffinity for body in bodies for shape in body.shapes)
    if form == "built, on_ground" and not able:
        floor = None  # nothing could stand on it
    listed = _listed(rng, form, bodies, floor)
    return DrawnScene(form, tuple(bodies), floor, listed, bool(form == "MJCF" and rng.random() < 0.4))


def _shape(rng: np.random.Generator, name: str) -> SceneShape:
    kind, size = KINDS[rng.integers(len(KINDS))], _numbers(rng.uniform(*_SIZES, 3))
    corners: tuple[Numbers, ...] = ()
    if kind == "mesh":
        corners = tuple(_numbers(x) for x in _polytope(rng) * np.array(size))
    masks = (1, 1) if rng.random() < 0.8 else (int(rng.integers(0, 4)), int(rng.integers(0, 4)))
    place = _numbers(rng.uniform(-0.03, 0.03, 3))
    return SceneShape(name, kind, size, corners, place, _random_quaternion(rng), *masks)


def _polytope(rng: np.random.Generator) -> np.ndarray:
    """Corners of a box, an octahedron, a wedge or a tetrahedron, or some on a ball."""
    cube = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    which = rng.integers(5)
    if which == 0:
        return cube
    if which == 1:
        return np.concatenate([np.eye(3), -np.eye(3)])
    if which == 2:
        return cube[[0, 1, 2, 3, 4, 5]]
    if which == 3:
        return np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]])
    points = rng.normal(size=(12, 3))
    return points / np.linalg.norm(points, axis=1)[:, None]


def _listed(
    rng: np.random.Generator, form: str, bodies: list[SceneBody], floor: SceneFloor | None
) -> tuple[tuple[str, str], ...]:
    """Pairs that a file lists, whatever masks say; in code only those that can be computed."""
    if rng.random() < 0.5:
        return ()
    found = []
    for j, two in enumerate(bodies):
        for one in bodies[:j]:
            for a in one.shapes:
                for b in two.shapes:
                    round_ones = {a.kind, b.kind} <= {"sphere", "capsule"} or (
                        "box" in (a.kind, b.kind) and {a.kind, b.kind} & {"sphere", "capsule"}
                    )
                    if rng.random() < 0.5 and (form == "MJCF" or round_ones):
                        found.append((a.name, b.name))
    if floor is not None and form == "MJCF":
        found += [("floor", shape.name) for body in bodies for shape in body.shapes if rng.random() < 0.3]
    return tuple(found)


def _random_quaternion(rng: np.random.Generator) -> Numbers:
    q = rng.normal(size=4)
    return _numbers(q / np.linalg.norm(q))


def _numbers(values) -> Numbers:
    return tuple(float(x) for x in values)


def _text(values) -> str:
    return " ".join(repr(float(x)) for x in values)


def rotation(q: np.ndarray) -> np.ndarray:
    x, y, z, w = q / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
