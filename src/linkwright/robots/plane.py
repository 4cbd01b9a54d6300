"""Linkages in the vertical plane, x to the right and z up; angles are counter-clockwise, from x to z."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from ..errors import InputError, unknown_name
from ..model import GROUND, Inertia
from ..model.constraints import Constraint, close_with, connect, weld
from ..model.joint import prismatic, revolute
from ..scalar import Numbers
from .closed_drawing import ClosedDrawing

PlanePoint = Numbers  # x, z
NORMAL = "-y"  # about which angles in the plane are counter-clockwise

# How a pin between two bodies is written. Two rows are needed; the plane implies the others, so they are redundant.
CLOSURES = {
    "planar": lambda one, other, name: weld(one, other, name=name, directions="x z"),
    "point": lambda one, other, name: connect(one, other, name=name),
    "revolute": lambda one, other, name: close_with("revolute", one, other, axis=NORMAL, name=name),
}


class PlaneDrawing(ClosedDrawing):
    """Bodies that turn and slide in the plane, at a distance `y` from it, pinned together where they meet.

    closure  "planar": two rows a pin, independent; "point": three, of which one is redundant; "revolute": five, of
             which three are redundant
    """

    def __init__(self, name: str, *, closure: str = "planar", **material: float):
        super().__init__(name, **material)
        if closure not in CLOSURES:
            raise unknown_name("closure", closure, CLOSURES)
        self.closure, self.y = closure, 0.0

    def turning(self, name: str, at: PlanePoint, to: Iterable[PlanePoint], parent: str = GROUND) -> str:
        """A bar from its joint to a point, or a triangle of bars over two."""
        corners = [self.lifted(at), *map(self.lifted, to)]
        bars = list(pairwise(corners))
        if len(corners) > 2:
            bars.append((corners[-1], corners[0]))
        return self.add(name, revolute(f"{name}_joint", NORMAL), corners[0], parent=parent, bars=bars)

    def sliding(self, name: str, at: PlanePoint, axis: str, inertia: Inertia, parent: str = GROUND) -> str:
        return self.add(name, prismatic(f"{name}_joint", axis), self.lifted(at), parent=parent, inertia=inertia)

    def pin(self, name: str, first: str, second: str, at: PlanePoint) -> Constraint:
        constraint = CLOSURES[self.closure](*self.marks(name, first, second, self.lifted(at)), name)
        self.hold(constraint)
        return constraint

    def lifted(self, point: PlanePoint) -> np.ndarray:
        x, z = point
        return np.array([x, self.y, z])


def at_angle(start: PlanePoint, length: float, angle: float) -> np.ndarray:
    return np.add(start, (length * math.cos(angle), length * math.sin(angle)))


def beside(start: PlanePoint, end: PlanePoint, along: float, across: float) -> np.ndarray:
    """The point so far along the line from start to end, and so far to its left."""
    u = np.subtract(end, start) / math.dist(start, end)
    return np.add(start, along * u + across * np.array([-u[1], u[0]]))


def third_corner(
    p: PlanePoint, q: PlanePoint, from_p: float, from_q: float, *, left: bool, what: str
) -> np.ndarray:
    """Where bars of these lengths from p and q meet: to the left of the way from p to q, or to the right."""
    distance = math.dist(p, q)
    if not abs(from_p - from_q) < distance < from_p + from_q:
        raise InputError(
            f"{what} cannot be assembled: bars of {from_p:.6g} and {from_q:.6g} do not meet, their other ends being "
            f"{distance:.6g} apart; that must be between {abs(from_p - from_q):.6g} and {from_p + from_q:.6g}"
        )
    along = (distance**2 + from_p**2 - from_q**2) / (2 * distance)
    across = math.sqrt(from_p**2 - along**2)
    return beside(p, q, along, across if left else -across)
