"""Transforms between frames, kept as short sequences of elementary displacements.

A `Transform` leads from a parent frame to a child frame. Rotation and translation stay apart, and a joint is applied
as *constant placement, then rotation about a coordinate axis*: a `Turn` costs 4 multiplications per vector where a
general matrix costs 9, and its effect on a symmetric matrix needs 4 where two matrix products need 18.
"""

from __future__ import annotations

from typing import Protocol

from ..scalar import Scalar
from .matrix import Matrix, Symmetric, sum_of
from .motion import Force, Motion
from .vector import Vector


class Rotation(Protocol):
    """What a rotating step offers; `down` maps coordinates from the parent to the child, `up` back."""

    def down(self, v: Vector) -> Vector: ...
    def up(self, v: Vector) -> Vector: ...
    def up_symmetric(self, A: Symmetric) -> Symmetric: ...
    def up_matrix(self, A: Matrix) -> Matrix: ...


class Turn:
    """Rotation by an angle with cosine c and sine s about coordinate axis k (0, 1 or 2)."""

    __slots__ = ("c", "i", "j", "k", "s")

    def __init__(self, k: int, c: Scalar, s: Scalar):
        self.k, self.i, self.j = k, (k + 1) % 3, (k + 2) % 3
        self.c, self.s = c, s

    def down(self, v: Vector) -> Vector:
        x, y = v[self.i], v[self.j]
        return self._placed(self.c * x + self.s * y, self.c * y - self.s * x, v[self.k])

    def up(self, v: Vector) -> Vector:
        x, y = v[self.i], v[self.j]
        return self._placed(self.c * x - self.s * y, self.s * x + self.c * y, v[self.k])

    def _placed(self, x, y, z) -> Vector:
        """The vector with these coordinates along axes i, j and k."""
        if self.k == 2:
            return Vector(x, y, z)
        return Vector(z, x, y) if self.k == 0 else Vector(y, z, x)

    def up_matrix(self, A: Matrix | Symmetric) -> Matrix:
        """R A R'. In the turned plane the trace and the skew part stay, so one intermediate t does it:
        a' = a - s t, d' = d + s t, b' = c t - e, e' = c t - b for the block [[a, b], [e, d]].
        """
        i, j, k, c, s = self.i, self.j, self.k, self.c, self.s
        a, b, e, d = A[i, i], A[i, j], A[j, i], A[j, j]
        t = s * (a - d) + c * (b + e)
        st, ct = s * t, c * t
        entries = {
            (i, i): a - st, (j, j): d + st, (i, j): ct - e, (j, i): ct - b, (k, k): A[k, k],
            (i, k): c * A[i, k] - s * A[j, k], (j, k): s * A[i, k] + c * A[j, k],
            (k, i): c * A[k, i] - s * A[k, j], (k, j): s * A[k, i] + c * A[k, j],
        }  # fmt: skip
        return Matrix([[entries[r, col] for col in range(3)] for r in range(3)])

    def up_symmetric(self, A: Symmetric) -> Symmetric:
        turned = self.up_matrix(A)  # equal entries are equal expressions, so nothing is computed twice
        return Symmetric.from_function(lambda r, s: turned[r, s] if r <= s else turned[s, r])


class Rotate:
    """Rotation by a matrix R that maps child coordinates to the parent's (spherical joints, axis permutations)."""

    __slots__ = ("R",)

    def __init__(self, R: Matrix):
        self.R = R

    def down(self, v: Vector) -> Vector:
        return self.R.T @ v

    def up(self, v: Vector) -> Vector:
        return self.R @ v

    def up_matrix(self, A) -> Matrix:
        return self.R @ A @ self.R.T if isinstance(A, Matrix) else self.R @ _as_matrix(A) @ self.R.T

    def up_symmetric(self, A: Symmetric) -> Symmetric:
        RA = self.R @ _as_matrix(A)
        return Symmetric.from_function(lambda r, s: sum_of(RA[r, k] * self.R[s, k] for k in range(3)))


class Shift:
    """Translation of the origin by p, in the coordinates reached so far."""

    __slots__ = ("p",)

    def __init__(self, p: Vector):
        self.p = p


class Transform:
    """Steps from the parent's frame to the child's. `X @ m` maps a motion to the child, `X.T @ f` a force back."""

    __slots__ = ("steps",)

    def __init__(self, *steps: Turn | Rotate | Shift):
        self.steps = steps

    def then(self, other: Transform) -> Transform:
        return Transform(*self.steps, *other.steps)

    def __matmul__(self, m: Motion) -> Motion:
        for step in self.steps:
            if isinstance(step, Shift):
                m = Motion(m.angular, m.linear + m.angular.cross(step.p))
            else:
                m = Motion(step.down(m.angular), step.down(m.linear))
        return m

    @property
    def T(self) -> TransposedTransform:
        return TransposedTransform(self)

    def rotate(self, v: Vector) -> Vector:
        """A free vector's coordinates in the child's frame."""
        for step in self.steps:
            if not isinstance(step, Shift):
                v = step.down(v)
        return v

    def rotate_back(self, v: Vector) -> Vector:
        """A free vector's coordinates in the parent's frame."""
        for step in reversed(self.steps):
            if not isinstance(step, Shift):
                v = step.up(v)
        return v

    def locate(self, point: Vector) -> Vector:
        """A point given in the child's frame, in the parent's."""
        for step in reversed(self.steps):
            point = step.p + point if isinstance(step, Shift) else step.up(point)
        return point

    def congruence(self, inertia):
        """X' I X: the inertia (rigid or articulated) seen from the parent."""
        for step in reversed(self.steps):
            inertia = inertia.shifted(step.p) if isinstance(step, Shift) else inertia.turned(step)
        return inertia


class TransposedTransform:
    __slots__ = ("X",)

    def __init__(self, X: Transform):
        self.X = X

    def __matmul__(self, f: Force) -> Force:
        for step in reversed(self.X.steps):
            if isinstance(step, Shift):
                f = Force(f.angular + step.p.cross(f.linear), f.linear)
            else:
                f = Force(step.up(f.angular), step.up(f.linear))
        return f


def _as_matrix(A: Symmetric) -> Matrix:
    return Matrix([[A[r, s] for s in range(3)] for r in range(3)])
