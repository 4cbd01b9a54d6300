"""`write_svg`: a still picture of a mechanism, drawn as in the animation."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from ..atomic_file import write_atomically
from ..call_errors import names_arguments
from ..errors import InputError
from ..model import Model
from .body_poses import body_poses
from .camera import Camera
from .contact_shapes import floor_of
from .picture import Picture
from .shapes import make_scene
from .skin import thinned
from .svg import Markup
from .view import bounds, extreme_points, floor_height, start_view

_MOST_FACES = 8000  # of all meshes, some 60 bytes each


@names_arguments
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
    scene.skins = thinned(scene.skins, _MOST_FACES)
    drawing = Markup(width, height)
    Picture(scene, rotations[0], positions[0], camera, level, drawing).draw()
    return write_atomically(path, drawing.text(title=model.name))
