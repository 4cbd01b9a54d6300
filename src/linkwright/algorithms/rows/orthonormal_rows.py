"""An orthonormal basis of rows, by Gram and Schmidt's method, for numbers and for symbols."""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar, reciprocal, sqrt, where
from ...spatial import dot


class OrthonormalRows:
    """Of rows H, in their order:

    Q         orthonormal rows that span those of H; zeros in place of those that depend on others: less than the share
              `smallest` of their length is left when these are taken from them
    inverse   lower triangle with Q = inverse H
    """

    def __init__(self, H: Sequence[Sequence[Scalar]], smallest: float):
        self.Q: list[list[Scalar]] = []
        self.inverse: list[list[Scalar]] = []
        for k, row in enumerate(H):
            left, made = list(row), [float(k == c) for c in range(len(H))]
            for q, of in zip(self.Q, self.inverse, strict=True):
                share = dot(q, left)
                left = [x - share * y for x, y in zip(left, q, strict=True)]
                made = [x - share * y for x, y in zip(made, of, strict=True)]
            length = dot(left, left)
            counts = length > smallest**2 * dot(row, row)
            scale = where(counts, reciprocal(sqrt(length)), 0.0)
            self.Q.append([x * scale for x in left])
            self.inverse.append([x * scale for x in made])

    @property
    def columns(self) -> list[tuple[Scalar, ...]]:
        """Of Q."""
        return list(zip(*self.Q, strict=True))
