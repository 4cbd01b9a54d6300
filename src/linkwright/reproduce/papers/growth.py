"""How counts grow: the order that a sequence of exact counts has, read off rather than estimated where possible."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from ...scalar import Numbers

_CLOSE = 0.2  # a slope within this distance of a whole number is taken for it


def fitted_order(sizes: Sequence[int], counts: Sequence[int]) -> tuple[int | None, bool]:
    """(order of growth of equally spaced counts, whether it is exact).

    A polynomial of degree p has constant p-th differences: where the last three agree, p is the order. Counts that
    ripple (every other joint turns about another axis) have the whole number next to their slope, if one is near.
    """
    steps = {b - a for a, b in pairwise(sizes)}
    if len(steps) != 1:
        raise ValueError(f"sizes {list(sizes)} are not equally spaced")
    differences = list(counts)
    for degree in range(len(counts) - 2):
        last = differences[-3:]
        if last[-1] > 0 and max(last) == min(last):
            return degree, True
        differences = [b - a for a, b in pairwise(differences)]
    rounded = round(slope(sizes, counts))
    return (rounded if abs(slope(sizes, counts) - rounded) < _CLOSE else None), False


def slope(sizes: Sequence[int], counts: Numbers) -> float:
    """Of the log-log line through the last two points."""
    return math.log(counts[-1] / counts[-2]) / math.log(sizes[-1] / sizes[-2])


def increments(sizes: Sequence[int], counts: Numbers) -> tuple[float, float]:
    """What one more of the size adds in the last but one interval and in the last one: equal if growth is linear."""
    rates = [(d - c) / (b - a) for a, b, c, d in zip(sizes, sizes[1:], counts, counts[1:], strict=False)]
    return rates[-2], rates[-1]


def crossing(sizes: Sequence[int], ours: Numbers, other: Numbers) -> int | None:
    """The first size from which on `ours` is below `other`."""
    below = [a < b for a, b in zip(ours, other, strict=True)]
    for k, size in enumerate(sizes):
        if all(below[k:]):
            return size
    return None
