"""Shapes that can touch: where they sit, how large they are, what their surface is like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...call_errors import names_arguments
from ...errors import ModelError, unknown_name
from ...scalar import Numbers
from ..pose import Pose, PoseLike, finite_array, real_array
from .naming import refused_as_of
from .softness import Softness
from .surface import Surface

# In MuJoCo's order, which says whose normal a contact has; how many numbers a size has.
SIZES = {
    "plane": 0, "sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3, "convex": 0, "mesh": 1,
    "height_field": 1,
}  # fmt: skip
KINDS = tuple(SIZES)
UNCOMPUTED = ("mesh", "height_field")  # kinds whose contact nobody computes: they are there to be watched
_OF_POINTS = ("convex", *UNCOMPUTED)
_MOST_POINTS = 1000


@dataclass(frozen=True, eq=False)
class Shape:
    """Made by `sphere`, `capsule`, `box`, `cylinder`, `ellipsoid`, `convex` and `plane`; readers of files also make
    meshes and height fields, whose contact is not computed: they are watched.

    on         the body or frame it is fixed to
    size       sphere: radius; capsule and cylinder (along z): radius, half the length; box and ellipsoid: half the
               extents. A plane is z = 0 of its own frame, free above. Mesh and height field: by how much at most they
               are outside of the hull of their points
    points     corners of a convex shape; of a mesh or a height field some of its hull's
    inverse_weight   how easily it is moved there, in 1/kg, if the file says; the law scales by it. Else it is computed.
    """

    name: str
    kind: str
    on: str
    size: tuple[float, ...] = ()
    placement: Pose = field(default_factory=Pose.identity)
    surface: Surface = field(default_factory=Surface)
    points: tuple[tuple[float, ...], ...] = ()
    inverse_weight: float | None = None

    def __post_init__(self):
        for what in ("name", "on"):
            if not isinstance(getattr(self, what), str) or not getattr(self, what):
                raise ModelError(f"{what!r} of a shape is {getattr(self, what)!r}; expected a non-empty string")
        if self.kind not in SIZES:
            raise ModelError(f"shape {self.name!r}: {unknown_name('kind of shape', self.kind, SIZES)}")
        size = finite_array(self.size, (SIZES[self.kind],), f"size of {self.kind} {self.name!r}")
        if np.any(size <= 0.0):
            raise ModelError(f"size of {self.kind} {self.name!r} is {size.tolist()}; every number must be positive")
        object.__setattr__(self, "size", tuple(size.tolist()))
        object.__setattr__(self, "points", self._checked_points())
        if self.inverse_weight is not None:
            weight = float(finite_array(self.inverse_weight, (), f"inverse weight of shape {self.name!r}"))
            if weight < 0.0:
                raise ModelError(f"inverse weight of shape {self.name!r} is {weight:g}; must not be negative")
            object.__setattr__(self, "inverse_weight", weight)

    def _checked_points(self) -> tuple[tuple[float, ...], ...]:
        if self.kind not in _OF_POINTS:
            if len(self.points):
                raise ModelError(f"{self.kind} {self.name!r} was given points; only a convex shape has them")
            return ()
        try:
            points = real_array(self.points)
        except (TypeError, ValueError):
            raise ModelError(
                f"{self.kind} {self.name!r} has points {self.points!r:.200}; expected (n, 3) numbers"
            ) from None
        if points.ndim != 2 or points.shape[1] != 3 or not 1 <= len(points) <= _MOST_POINTS:
            raise ModelError(
                f"{self.kind} {self.name!r} has points of shape {points.shape}; expected (n, 3), n from 1 to "
                f"{_MOST_POINTS}"
            )
        return tuple(map(tuple, finite_array(points, points.shape, f"points of {self.kind} {self.name!r}").tolist()))

    @property
    def rank(self) -> int:
        return KINDS.index(self.kind)

    @property
    def thickness(self) -> float:
        """m, where it is thinnest: what is that deep in something is all but swallowed. Of corners, how far they are
        spread; a plane has no end."""
        if self.points:
            return float(np.ptp(np.array(self.points), axis=0).max())
        return 2.0 * min(self.size, default=float("inf"))

    def renamed(self, prefix: str, ground: str, ground_name: str) -> Shape:
        return replace(self, name=prefix + self.name, on=ground if self.on == ground_name else prefix + self.on)


def _shape(kind: str, on: str, size, at: PoseLike, name: str | None, points=(), **surface: Any) -> Shape:
    label = f"{on}/{kind}" if name is None else name
    solref, solimp = surface.pop("solref", None), surface.pop("solimp", None)
    unknown = set(surface) - set(Surface.__dataclass_fields__)
    if unknown:
        known = [*(n for n in Surface.__dataclass_fields__ if n != "softness"), "solref", "solimp"]
        raise unknown_name("property of a shape", sorted(unknown)[0], known)
    given = {key: value for key, value in surface.items() if value is not None}
    with refused_as_of(f"{kind} {label!r}"):
        softness = Softness(
            Softness().solref if solref is None else solref, Softness().solimp if solimp is None else solimp
        )
        whole = Surface(softness=softness, **given)
    return Shape(label, kind, on, size, Pose.of(at).snapped(), whole, points)


@names_arguments
def sphere(on: str, radius: float, *, at: PoseLike = None, name: str | None = None, **surface: Any) -> Shape:
    """A ball of `radius` m on the body or frame `on`, its centre `at` a pose there. Further arguments are those of a
    surface: friction, condim, solref, solimp, margin, priority, solmix, contype, conaffinity, as in MuJoCo.
    """
    return _shape("sphere", on, (radius,), at, name, **surface)


@names_arguments
def capsule(
    on: str, radius: float, length: float, *, at: PoseLike = None, name: str | None = None, **surface: Any
) -> Shape:
    """A cylinder along z of the frame `at`, with half balls on its ends; its `radius` and `length` in m."""
    return _shape("capsule", on, (radius, _half(length, "capsule")), at, name, **surface)


@names_arguments
def cylinder(
    on: str, radius: float, length: float, *, at: PoseLike = None, name: str | None = None, **surface: Any
) -> Shape:
    """A cylinder along z of the frame `at`; `radius` and `length` in m."""
    return _shape("cylinder", on, (radius, _half(length, "cylinder")), at, name, **surface)


@names_arguments
def box(
    on: str, extents: Numbers, *, at: PoseLike = None, name: str | None = None, **surface: Any
) -> Shape:
    """A box with its centre `at` a pose on the body or frame `on`; `extents` (3,): whole lengths along x, y, z in m."""
    half = finite_array(extents, (3,), f"extents of a box on {on!r}") * 0.5
    return _shape("box", on, tuple(half), at, name, **surface)


@names_arguments
def ellipsoid(
    on: str, radii: Numbers, *, at: PoseLike = None, name: str | None = None, **surface: Any
) -> Shape:
    """Half lengths `radii` (3,) in m along x, y, z of the frame `at`."""
    return _shape("ellipsoid", on, radii, at, name, **surface)


@names_arguments
def convex(
    on: str, points: Sequence[Numbers], *, at: PoseLike = None, name: str | None = None, **surface: Any
) -> Shape:
    """The convex hull of points (k, 3), in m in the frame `at`; each is a candidate for contact with planes."""
    return _shape("convex", on, (), at, name, points, **surface)


@names_arguments
def plane(on: str = "world", *, at: PoseLike = None, name: str | None = None, **surface: Any) -> Shape:
    """z = 0 of the frame `at`, on the ground; everything above it is free."""
    return _shape("plane", on, (), at, name, **surface)


def _half(length: float, what: str) -> float:
    return float(finite_array(length, (), f"length of a {what}")) * 0.5
