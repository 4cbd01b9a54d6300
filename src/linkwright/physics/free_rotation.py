"""A body that turns freely, by turns about its own axes ([Touma1994]).

With angular momentum L along fixed axes and principal moments d, its kinetic energy is that of a symmetric body, which
turns exactly about L and about its own axis of symmetry, and a rest that is turns about the two other axes. Composed
symmetrically the error is of third order in the time, and none for a symmetric body; L stays what it is.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..scalar import Scalar, cos, is_zero, sin
from ..spatial import Vector
from ..spatial.quaternion import conjugate, exponential, normalised, product, rotation_matrix


class FreeRotation:
    """`axes` is the quaternion from the principal axes to those that `turned` speaks of, `moments` those about the
    principal axes (kg m^2), of which the first two are closest to one another."""

    def __init__(self, axes: Sequence[float], moments: Sequence[float]):
        self._axes, self._back = list(axes), conjugate(axes)
        first, second, third = moments
        self._about_momentum = 0.5 * (1.0 / first + 1.0 / second)
        self._about_axes = [0.5 * (1.0 / first - self._about_momentum), 0.5 * (1.0 / second - self._about_momentum)]
        self._about_symmetry = 1.0 / third - self._about_momentum

    def turned(self, q: Sequence[Scalar], way: Vector) -> list[Scalar]:
        """Where the body gets that is turned by the quaternion q, body to parent; `way` is its angular momentum along
        the parent's axes times the time (N m s^2)."""
        now = product(q, self._axes)
        L = rotation_matrix(now).T @ way  # along the principal axes
        for k in (0, 1):
            now, L = _about(k, self._about_axes[k], now, L)
        now, L = _about(2, self._about_symmetry, now, L)
        now = product(exponential(way * self._about_momentum), now)  # which leaves L where it is, for the body too
        for k in (1, 0):
            now, L = _about(k, self._about_axes[k], now, L)
        return normalised(product(now, self._back))


def _about(k: int, rate: float, q: list[Scalar], L: Vector) -> tuple[list[Scalar], Vector]:
    """(q, L along the body's axes) after a turn about its axis k by `rate` times what L has along it."""
    if is_zero(rate):
        return q, L
    angle = L[k] * rate
    c, s = cos(angle * 0.5), sin(angle * 0.5)
    i, j = (k + 1) % 3, (k + 2) % 3
    x: list[Scalar] = [0.0] * 4
    # q times [s e_k, c]
    x[k], x[i], x[j], x[3] = q[k] * c + q[3] * s, q[i] * c + q[j] * s, q[j] * c - q[i] * s, q[3] * c - q[k] * s
    C, S = c * c - s * s, (c * s) * 2.0
    along = [L.x, L.y, L.z]
    along[i], along[j] = L[i] * C + L[j] * S, L[j] * C - L[i] * S
    return x, Vector(*along)
