"""What a step of resolving a cluster's loops offers."""

from __future__ import annotations

from collections.abc import Sequence

from ....scalar import Scalar

Row = dict[int, Scalar]  # velocity -> entry


class ResolvingStep:
    """Finds `unknown` velocities (indices into v), and the coordinates they belong to, from others.

    v_u = B v_known, dv_u/dt = B dv_known/dt + b; `q` and `v` are lists over the whole tree, complete as far as known.
    """

    unknown: tuple[int, ...]
    exact = True
    """Whether positions that it has found meet its constraints by themselves."""

    def solve_positions(self, q: list[Scalar]) -> None:
        """Fill in the unknown coordinates of q."""
        raise NotImplementedError

    def errors(self, q: Sequence[Scalar]) -> list[Scalar]:
        """By how much complete coordinates do not meet the constraints."""
        found = list(q)
        self.solve_positions(found)
        return [x - own for x, own in zip(found, q, strict=True) if x is not own]

    def solved_errors(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Those of them that it is there to make zero; rows that follow from these are as they are."""
        return self.errors(q)

    def slopes(self, q: Sequence[Scalar]) -> list[Row]:
        """B, a row per unknown."""
        raise NotImplementedError

    def bias(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> list[Scalar]:
        """b, at velocities that obey the constraints."""
        raise NotImplementedError

    def constraint_rows(self, q: Sequence[Scalar], v: Sequence[Scalar]) -> tuple[list[Row], list[Scalar]]:
        """(K, k) with K v = 0 and K dv/dt = k."""
        rows = [
            {u: 1.0, **{n: -x for n, x in row.items()}}
            for u, row in zip(self.unknown, self.slopes(q), strict=True)
        ]
        return rows, self.bias(q, v)

    def margins(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Numbers that are positive as long as the known coordinates determine the unknown ones well."""
        return []

    def branches(self, q: Sequence[Scalar]) -> list[Scalar]:
        """Numbers that are positive where positions that were solved for are on the branch asked for."""
        return []
