"""Vertices of mesh files, and the convex hull of many points by few of them."""

from .convex_hull import HULL_POINTS, hull_points
from .mesh_files import read_vertices
from .mesh_hull import hull

__all__ = ["HULL_POINTS", "hull", "hull_points", "read_vertices"]
