"""The largest and the sum of many values, by halves: no value waits for all others (a single sample would feel it)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...scalar import Scalar, absolute, maximum


def largest(values: Sequence[Scalar]) -> Scalar:
    """In size."""
    return _halved([absolute(value) for value in values], maximum)


def total(values: Sequence[Scalar]) -> Scalar:
    return _halved(list(values), lambda p, q: p + q)


def _halved(left: list[Scalar], join: Callable[[Scalar, Scalar], Scalar]) -> Scalar:
    left = left or [0.0]
    while len(left) > 1:
        pairs = [join(p, q) for p, q in zip(left[::2], left[1::2], strict=False)]
        left = [*pairs, *left[2 * len(pairs) :]]
    return left[0]
