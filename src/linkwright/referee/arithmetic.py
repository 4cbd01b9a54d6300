"""Numbers of more digits than doubles have, and linear algebra that works on any of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import MissingExtraError

DIGITS = 50


@dataclass(frozen=True)
class Arithmetic:
    """What numbers are made of: a NumPy dtype, how to make one number, and three functions of numbers."""

    dtype: Any
    number: Callable
    sin: Callable
    cos: Callable
    sqrt: Callable

    def array(self, values) -> np.ndarray:
        values = np.asarray(values)
        if self.dtype is not object:
            return values.astype(self.dtype)
        result = np.empty(values.shape, dtype=self.dtype)
        for index in np.ndindex(*values.shape):
            result[index] = self.number(values[index])
        return result

    def zeros(self, *shape: int) -> np.ndarray:
        return self.array(np.zeros(shape))

    def eye(self, n: int) -> np.ndarray:
        return self.array(np.eye(n))


LONG = Arithmetic(np.longdouble, np.longdouble, np.sin, np.cos, np.sqrt)


def extended_arithmetic() -> Arithmetic:
    """mpmath's numbers; to be used within `mpmath.workdps(DIGITS)`."""
    mp = mpmath_module().mp
    return Arithmetic(object, lambda x: mp.mpf(float(x)) if isinstance(x, float | int | np.number) else +x,
                      mp.sin, mp.cos, mp.sqrt)  # fmt: skip


def mpmath_module():
    try:
        import mpmath
    except ImportError:
        raise MissingExtraError("mpmath", "test", "the referee with precision='extended'") from None
    return mpmath


# NumPy's own linear algebra is for doubles only.


def cholesky(A: Arithmetic, matrix: np.ndarray) -> np.ndarray:
    """Lower triangular C with C C' = matrix."""
    C = A.zeros(*matrix.shape)
    for c in range(len(C)):
        C[c, c] = A.sqrt(matrix[c, c] - C[c, :c] @ C[c, :c]) if c else A.sqrt(matrix[c, c])
        if c + 1 < len(C):
            C[c + 1 :, c] = (matrix[c + 1 :, c] - C[c + 1 :, :c] @ C[c, :c] if c else matrix[c + 1 :, c]) / C[c, c]
    return C


def forward_substitution(C: np.ndarray, b: np.ndarray) -> np.ndarray:
    """C^-1 b, for a vector or a matrix."""
    x = b.copy()
    for r in range(len(C)):
        x[r] = ((x[r] - C[r, :r] @ x[:r]) if r else x[r]) / C[r, r]
    return x


def backward_substitution(C: np.ndarray, b: np.ndarray) -> np.ndarray:
    """C'^-1 b."""
    x = b.copy()
    for r in reversed(range(len(C))):
        x[r] = ((x[r] - C[r + 1 :, r] @ x[r + 1 :]) if r + 1 < len(C) else x[r]) / C[r, r]
    return x
