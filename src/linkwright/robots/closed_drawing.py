"""Mechanisms drawn in a closed pose.

Everything is given in world coordinates as it is when the loops are closed, and every frame is parallel to the world's
there. So the pose as drawn is q = neutral, and the loops close in it by construction.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ..fixed_order import norm
from ..model import GROUND, Inertia, Joint, Model, ModelBuilder
from ..model.constraints import Constraint
from ..scalar import Numbers
from .checks import positive

Point = Numbers  # x, y, z
DENSITY = 1.0  # kilograms per metre of a bar
THICKNESS = 0.02  # metres, of its square section


@dataclass(frozen=True)
class _Body:
    name: str
    joint: Joint
    parent: str
    placement: np.ndarray
    inertia: Inertia


class ClosedDrawing:
    """A builder that is told where things are, not how they sit on one another, and numbers bodies depth first."""

    def __init__(self, name: str, *, density: float = DENSITY, thickness: float = THICKNESS):
        self.density, self.thickness = positive("density", density), positive("thickness", thickness)
        self.name = name
        self._origins = {GROUND: np.zeros(3)}
        self._bodies: list[_Body] = []
        self._frames: list[tuple[str, str, np.ndarray]] = []
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
        self._bodies.append(_Body(name, joint, parent, origin - self._origins[parent], mass))
        self._origins[name] = origin
        return name

    def mark(self, name: str, body: str, at: Point) -> str:
        """A frame on a body."""
        self._frames.append((name, body, np.array(at, dtype=float) - self._origins[body]))
        return name

    def marks(self, name: str, first: str, second: str, at: Point) -> tuple[str, str]:
        """Frames on two bodies at the place where they meet."""
        return self.mark(f"{name}_on_{first}", first, at), self.mark(f"{name}_on_{second}", second, at)

    def hold(self, constraint: Constraint) -> None:
        self._constraints.append(constraint)

    def build(self) -> Model:
        builder = ModelBuilder(self.name)
        children: dict[str, list[_Body]] = {}
        for body in reversed(self._bodies):
            children.setdefault(body.parent, []).append(body)
        waiting = children.get(GROUND, [])
        while waiting:
            body = waiting.pop()
            builder.add_body(
                body.name, body.joint, parent=body.parent, placement=body.placement, inertia=body.inertia
            )
            waiting += children.get(body.name, [])
        for frame in self._frames:
            builder.add_frame(*frame)
        return builder.build().with_constraints(*self._constraints)

    def bar(self, begin: Point, end: Point) -> Inertia:
        return bar(begin, end, self.density, self.thickness)


def bar(begin: Point, end: Point, density: float, thickness: float) -> Inertia:
    """A straight bar of square section."""
    along = np.subtract(end, begin)
    length = norm(along)
    mass = density * length
    u = along / length
    across, about = mass * (length**2 + thickness**2) / 12, mass * thickness**2 / 6
    return Inertia(mass, np.add(begin, end) / 2, across * np.eye(3) + (about - across) * np.outer(u, u))
