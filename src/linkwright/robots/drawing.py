"""Mechanisms drawn in a closed pose.

Everything is given in world coordinates as it is when the loops are closed, and every frame is parallel to the world's
there. So the pose as drawn is q = neutral, and the loops close in it by construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from ..model import GROUND, Inertia, Joint, Model, ModelBuilder
from ..model.constraint import Constraint
from .checks import positive

Point = Sequence[float]  # x, y, z
DENSITY = 1.0  # kilograms per metre of a bar
THICKNESS = 0.02  # metres, of its square section


class Drawing:
    """A builder that is told where things are, not how they sit on one another."""

    def __init__(self, name: str, *, density: float = DENSITY, thickness: float = THICKNESS):
        self.density, self.thickness = positive("density", density), positive("thickness", thickness)
        self._builder = ModelBuilder(name)
        self._origins = {GROUND: np.zeros(3)}
        self._constraints: list[Constraint] = []

    def add(
        self, name: str, joint: Joint, at: Point, *, parent: str = GROUND, bars: Iterable[tuple[Point, Point]] = (),
        inertia: Inertia | None = None,
    ) -> str:  # fmt: skip
        """A body whose joint is at a point, made of bars between points, and of `inertia` in its own frame."""
        origin = np.array(at, dtype=float)
        mass = Inertia.zero() if inertia is None else inertia
        for begin, end in bars:
            mass = mass + self.bar(np.subtract(begin, origin), np.subtract(end, origin))
        self._builder.add_body(name, joint, parent=parent, placement=origin - self._origins[parent], inertia=mass)
        self._origins[name] = origin
        return name

    def mark(self, name: str, body: str, at: Point) -> str:
        """A frame on a body."""
        return self._builder.add_frame(name, body, np.array(at, dtype=float) - self._origins[body])

    def marks(self, name: str, first: str, second: str, at: Point) -> tuple[str, str]:
        """Frames on two bodies at the place where they meet."""
        return self.mark(f"{name}_on_{first}", first, at), self.mark(f"{name}_on_{second}", second, at)

    def hold(self, constraint: Constraint) -> None:
        self._constraints.append(constraint)

    def build(self) -> Model:
        return self._builder.build().with_constraints(*self._constraints)

    def bar(self, begin: Point, end: Point) -> Inertia:
        return bar(begin, end, self.density, self.thickness)


def bar(begin: Point, end: Point, density: float, thickness: float) -> Inertia:
    """A straight bar of square section."""
    along = np.subtract(end, begin)
    length = float(np.linalg.norm(along))
    mass = density * length
    u = along / length
    across, about = mass * (length**2 + thickness**2) / 12, mass * thickness**2 / 6
    return Inertia(mass, np.add(begin, end) / 2, across * np.eye(3) + (about - across) * np.outer(u, u))
