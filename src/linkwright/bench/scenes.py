"""`linkwright bench scenes`: bodies dropped on floors and on each other, and whether anything fell through in silence.

A scene is drawn at random: one to three bodies with one or two shapes each, of all kinds, free or on a hinge of the
one before; a floor, or none; masks, listed pairs. It becomes an MJCF text, or a model built in code, and is simulated.
Then a judge that knows only the drawing and the coordinates says what ended in what (scene_judge.py).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

import linkwright as lw

from ..errors import SimulationError
from ..sim.verdict import complaints, missing_from
from .scene_drawing import DrawnScene, SceneBody, SceneShape, drawn_scene
from .scene_judge import swallowed

SECONDS, DT, _RECORD = 2.0, 2e-3, 10
_AT_REST = 10  # states, the last 0.2 s: what is inside in all of them has ended there
# As deep as this share of the thinner shape, and as ten times what the law gives under weight, things may sink.
_SHARE = 0.02
_LAW = 10.0 * 9.81 * (1.0 - 0.95) * 0.02**2  # m, of a body under its own weight (docs/contact.md)


@dataclass(frozen=True)
class Dropped:
    """What became of a scene.

    inside    who ended in whom
    verdict   what was said
    silent    something ended inside, and nothing was said of it
    alarmed   status 6 was raised, and nothing ended inside
    """

    number: int
    form: str
    shapes: tuple[str, ...]
    inside: tuple[str, ...]
    status: int
    verdict: str
    silent: bool
    alarmed: bool

    def as_dictionary(self) -> dict[str, Any]:
        return asdict(self)


def measure(
    count: int, seed: int, *, progress: Callable[[str], None] = lambda step: None, seconds: float = SECONDS
) -> Iterator[Dropped]:
    for number in range(count):
        scene = drawn_scene(np.random.default_rng([seed, number]))
        progress(f"scene {number + 1} of {count}: {scene.form}, {', '.join(scene.names)}")
        yield dropped(scene, number, seconds)


def dropped(scene: DrawnScene, number: int = 0, seconds: float = SECONDS) -> Dropped:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = model_of(scene)
        steps = round(seconds / DT)
        try:
            trajectory = lw.simulate(model, scene.start, dt=DT, steps=steps, record=_RECORD, lanes=1)
        except SimulationError as error:
            text = f"not finite: {error}"
            return Dropped(number, scene.form, scene.names, (), 3, text, False, False)
    states = trajectory.q[-_AT_REST:]
    inside = tuple(
        f"{one} in {two}"
        for one, two, depth, thickness in swallowed(scene, states) if depth > _SHARE * thickness + _LAW
    )
    said, missing = complaints(trajectory), missing_from(trajectory)
    named = {name for entry in missing for name in entry.about}
    silent = bool(inside) and not said and not all(set(pair.split(" in ")) <= named for pair in inside)
    status = int(trajectory.worst[3])
    return Dropped(
        number, scene.form, scene.names, inside, status, "; ".join(said) or "ok", silent, status == 6 and not inside
    )


def model_of(scene: DrawnScene) -> lw.Model:
    """As a reader, or a builder, makes it."""
    return lw.load(scene.mjcf()) if scene.form == "MJCF" else _built(scene)


def _built(scene: DrawnScene) -> lw.Model:
    builder = lw.ModelBuilder("scene")
    for k, body in enumerate(scene.bodies):
        inertia = lw.Inertia(body.mass, np.zeros(3), np.eye(3) * body.mass * 0.01)
        if body.on is None:
            builder.add_body(body.name, lw.free_flyer(f"joint_{k}"), inertia=inertia)
        else:
            place = lw.Pose.of(body.position)
            builder.add_body(
                body.name, lw.revolute(f"joint_{k}", axis=(0, 1, 0), damping=0.05), parent=scene.bodies[body.on].name,
                placement=place, inertia=inertia,
            )  # fmt: skip
    model = builder.build().with_shapes(*(_shape(body, shape) for body in scene.bodies for shape in body.shapes))
    if scene.floor is not None:
        x, y, z, w = scene.floor.quaternion
        at = lw.Pose.from_quaternion(np.zeros(3), (x, y, z, w))
        if scene.form == "built, on_ground":
            model = model.on_ground(at=at)
        else:
            masks: dict[str, Any] = {"contype": scene.floor.contype, "conaffinity": scene.floor.conaffinity}
            model = model.with_shapes(lw.plane(at=at, name="floor", **masks))
    for one, two in scene.listed:
        model = model.with_contacts(lw.contact(one, two))
    return model


def _shape(body: SceneBody, shape: SceneShape):
    x, y, z, w = shape.quaternion
    own: dict[str, Any] = {
        "at": lw.Pose.from_quaternion(shape.position, (x, y, z, w)), "name": shape.name, "contype": shape.contype,
        "conaffinity": shape.conaffinity,
    }  # fmt: skip
    a, b, c = shape.size
    if shape.kind == "sphere":
        return lw.sphere(body.name, a, **own)
    if shape.kind == "capsule":
        return lw.capsule(body.name, a, 2 * b, **own)
    if shape.kind == "cylinder":
        return lw.cylinder(body.name, a, 2 * b, **own)
    if shape.kind == "box":
        return lw.box(body.name, (2 * a, 2 * b, 2 * c), **own)
    if shape.kind == "ellipsoid":
        return lw.ellipsoid(body.name, (a, b, c), **own)
    return lw.convex(body.name, shape.corners, **own)


__all__ = ["DT", "SECONDS", "Dropped", "dropped", "measure", "model_of"]
