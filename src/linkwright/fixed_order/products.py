"""Products and lengths, added up from the first term to the last."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

# Squares of numbers between these neither overflow nor vanish.
_SMALLEST_SQUARED, _LARGEST_SQUARED = 1e-100, 1e100


def dot(a: Iterable[float], b: Iterable[float]) -> float:
    total = 0.0
    for x, y in zip(_floats(a), _floats(b), strict=True):
        total += x * y
    return total


def norm(a: Iterable[float]) -> float:
    """Length of a vector, also of one whose squares overflow."""
    values = _floats(a)
    largest = max(map(abs, values), default=0.0)
    if largest == 0.0 or _SMALLEST_SQUARED < largest < _LARGEST_SQUARED:
        return math.sqrt(dot(values, values))
    if not math.isfinite(largest):
        return largest
    scale = 2.0 ** (math.frexp(largest)[1] - 1)  # a power of two, by which division is exact
    return norm([x / scale for x in values]) * scale


def unit(a: Iterable[float]) -> np.ndarray:
    """The vector over its length."""
    return np.array(_floats(a)) / norm(a)


def product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """A B, where either may also be a vector: what `A @ B` means."""
    A, B = np.asarray(A, dtype=float), np.asarray(B, dtype=float)
    if A.shape == B.shape == (3, 3):
        (a, b, c), (d, e, f), (g, h, i) = B.tolist()
        return np.array(
            [[x * a + y * d + z * g, x * b + y * e + z * h, x * c + y * f + z * i] for x, y, z in A.tolist()]
        )
    if A.shape == (3, 3) and B.shape == (3,):
        x, y, z = B.tolist()
        return np.array([a * x + b * y + c * z for a, b, c in A.tolist()])
    if A.ndim == 1:
        return product(A[None], B)[0]
    if B.ndim == 1:
        return product(A, B[:, None])[:, 0]
    # NumPy's own loops multiply and add one after the other, with every processor in the same order
    return np.add.reduce(A[:, :, None] * B[None], axis=1)


def determinant(A: np.ndarray) -> float:
    """Of a 3x3 matrix."""
    (a, b, c), (d, e, f), (g, h, i) = np.asarray(A, dtype=float).tolist()
    return a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)


def _floats(values: Iterable[float]) -> list[float]:
    return values.tolist() if isinstance(values, np.ndarray) else [float(x) for x in values]
