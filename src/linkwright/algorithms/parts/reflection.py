"""Householder reflections of a few rows, safe where there is nothing to reflect."""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, is_zero, maximum, sqrt, where
from ...spatial import sum_of

TINIEST = 1e-290  # squares below it are taken for zero


class Reflection:
    """The symmetric orthogonal matrix that maps ks to alpha and zeros ([Sathya2024] eq. 65); the identity at ks = 0.

    With its first row u = ks/alpha it is x -> (u'x, x_j + t_j (x_1 - u'x)), t = u/(1 - u_1): taking alpha's sign
    against ks_1's makes 1 - u_1 at least 1. Rows that have nothing to do with the joint stay out of it, so the first
    row is the first that has (remark 7).
    """

    __slots__ = ("alpha", "involved", "square", "t", "u")

    def __init__(self, ks: Sequence[Scalar]):
        self.involved = [j for j, x in enumerate(ks) if not is_zero(x)] or [0]
        if len(self.involved) == 1:
            self.alpha, self.u, self.t = ks[self.involved[0]], [1.0], [0.0]
            self.square = self.alpha * self.alpha
            return
        values = [ks[j] for j in self.involved]
        self.square = square = sum_of(x * x for x in values)
        scale = where(values[0] < 0.0, 1.0, -1.0) / sqrt(maximum(square, TINIEST))
        self.alpha = square * scale
        self.u = [x * scale for x in values]
        self.u[0] = where(square < TINIEST, -1.0, self.u[0])
        inverse = 1.0 / (1.0 - self.u[0])
        self.t = [x * inverse for x in self.u]

    def split(self, values: Sequence) -> tuple:
        """(the first of the reflected values, the others); for scalars and forces alike."""
        reflected = self._apply(values)
        return reflected.pop(self.involved[0]), reflected

    def join(self, first, others: Sequence) -> list:
        """What `split` was given, from what it returned."""
        pivot = self.involved[0]
        return self._apply([*others[:pivot], first, *others[pivot:]])

    def _apply(self, values: Sequence) -> list:
        result, pivot = list(values), self.involved[0]
        if len(self.involved) == 1:
            return result
        result[pivot] = first = sum_of(values[j] * x for j, x in zip(self.involved, self.u, strict=True))
        rest = values[pivot] - first
        for j, t in zip(self.involved[1:], self.t[1:], strict=True):
            result[j] = values[j] + rest * t
        return result
