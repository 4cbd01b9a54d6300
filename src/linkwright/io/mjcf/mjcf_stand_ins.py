"""Geoms made of meshes and height fields, whose contact is not computed: boxes in their place, so that MuJoCo need not
read meshes, and the corners by which they are watched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from ...errors import LinkwrightError, LoadError
from ...model import Pose
from ..meshes.mesh_corners import Corners, corners_of
from ..meshes.mesh_files import read_vertices
from ..text.xml import Element
from ..text.xml_values import shortened, vector
from .mjcf_defaults import Defaults

Find = Callable[[Element], Path]
"""The file of a <mesh>; raises `LoadError` where there is none."""
_BOX = "0.001"  # half a side (m), of a geom that only says where it is and whom it may touch


@dataclass
class StandIns:
    """Corners of what stands in for geoms that a MuJoCo model is compiled without.

    shapes   kind of shape, and corners in the geom's frame; a geom's `user` is its number, from 1 on
    """

    shapes: list[tuple[str, Corners]] = field(default_factory=list)

    def put_in(self, geom: Element, kind: str, corners: Corners) -> None:
        self.shapes.append((kind, corners))
        for name in ("mesh", "hfield", "fitscale", "fromto", "density", "fluidshape", "shellinertia"):
            geom.attributes.pop(name, None)
        geom.attributes.update(type="box", size=" ".join([_BOX] * 3), mass="0", user=str(len(self.shapes)))


class MeshCorners:
    """Of the assets of a file, by name."""

    def __init__(self, root: Element, find: Find):
        self._find, self._defaults = find, Defaults(root, "mesh", ("scale",))
        self._assets: dict[tuple[str, str], Element] = {}
        for asset in (asset for section in root.named("asset") for asset in section):
            name = asset.attributes.get("name") or PurePosixPath(asset.attributes.get("file", "")).stem
            self._assets[asset.tag, name] = asset
        self._known: dict[str, Corners] = {}

    def of_mesh(self, name: str) -> Corners:
        """In the frame of a geom made of it; raises `LoadError` where it cannot be read."""
        if name not in self._known:
            asset = self._assets.get(("mesh", name))
            if asset is None:
                raise LoadError(f"mesh {shortened(name)!r} is not among the assets")
            self._known[name] = self._read(asset)
        return self._known[name]

    def of_height_field(self, name: str) -> Corners:
        """Of the box that all of it is in."""
        asset = self._assets.get(("hfield", name))
        if asset is None:
            raise LoadError(f"height field {shortened(name)!r} is not among the assets")
        try:
            x, y, up, down = (float(word) for word in asset.attributes.get("size", "").split())
        except ValueError:
            raise asset.error("size of a height field is not made of four numbers") from None
        points = [(sx * x, sy * y, z) for sx in (-1.0, 1.0) for sy in (-1.0, 1.0) for z in (-down, up)]
        return corners_of(np.array(points))

    def _read(self, asset: Element) -> Corners:
        if "builtin" in asset.attributes:
            raise asset.error("is built in, which is not read")
        if "vertex" in asset.attributes:
            words = asset.attributes["vertex"].split()
            try:
                points = np.array([float(word) for word in words]).reshape(-1, 3)
            except ValueError:
                raise asset.error(f"vertex has {len(words)} words; expected numbers, three for each vertex") from None
        else:
            points = read_vertices(self._find(asset))
        if not len(points) or not np.isfinite(points).all():
            raise asset.error("has no vertices, or some that are not finite")
        turned = [float(word) for word in asset.attributes.get("refquat", "1 0 0 0").split()]
        if len(turned) != 4:
            raise asset.error(f"refquat has {len(turned)} numbers; expected 4")
        own = Element("mesh", {**self._defaults.of(asset), **asset.attributes}, asset.file, asset.line)
        inner = Pose.from_quaternion(vector(own, "refpos", (0.0, 0.0, 0.0)), [*turned[1:], turned[0]]).inverse()
        x, y, z = points.T
        moved = np.stack([r[0] * x + r[1] * y + r[2] * z for r in inner.rotation], axis=1) + inner.translation
        return corners_of(moved * np.array(vector(own, "scale", (1.0, 1.0, 1.0))))


def corners_or_why(read: Callable[[], Corners]) -> tuple[Corners | None, str]:
    """What is read, or nothing and why not."""
    try:
        return read(), ""
    except (LinkwrightError, OSError, ValueError) as error:
        return None, str(error)[:300]


