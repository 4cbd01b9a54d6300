"""`Look`: how a body is to be drawn, where its file says so. It has no part in the dynamics, nor in fingerprints."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import InputError, unknown_name
from .pose import Pose

if TYPE_CHECKING:
    from .model import Model

_SIZES = {"box": 3, "sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "mesh": 0}


@dataclass(frozen=True, eq=False)
class Look:
    """Something solid that is fixed to a frame and only seen.

    on       name of a body or frame
    kind     box, sphere, capsule, cylinder, ellipsoid or mesh
    at       its pose there
    size     half sizes of a box or ellipsoid, (radius,), or (radius, half length) along z; nothing of a mesh
    colour   (3,) red, green and blue from 0 to 1; None: nobody says
    own      whether colours in a mesh's file come first, as tools that read URDF have it
    mesh     the file of a mesh as it is named; `places` are the paths where it may be, the first that is there counts
    scale    (3,) of a mesh, after `inner` has moved its vertices
    surface  (vertices (n, 3), faces (m, 3)) of a mesh that has no file
    """

    on: str
    kind: str
    at: Pose = field(default_factory=Pose.identity, repr=False)
    size: tuple[float, ...] = ()
    colour: tuple[float, float, float] | None = None
    own: bool = False
    mesh: str = ""
    places: tuple[Path, ...] = field(default=(), repr=False)
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    inner: Pose = field(default_factory=Pose.identity, repr=False)
    surface: tuple[np.ndarray, np.ndarray] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.kind not in _SIZES:
            raise unknown_name("kind of look", self.kind, _SIZES)
        if len(self.size) != _SIZES[self.kind] or not all(np.isfinite(x) and x > 0 for x in self.size):
            raise InputError(f"size of a {self.kind} is {self.size}; expected {_SIZES[self.kind]} positive numbers")
        if len(self.scale) != 3 or not all(np.isfinite(x) and x for x in self.scale):
            raise InputError(f"scale of a mesh is {self.scale}; expected three numbers, none of them zero")

    def renamed(self, prefix: str, mount: str, ground: str) -> Look:
        """Of a mechanism that is mounted on another."""
        return replace(self, on=mount if self.on == ground else prefix + self.on)


def check_looks(model: Model) -> None:
    for look in model.looks:
        if not isinstance(look, Look):
            raise InputError(f"looks has {look!r}; expected linkwright.model.Look('body', 'sphere', size=(0.1,))")
        model.body_of(look.on)
