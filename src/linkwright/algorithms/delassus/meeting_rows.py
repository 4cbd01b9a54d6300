"""Where constraints meet at a branching link: [Sathya2023] Algorithm 3, lines 25, 26, and which side moves there.

Two constraints on different branches meet at their closest common branching link. Either the rows of one are composed
inward to that link, lines 18-22, or, which is not in the paper, what the link's six rows feel of the other is carried
outward to the constraint. Rows on a branching link itself then keep their zeros to the end; which of both takes fewer
operations is found by counting (programs/moving_sides.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...scalar import Scalar
from ...spatial import Motion, dot
from .propagators import combination

if TYPE_CHECKING:
    from .bundles import Bundle
    from .pv_osimr import Branches, ComposedRows, Inverse

Row = list[Scalar]
MOVING = ("accelerations", "rows")
"""What moves where constraints meet: accelerations outward, or rows inward."""


@dataclass(frozen=True)
class Group:
    """Constraint rows `numbers`, or the six rows of a `link`. x' Omega y of two of them is x.half . y.other."""

    numbers: list[int]
    half: list[Row]
    other: list[Row]
    link: int = 0


class Meetings:
    """Entries of the Delassus matrix between constraints that meet at branching links."""

    def __init__(self, branches: Branches, rows: ComposedRows, Omega: Mapping[int, Inverse], moving: str):
        self._branches, self._rows, self._Omega, self._moving = branches, rows, Omega, moving

    def at(self, i: int) -> Iterator[tuple[int, int, Scalar]]:
        """(row, row, entry) of all pairs of constraint rows that come to link i from different sides."""
        met: list[Group] = []
        for bundle in self._branches.ends[i]:
            group = self._group(i, bundle)
            for others in met:
                yield from self._pairs(group, others)
            met.append(group)

    def _group(self, i: int, bundle: Bundle) -> Group:
        if not bundle.link or self._moving == "accelerations":
            return Group(bundle.numbers, bundle.half, bundle.other, bundle.link)
        numbers = self._branches.carried[bundle.link]
        half = [self._composed_half(i, bundle, r) for r in numbers]
        return Group(numbers, half, [self._Omega[i].other(h) for h in half])

    def _push(self, i: int, block: Sequence[Row]) -> dict[int, Row]:
        """From what link i's six rows feel of some forces (6 x c) to what the constraint rows beyond it feel."""
        felt: dict[int, Row] = {}
        for bundle in self._branches.ends[i]:
            if bundle.link:
                felt |= self._push(bundle.link, self._carried_out(i, bundle, block))
            else:
                felt |= {r: combination(self._rows.row(i, r), block) for r in bundle.numbers}
        return felt

    def _carried_out(self, i: int, bundle: Bundle, block: Sequence[Row]) -> list[Row]:
        """What the six rows of a bundle's link feel of forces, from what those of link i, where it ends, do."""
        if self._branches.goes_by_joints(i, bundle):
            columns = [bundle.outward(Motion.of(column)) for column in zip(*block, strict=True)]
            return [list(row) for row in zip(*columns, strict=True)]
        coordinates = self._branches.basis[i].coordinates
        return [combination(coordinates(row), block) for row in bundle.K]

    def _composed_half(self, i: int, bundle: Bundle, r: int) -> Row:
        """`half` of row r at link i: from the row there, which whatever it meets further inward needs, or directly."""
        if self._branches.inner[i]:
            return self._Omega[i].half(self._rows.row(i, r))
        return combination(self._rows.row(bundle.link, r), bundle.half)

    def _pairs(self, a: Group, b: Group) -> Iterator[tuple[int, int, Scalar]]:
        """(row, row, entry) of all pairs of constraint rows."""
        if (a.link and not b.link) or (a.link == b.link and len(a.half) < len(b.half)):
            a, b = b, a  # `other` may cost, so take it of link rows, where it is there already, or else of fewer rows
        block = [[dot(h, o) for o in b.other] for h in a.half]  # line 25
        of_a = self._push(a.link, block) if a.link else dict(zip(a.numbers, block, strict=True))
        for s, column in enumerate(zip(*of_a.values(), strict=True)) if not b.link else ():
            yield from ((r, b.numbers[s], x) for r, x in zip(of_a, column, strict=True))  # line 26: either way round
        if b.link:
            for s, row in self._push(b.link, [list(column) for column in zip(*of_a.values(), strict=True)]).items():
                yield from ((r, s, x) for r, x in zip(of_a, row, strict=True))
