"""What a file says about how bodies look, as triangles on bodies; and what of it cannot be drawn, with the reason."""

from __future__ import annotations

import numpy as np

from ..errors import LinkwrightError
from ..io.meshes.mesh_places import first_there
from ..io.meshes.surface_files import MeshPart, read_surfaces
from ..model import Look, Model
from .skin import Skin
from .solids import ball, box, tube

_SIDES = 20  # of what is round


def skins_of(model: Model, groups: list[int]) -> tuple[list[Skin], list[str]]:
    """(what is drawn of the model's looks, what is not drawn as they say): "foot.stl of foot: is not there"."""
    skins: list[Skin] = []
    missing: list[str] = []
    for look in model.looks:
        frame = model.frame(look.on)
        at = frame.placement @ look.at
        try:
            surfaces = _surfaces(look)
        except (LinkwrightError, OSError) as error:
            missing.append(f"{look.mesh} of {look.on}: {_reason(error)}")
            continue
        lost = next((surface.without for surface in surfaces if surface.without), "")
        if lost:
            missing.append(f"{look.mesh} of {look.on}: is drawn without its colours, {lost}")
        for surface in surfaces:
            colour = (look.own and surface.colour) or look.colour or surface.colour
            skins.append(
                Skin(
                    frame.body, surface.vertices @ at.rotation.T + at.translation, surface.faces,
                    "" if colour is None else _hexadecimal(colour), groups[frame.body], look.on,
                )
            )  # fmt: skip
    return skins, missing


def meshes_not_drawn(model: Model) -> list[str]:
    """Meshes that are not drawn as the robot's file says, each with the reason: where a body has no look that can be
    drawn, a shape stands for it; a mesh whose materials are broken has no colours of its own."""
    return skins_of(model, [0] * model.nbodies)[1]


def _reason(error: Exception) -> str:
    return str(error).splitlines()[0][:300]


def _surfaces(look: Look) -> tuple[MeshPart, ...]:
    """In the look's frame."""
    if look.kind != "mesh":
        return (_solid(look),)
    if look.surface is not None:
        vertices, faces = look.surface
        if not len(faces):
            raise OSError("it has no faces")
        if faces.min() < 0 or faces.max() >= len(vertices):
            raise OSError("its faces name vertices that are not there")
        found: tuple[MeshPart, ...] = (MeshPart(np.asarray(vertices, dtype=float), np.asarray(faces)),)
    else:
        path = first_there(look.places)
        if path is None:
            raise OSError("is not there")
        found = read_surfaces(path)
    mirrored = np.prod(look.scale) < 0  # faces turn inside out then
    return tuple(
        MeshPart(
            (part.vertices @ look.inner.rotation.T + look.inner.translation) * look.scale,
            part.faces[:, ::-1] if mirrored else part.faces, part.colour, part.without,
        )
        for part in found
    )  # fmt: skip


def _solid(look: Look) -> MeshPart:
    if look.kind == "box":
        return MeshPart(*box(np.array(look.size)))
    if look.kind in ("sphere", "ellipsoid"):
        vertices, faces = ball(_SIDES)
        return MeshPart(vertices * (look.size if len(look.size) == 3 else look.size[0]), faces)
    radius, half = look.size
    return MeshPart(*tube(radius, half, _SIDES, rounded=look.kind == "capsule"))


def _hexadecimal(colour: tuple[float, float, float]) -> str:
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, x))):02x}" for x in colour)
