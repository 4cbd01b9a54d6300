"""`Skin`: what a body looks like, as triangles in one colour; and as few of them as a kind of picture can bear."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from .decimation import decimated

_CLOSED = 0.98  # of the edges have faces on both sides: what is missing was lost with the detail


@dataclass(frozen=True, eq=False)
class Skin:
    """Triangles (m, 3) of vertices (n, 3) in a body's frame. `colour` "#rrggbb", or empty: that of its limb."""

    body: int
    vertices: np.ndarray
    faces: np.ndarray
    colour: str
    group: int
    label: str

    @cached_property
    def normals(self) -> np.ndarray:
        """(m, 3), of length 1; nothing for faces without extent."""
        a, b, c = np.moveaxis(self.vertices[self.faces], 1, 0)
        across = np.cross(b - a, c - a)
        return across / np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-30)

    @cached_property
    def is_closed(self) -> bool:
        """Whether its inside is never seen: faces that look away can be left out."""
        f, n = self.faces, len(self.vertices)
        edges = np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]]).astype(np.int64)
        ways, back = edges[:, 0] * n + edges[:, 1], edges[:, 1] * n + edges[:, 0]
        if np.isin(ways, back).mean() < _CLOSED:
            return False
        a, b, c = np.moveaxis(self.vertices[f] - self.vertices.mean(axis=0), 1, 0)
        return float(np.einsum("ij,ij->", a, np.cross(b, c))) > 0.0

    @property
    def corners(self) -> np.ndarray:
        """(8, 3) of the box around it."""
        low, high = self.vertices.min(axis=0), self.vertices.max(axis=0)
        return np.where(np.array(list(np.ndindex(2, 2, 2))), high, low)


def thinned(skins: list[Skin], most: int) -> list[Skin]:
    """With at most so many faces together; what is too small to be seen then is gone."""
    meshes = decimated([(skin.vertices, skin.faces) for skin in skins], most)
    return [
        replace(skin, vertices=vertices, faces=faces)
        for skin, (vertices, faces) in zip(skins, meshes, strict=True)
        if len(faces)
    ]


def brightness(normals: np.ndarray, light: np.ndarray) -> np.ndarray:
    """By how much a colour is lightened, or darkened where it is negative: even white has its shade."""
    return 0.34 * (normals @ light) - 0.26
