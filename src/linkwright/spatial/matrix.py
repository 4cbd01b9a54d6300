"""3x3 matrices: general, and symmetric ones that hold and compute each entry once."""

from __future__ import annotations

from collections.abc import Iterable

from ..scalar import Scalar, is_zero
from .vector import Vector


class Matrix:
    """A general 3x3 matrix, by rows."""

    __slots__ = ("rows",)

    def __init__(self, rows):
        self.rows = tuple([tuple(row) for row in rows])

    @classmethod
    def identity(cls) -> Matrix:
        return cls((Vector.unit(0), Vector.unit(1), Vector.unit(2)))

    @classmethod
    def cross(cls, v: Vector) -> Matrix:
        """The matrix of v x."""
        return cls(((0.0, -v.z, v.y), (v.z, 0.0, -v.x), (-v.y, v.x, 0.0)))

    def __getitem__(self, index: tuple[int, int]) -> Scalar:
        return self.rows[index[0]][index[1]]

    @property
    def T(self) -> Matrix:
        return Matrix(zip(*self.rows, strict=True))

    def __add__(self, other) -> Matrix:
        return Matrix([[row[s] + other[r, s] for s in range(3)] for r, row in enumerate(self.rows)])

    def __matmul__(self, other):
        if isinstance(other, Vector):
            x, y, z = other.x, other.y, other.z
            return Vector(*[a * x + b * y + c * z for a, b, c in self.rows])
        columns = [[other[k, s] for k in range(3)] for s in range(3)]
        return Matrix([[a * x + b * y + c * z for x, y, z in columns] for a, b, c in self.rows])


class Symmetric:
    """A symmetric 3x3 matrix: six numbers xx, xy, xz, yy, yz, zz."""

    __slots__ = ("entries",)

    def __init__(self, xx, xy, xz, yy, yz, zz):
        self.entries = (xx, xy, xz, yy, yz, zz)

    @classmethod
    def from_function(cls, entry) -> Symmetric:
        return cls(*[entry(r, s) for r in range(3) for s in range(r, 3)])

    @classmethod
    def diagonal(cls, x, y, z) -> Symmetric:
        return cls(x, 0.0, 0.0, y, 0.0, z)

    def __getitem__(self, index: tuple[int, int]) -> Scalar:
        return self.entries[_POSITION[index[0]][index[1]]]

    def __add__(self, other: Symmetric) -> Symmetric:
        return Symmetric(*[a + b for a, b in zip(self.entries, other.entries, strict=True)])

    def __sub__(self, other: Symmetric) -> Symmetric:
        return Symmetric(*[a - b for a, b in zip(self.entries, other.entries, strict=True)])

    def __mul__(self, s: Scalar) -> Symmetric:
        return Symmetric(*[a * s for a in self.entries])

    def __matmul__(self, v: Vector) -> Vector:
        xx, xy, xz, yy, yz, zz = self.entries
        x, y, z = v.x, v.y, v.z
        return Vector(xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z)

    @property
    def trace(self) -> Scalar:
        return self[0, 0] + self[1, 1] + self[2, 2]


_POSITION = ((0, 1, 2), (1, 3, 4), (2, 4, 5))


def sum_of(terms) -> Scalar:
    """Sum without starting from 0, so that no backend adds a zero."""
    terms = iter(terms)
    total = next(terms)
    for term in terms:
        total = total + term
    return total


def dot(a: Iterable[Scalar], b: Iterable[Scalar]) -> Scalar:
    """Sum of products in order, leaving out those known to be zero."""
    terms = [x * y for x, y in zip(a, b, strict=True) if not (is_zero(x) or is_zero(y))]
    return sum_of(terms) if terms else 0.0
