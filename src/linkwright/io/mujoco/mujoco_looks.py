"""How the bodies of a compiled MuJoCo model look: its geoms, as MuJoCo's own viewer shows them when it starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...model import Look, Model, Pose
from .mujoco_names import Names

_KINDS = {2: "sphere", 3: "capsule", 4: "ellipsoid", 5: "cylinder", 6: "box", 7: "mesh"}  # mjtGeom
_SIZES = {"sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3, "mesh": 0}
_SHOWN = 3  # groups that MuJoCo's viewer shows; by custom, what only collides is in the others
_UNSAID = (0.5, 0.5, 0.5, 1.0)  # rgba of a geom that says nothing

MeshOf = Callable[[int], dict[str, Any] | None]
"""What a `Look` is told about the mesh of geom g; None if g is none."""


def with_compiled_looks(model: Model, source: Any) -> Model:
    """`model` with the geoms and meshes of the `mujoco.MjModel` it was made from."""

    def mesh_of(g: int) -> dict[str, Any] | None:
        mesh = int(source.geom_dataid[g])
        if int(source.geom_type[g]) != 7 or mesh < 0:
            return None
        start, count = int(source.mesh_vertadr[mesh]), int(source.mesh_vertnum[mesh])
        first, faces = int(source.mesh_faceadr[mesh]), int(source.mesh_facenum[mesh])
        vertices = np.array(source.mesh_vert[start : start + count], dtype=float)
        return {
            "mesh": source.mesh(mesh).name or f"mesh_{mesh}",
            "surface": (vertices, np.array(source.mesh_face[first : first + faces])),
        }

    return replace(model, looks=looks_of(source, Names(source), mesh_of))


def looks_of(source: Any, names: Names, mesh_of: MeshOf) -> tuple[Look, ...]:
    """Geoms in the groups that are shown; planes are floors, and height fields are not drawn."""
    found = []
    for g in range(source.ngeom):
        kind = _KINDS.get(int(source.geom_type[g]))
        rgba = _rgba(source, g)
        if kind is None or int(source.geom_group[g]) >= _SHOWN or rgba[3] == 0.0:
            continue
        told = mesh_of(g)
        if told is None and kind == "mesh":
            continue
        size: tuple[float, ...] = ()
        if told is None:
            size = tuple(map(float, source.geom_size[g][: _SIZES[kind]]))
        found.append(
            Look(
                names.bodies[int(source.geom_bodyid[g])], kind if told is None else "mesh",
                Pose.from_quaternion(source.geom_pos[g], np.roll(source.geom_quat[g], -1).tolist()), size,
                None if rgba == _UNSAID else (rgba[0], rgba[1], rgba[2]), **(told or {}),
            )
        )  # fmt: skip
    return tuple(found)


def _rgba(source: Any, g: int) -> tuple[float, ...]:
    """A geom's own colour comes before its material's."""
    own, material = tuple(round(float(x), 6) for x in source.geom_rgba[g]), int(source.geom_matid[g])
    if own == _UNSAID and material >= 0:
        return tuple(round(float(x), 6) for x in source.mat_rgba[material])
    return own
