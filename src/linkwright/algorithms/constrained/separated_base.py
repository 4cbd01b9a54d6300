"""A floating base and what hangs on it, the multipliers eliminated before the base: [Sathya2024] eq. (49), (54).

H t + K' x = f and L_b x = K t + b: t is the acceleration of the base, x the multipliers. L_b is block-diagonal, a
block per branch of the base, so it is factored by blocks, and what is left is a system of six.

**Not in the paper**: L_b must be invertible for that, and at some poses it is not (a straight leg), although the
mechanism with its base is not singular. So of each block the weakest rows, one per constrained body, are not divided by
(`PartialLDL`) but put off until the base has been eliminated, which is how eq. (47) treats all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...scalar import Scalar
from ...spatial import LDL, dot
from ...spatial.partial_factorization import PartialLDL, most_doubtful, weakest_of


@dataclass(frozen=True)
class Block:
    """Rows of L_b that have nothing to do with the others; how many of them to put off; how far they usually move."""

    rows: Sequence[int]
    spare: int
    sizes: Sequence[Scalar]


class SeparatedBase:
    """`solve` returns (x, t, doubt). `weak`: where a pivot was, so that the matrix may be singular."""

    def __init__(
        self, L: Sequence[Sequence[Scalar]], K: Mapping[int, Sequence[Scalar]], H: Sequence[Sequence[Scalar]],
        blocks: Sequence[Block],
    ):  # fmt: skip
        n = len(H)
        self._blocks = [
            (b.rows, PartialLDL([[L[r][s] for s in b.rows] for r in b.rows], b.sizes, min(b.spare, len(b.rows))))
            for b in blocks
        ]
        base = [list(row) for row in H]
        self._strong: list[list[list[Scalar]]] = []  # C^-1 K of each block, by columns: rows eliminated
        late: list[list[Scalar]] = []  # and of all blocks, by rows: those put off
        for rows, factor in self._blocks:
            columns = [factor.forward([K[r][k] for r in rows]) for k in range(n)]
            half = [done for done, _ in columns]
            other = [factor.scaled(column) for column in half]
            for r in range(n):
                for s in range(r + 1):
                    base[r][s] = base[r][s] + dot(half[r], other[s])
            self._strong.append(half)
            late += map(list, zip(*(left for _, left in columns), strict=True))
        self._base = LDL(base)
        self._late = [self._base.forward(row) for row in late]
        self._last = PartialLDL(*self._matrix_of_late_rows(blocks), window=2)

    def _matrix_of_late_rows(self, blocks: Sequence[Block]) -> tuple[list[list[Scalar]], list[Scalar]]:
        """(R + K (H + ...)^-1 K', what its pivots are compared with)."""
        scaled = [self._base.scaled(row) for row in self._late]
        matrix = [[dot(a, b) for b in scaled[: r + 1]] for r, a in enumerate(self._late)]
        sizes, start = [], 0
        for block, (_, factor) in zip(blocks, self._blocks, strict=True):
            for r, row in enumerate(factor.R):
                for s in range(r + 1):
                    matrix[start + r][start + s] = matrix[start + r][start + s] + row[s]
                sizes.append(matrix[start + r][start + r] + min(block.sizes))
            start += len(factor.R)
        return matrix, sizes

    @property
    def pivots(self) -> list[Scalar]:
        """Of the base: positive in every solvable mechanism."""
        return self._base.pivots

    @property
    def weak(self) -> list[Scalar]:
        return [condition for _, factor in self._blocks for condition in factor.weak] + self._last.weak

    @property
    def weakest(self) -> Scalar:
        """The least pivot over its size."""
        return weakest_of([self._last, *(factor for _, factor in self._blocks)])

    def solve(
        self, b: Sequence[Scalar], f: Sequence[Scalar], weakest: float | None = None
    ) -> tuple[dict[int, Scalar], list[Scalar], Scalar]:
        right = [factor.forward([b[r] for r in rows]) for rows, factor in self._blocks]
        f = list(f)
        for (_, factor), half, (done, _) in zip(self._blocks, self._strong, right, strict=True):
            weighted = factor.scaled(done)
            f = [z - dot(column, weighted) for z, column in zip(f, half, strict=True)]
        g = self._base.forward(f)
        scaled = self._base.scaled(g)
        put_off = [z for _, left in right for z in left]
        put_off = [z + dot(row, scaled) for row, z in zip(self._late, put_off, strict=True)]
        last = self._last.scaled(self._last.forward(put_off)[0])
        doubt = most_doubtful(self._last, last, weakest=weakest)
        late = self._last.backward(last, [])
        for row, z in zip(self._late, late, strict=True):
            g = [a - k * z for a, k in zip(g, row, strict=True)]
        t = self._base.backward(self._base.scaled(g))  # eq. (49)

        x: dict[int, Scalar] = {}
        for (rows, factor), half, (done, left) in zip(self._blocks, self._strong, right, strict=True):
            moved = [z + dot(t, [column[r] for column in half]) for r, z in enumerate(done)]
            own = factor.scaled(moved)  # eq. (46)
            doubt = most_doubtful(factor, own, doubt, weakest)
            x.update(zip(rows, factor.backward(own, late[: len(left)]), strict=True))
            late = late[len(left) :]
        return x, t, doubt
