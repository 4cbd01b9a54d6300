"""Spatial motions and forces, angular part first as in the papers."""

from __future__ import annotations

from ..scalar import Scalar
from .vector import Vector


class _Spatial:
    __slots__ = ("angular", "linear")

    def __init__(self, angular: Vector, linear: Vector):
        self.angular, self.linear = angular, linear

    @classmethod
    def zero(cls):
        return cls(Vector.zero(), Vector.zero())

    @classmethod
    def of(cls, values):
        values = tuple(values)
        return cls(Vector(*values[:3]), Vector(*values[3:]))

    @classmethod
    def from_public(cls, values):
        """From the order users see, [linear; angular]."""
        values = tuple(values)
        return cls(Vector(*values[3:]), Vector(*values[:3]))

    def to_public(self) -> list[Scalar]:
        return [*self.linear, *self.angular]

    def __iter__(self):
        yield from self.angular
        yield from self.linear

    def __getitem__(self, k: int) -> Scalar:
        return self.angular[k] if k < 3 else self.linear[k - 3]

    def __add__(self, other):
        return type(self)(self.angular + other.angular, self.linear + other.linear)

    def __sub__(self, other):
        return type(self)(self.angular - other.angular, self.linear - other.linear)

    def __neg__(self):
        return type(self)(-self.angular, -self.linear)

    def __mul__(self, s: Scalar):
        return type(self)(self.angular * s, self.linear * s)

    __rmul__ = __mul__

    def dot(self, other) -> Scalar:
        """The scalar product of a motion and a force."""
        return self.angular @ other.angular + self.linear @ other.linear

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)})"


class Motion(_Spatial):
    """Velocity or acceleration of a body: angular, and linear at the frame's origin."""

    __slots__ = ()

    def cross(self, other):
        """v x m for a motion, v x* f for a force."""
        w, v = self.angular, self.linear
        if isinstance(other, Motion):
            return Motion(w.cross(other.angular), w.cross(other.linear) + v.cross(other.angular))
        return Force(w.cross(other.angular) + v.cross(other.linear), w.cross(other.linear))


class Force(_Spatial):
    """Wrench: moment about the frame's origin (angular) and force (linear)."""

    __slots__ = ()
