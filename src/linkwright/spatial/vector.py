"""Vectors of three scalars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..scalar import Scalar


class Vector:
    """x, y, z; `a @ b` is the dot product, `a.cross(b)` the cross product, `a * s` scales."""

    __slots__ = ("x", "y", "z")

    def __init__(self, x: Scalar, y: Scalar, z: Scalar):
        self.x, self.y, self.z = x, y, z

    @classmethod
    def of(cls, values: Iterable[Scalar]) -> Vector:
        return cls(*values)

    @classmethod
    def zero(cls) -> Vector:
        return cls(0.0, 0.0, 0.0)

    @classmethod
    def unit(cls, axis: int) -> Vector:
        return cls(*(1.0 if k == axis else 0.0 for k in range(3)))

    def __iter__(self) -> Iterator[Scalar]:
        yield self.x
        yield self.y
        yield self.z

    def __getitem__(self, k: int) -> Scalar:
        return (self.x, self.y, self.z)[k]

    def __add__(self, other: Vector) -> Vector:
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __sub__(self, other: Vector) -> Vector:
        return Vector(self.x - other.x, self.y - other.y, self.z - other.z)

    def __neg__(self) -> Vector:
        return Vector(-self.x, -self.y, -self.z)

    def __mul__(self, s: Scalar) -> Vector:
        return Vector(self.x * s, self.y * s, self.z * s)

    __rmul__ = __mul__

    def __matmul__(self, other: Vector) -> Scalar:
        return self.x * other.x + self.y * other.y + self.z * other.z

    def cross(self, other: Vector) -> Vector:
        return Vector(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )

    def __repr__(self) -> str:
        return f"Vector({self.x}, {self.y}, {self.z})"
