"""`write_html`: a trajectory as one HTML file that plays in any browser, without a network."""

from __future__ import annotations

import base64
import json
import re
from importlib import resources
from pathlib import Path

import numpy as np

from ..atomic_file import write_atomically
from ..call_errors import names_arguments
from ..errors import InputError
from ..model import Model
from ..model.not_computed import named
from ..printable import printable
from . import palette
from .arrows import arrow_scale, checked_forces
from .body_poses import body_poses, checked_trajectory, quaternions
from .contact_shapes import floor_of
from .scene import Scene
from .shapes import make_scene
from .skin import Skin, thinned
from .svg import xml_text
from .view import bounds, floor_height, start_view, travelled

MOST_FACES = 14_000
"""Of all meshes in a page: what a browser draws 30 times a second without a graphics driver."""
_STEPS = 65535  # positions of vertices are whole numbers of so many steps across their mesh
# scripts in the order in which they build on one another
_PLAYER = ("poses", "camera", "skins", "readouts", "drawing", "controls")


@names_arguments
def write_html(
    model: Model, q, times, path, *, title: str | None = None, floor: float | bool | None = None, traces=(),
    forces=None,
) -> Path:  # fmt: skip
    """Write an animation of configurations q (T, nq) at `times` (T,) to `path`; returns the path.

    title    shown above; the model's name by default
    floor    its height, False for none; by default the plane that the model stands on, else below the lowest point of
             the motion
    traces   names of frames whose paths are drawn
    forces   (points, vectors), both (T, k, 3) in the world: drawn as arrows from the
             points on (`contact_arrows` gives those of contacts)
    """
    page = animation_page(model, q, times, title=title, floor=floor, traces=traces, forces=forces)
    return write_atomically(path, page)


def animation_page(model: Model, q, times, *, title=None, floor=None, traces=(), forces=None) -> str:
    """The same as the text of a page."""
    given = len(np.atleast_1d(times))
    q, times, kept = checked_trajectory(model, q, times)
    arrows = None if forces is None else checked_forces(forces, given)[kept]
    rotations, positions = body_poses(model, q)
    scene = make_scene(model, rotations[0], positions[0])
    box = bounds(scene, rotations, positions)
    described = {
        "about": _about(model),
        "labels": [body.name for body in model.bodies],
        "size": scene.size,
        "floor": floor_height(floor_of(model) if floor is None else floor, box),
        "view": start_view(box, bounds(scene, rotations[:1], positions[:1]), scene.size, travelled(positions)),
        "traces": [_trace(model, name) for name in _names(traces)],
        "palette": {
            "limbs": palette.LIMBS, "closure": palette.CLOSURE, "trace": palette.TRACE, "force": palette.FORCE,
            **palette.THEMES,
        },
        "bodies": model.nbodies,
        "times": _packed(times - times[0], "<f4"),
        "poses": _packed(np.concatenate([positions, quaternions(rotations)], axis=-1), "<f4"),
        **_arrows(arrows, scene.size),
        **_joints(model, q),
        **_shapes(scene),
        "skins": [_skin(skin) for skin in thinned(scene.skins, MOST_FACES)],
        "missing": scene.missing,
    }  # fmt: skip
    return fill(
        _resource("page.html"),
        title=xml_text(title if title is not None else model.name),
        style=_resource("player/player.css"),
        script="\n".join(_resource(f"player/{part}.js") for part in _PLAYER),
        scene=json_in_html(described),
    )


def json_in_html(value) -> str:
    """JSON that no HTML parser can mistake for markup, whatever names it holds; its texts are printable."""
    text = json.dumps(_printable_texts(value), separators=(",", ":"), allow_nan=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _printable_texts(value):
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {_printable_texts(key): _printable_texts(one) for key, one in value.items()}
    return [_printable_texts(one) for one in value] if isinstance(value, (list, tuple)) else value


def fill(template: str, **parts: str) -> str:
    """Put the parts where the template says {{name}}; what is put in is not looked at again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], template)


def _about(model: Model) -> str:
    closures = len(model.constraints)
    parts = [_count(model.nbodies - 1, "body", "bodies"), f"{model.nv} dof"]
    parts += [_count(closures, "constraint", "constraints")] if closures else []
    return " · ".join(parts + ([f"not computed: {named(model.not_computed)}"] if model.not_computed else []))


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def _names(traces) -> list[str]:
    return [traces] if isinstance(traces, str) else list(traces)


def _trace(model: Model, name: str) -> dict:
    frame = model.frame(name)
    return {"body": frame.body, "point": frame.placement.translation.tolist(), "label": name}


def _shapes(scene: Scene) -> dict:
    return {
        "rods": [
            {"a": _point(r.start), "b": _point(r.end), "r": r.radius, "g": r.group, "label": r.label}
            for r in scene.rods
        ],
        "boxes": [
            {
                "body": b.body, "R": b.rotation.ravel().tolist(), "c": b.centre.tolist(), "h": b.half.tolist(),
                "g": b.group, "label": b.label,
            }
            for b in scene.boxes
        ],
        "plates": [
            {"body": p.body, "corners": p.corners.tolist(), "g": p.group, "label": p.label} for p in scene.plates
        ],
        "ties": [{"a": _point(t.start), "b": _point(t.end), "label": t.label} for t in scene.ties],
        "posts": [a.tolist() for a in scene.posts],
    }  # fmt: skip


def _joints(model: Model, q: np.ndarray) -> dict:
    """Joints that move by one number: what they are called, their limits, and where they are."""
    single = [k for k, joint in enumerate(model.joints, start=1) if joint.nq == joint.nv == 1]
    told = [
        {
            "name": (joint := model.joints[k - 1]).name,
            "unit": "m" if joint.motion().drawn_as == "slide" else "rad",
            "range": [x if np.isfinite(x) else None for x in (float(joint.lower[0]), float(joint.upper[0]))],
        }
        for k in single
    ]  # fmt: skip
    return {"joints": told, **({"angles": _packed(q[:, [model.iq[k].start for k in single]], "<f4")} if single else {})}


def _skin(skin: Skin) -> dict:
    low = skin.vertices.min(axis=0)
    span = np.maximum(np.ptp(skin.vertices, axis=0), 1e-9)
    return {
        "body": skin.body, "g": skin.group, "label": skin.label, "low": low.tolist(), "span": span.tolist(),
        "v": _packed(np.rint((skin.vertices - low) / span * _STEPS), "<u2"), "f": _packed(skin.faces, "<u2"),
        "closed": skin.is_closed, **({"colour": skin.colour} if skin.colour else {}),
    }  # fmt: skip


def _arrows(arrows: np.ndarray | None, size: float) -> dict:
    """How many there are, where and how long, in metres per unit of force."""
    if arrows is None or not arrows.size:
        return {"arrows": 0}
    return {"arrows": arrows.shape[1], "forces": _packed(arrows, "<f4"), "arrow_scale": arrow_scale(arrows, size)}


def _point(point) -> list[float]:
    return [point[0], *(float(x) for x in point[1])]


def _packed(values: np.ndarray, dtype: str) -> str:
    if not np.all(np.isfinite(values.astype(dtype))):
        raise InputError("positions are too large to draw: the mechanism flew away")
    return base64.b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode("ascii")


def _resource(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
