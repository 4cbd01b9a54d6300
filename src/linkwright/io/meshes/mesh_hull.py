"""`linkwright.hull`: corners of a mesh file, for convex shapes."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...call_errors import names_arguments
from ...errors import InputError
from ...scalar import Numbers
from .convex_hull import hull_points
from .mesh_files import read_vertices


@names_arguments
def hull(mesh: str | Path | Numbers, *, scale: float | Numbers = 1.0, most: int = 32) -> np.ndarray:
    """(n, 3) corners of the convex hull of a mesh file (.stl, .obj) or of points, the outermost `most` of them.

    robot.with_shapes(linkwright.convex("foot", linkwright.hull("foot.stl", scale=0.001)))
    """
    factors = np.asarray(scale, dtype=float)
    if factors.shape not in ((), (3,)) or not np.isfinite(factors).all() or not factors.all():
        raise InputError(f"scale of a mesh is {scale!r}; expected a number, or one along each axis, none of them zero")
    points = read_vertices(mesh) if isinstance(mesh, str | Path) else np.asarray(mesh, dtype=float)
    if points.ndim != 2 or points.shape[1] != 3 or not len(points) or not np.isfinite(points).all():
        raise InputError(f"a hull was asked for of an array of shape {points.shape}; expected (n, 3) finite numbers")
    return hull_points(points * factors, most)[0]
