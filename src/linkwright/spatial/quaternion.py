"""Unit quaternions x, y, z, w and the exponential maps of rotations and rigid motions."""

from __future__ import annotations

from collections.abc import Sequence

from ..scalar import Scalar, atan2, cos, sin, sqrt, where
from .matrix import Matrix
from .vector import Vector

Quaternion = Sequence[Scalar]

# Below this squared angle sin(t)/t and friends are replaced by their series, whose next term is under 1e-18.
_SMALL_ANGLE_SQUARED = 1e-8


def rotation_matrix(q: Quaternion) -> Matrix:
    """Maps body coordinates to the reference's; of the rotation that a quaternion of any length stands for. That of
    length zero stands for none: all entries are then nan."""
    return _matrix(q, 2.0 / squared_length(q))


def rotation_matrix_of_unit(q: Quaternion) -> Matrix:
    """The same of a quaternion that has just been normalised."""
    return _matrix(q, 2.0)


def squared_length(q: Quaternion) -> Scalar:
    return q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]


def _matrix(q: Quaternion, twice: Scalar) -> Matrix:
    """`twice` is 2 over the squared length."""
    x, y, z, w = q
    x2, y2, z2 = x * twice, y * twice, z * twice
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return Matrix(
        (
            (1.0 - (yy + zz), xy - wz, xz + wy),
            (xy + wz, 1.0 - (xx + zz), yz - wx),
            (xz - wy, yz + wx, 1.0 - (xx + yy)),
        )
    )


def product(p: Quaternion, q: Quaternion) -> list[Scalar]:
    a, b = Vector(*p[:3]), Vector(*q[:3])
    v = b * p[3] + a * q[3] + a.cross(b)
    return [*v, p[3] * q[3] - a @ b]


def conjugate(q: Quaternion) -> list[Scalar]:
    return [-q[0], -q[1], -q[2], q[3]]


def normalised(q: Quaternion) -> list[Scalar]:
    scale = 1.0 / sqrt(squared_length(q))
    return [x * scale for x in q]


def exponential(r: Vector) -> list[Scalar]:
    """The quaternion of the rotation by |r| about r."""
    square = r @ r
    small = square < _SMALL_ANGLE_SQUARED
    angle = sqrt(where(small, 1.0, square))
    half_sinc = where(small, 0.5 - square * (1.0 / 48.0), sin(angle * 0.5) / angle)
    return [*(r * half_sinc), where(small, 1.0 - square * 0.125, cos(angle * 0.5))]


def logarithm(q: Quaternion) -> Vector:
    """The rotation vector of a quaternion of any length but zero, shortest way round."""
    v = Vector(*q[:3])
    sign = where(q[3] < 0.0, -1.0, 1.0)
    square = v @ v
    small = square < (square + q[3] * q[3]) * _SMALL_ANGLE_SQUARED
    norm = sqrt(where(small, 1.0, square))
    w = q[3] * sign
    cosine = where(small, w, 1.0)
    # 2 atan(|v|/w)/|v| = 2/w (1 - (|v|/w)^2/3 + ...)
    series = (2.0 - (2.0 / 3.0) * square / (cosine * cosine)) / cosine
    return v * (sign * where(small, series, 2.0 * atan2(norm, w) / norm))


def _coefficients(square: Scalar):
    """b = (1 - cos t)/t^2 and c = (t - sin t)/t^3 of the rotation angle t."""
    small = square < _SMALL_ANGLE_SQUARED
    angle = sqrt(where(small, 1.0, square))
    half = sin(angle * 0.5) / angle
    b = where(small, 0.5 - square * (1.0 / 24.0), 2.0 * half * half)
    safe = where(small, 1.0, square)
    c = where(small, 1.0 / 6.0 - square * (1.0 / 120.0), (1.0 - sin(angle) / angle) / safe)
    return b, c


def rigid_displacement(linear: Vector, angular: Vector) -> Vector:
    """Translation of the screw motion exp([linear; angular]), in the frame it starts from."""
    b, c = _coefficients(angular @ angular)
    turned = angular.cross(linear)
    return linear + turned * b + angular.cross(turned) * c


def rigid_displacement_inverse(displacement: Vector, angular: Vector) -> Vector:
    """The linear velocity that `rigid_displacement` turns into the given displacement."""
    square = angular @ angular
    small = square < _SMALL_ANGLE_SQUARED
    angle = sqrt(where(small, 1.0, square))
    safe = where(small, 1.0, square)
    # (1 - (t/2) cot(t/2)) / t^2
    half = angle * 0.5
    coefficient = where(small, 1.0 / 12.0 + square * (1.0 / 720.0), (1.0 - half * cos(half) / sin(half)) / safe)
    turned = angular.cross(displacement)
    return displacement - turned * 0.5 + angular.cross(turned) * coefficient
