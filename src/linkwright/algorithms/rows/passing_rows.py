"""Constraint rows on their way to the ground: what passes each joint, and what it adds to the Delassus matrix.

[Sathya2024] eq. (42), [Sathya2023] sec. II-B. Rows are propagated as forces are; PV, BBO and the Delassus algorithms
all begin with them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar
from ...spatial import Force
from ..parts.articulation import Articulation
from .constraint_rows import constrained_bodies


class Passing:
    """The constraint rows that pass joint i on their way to the ground: which, K S and D^-1 (K S)' of each."""

    __slots__ = ("KS", "rows", "solved")

    def __init__(self, joint: Articulation, rows: Sequence[int], K: Sequence[Force]):
        self.rows = tuple(rows)
        self.KS = [joint.S.project(row) for row in K]
        self.solved = [joint.D.solve(ks) for ks in self.KS]


def propagate_rows(tree, sweep, joint: Sequence[Articulation], rows: Sequence[tuple[int, Force]]) -> dict[int, Passing]:
    """Carry rows (body, covector) to the ground; what passes each joint."""
    return propagate_terms(tree, sweep, joint, [[term] for term in rows])


def propagate_terms(
    tree, sweep, joint: Sequence[Articulation], rows: Sequence[Sequence[tuple[int, Force]]]
) -> dict[int, Passing]:
    """The same for rows on several bodies each: what arrives of a row from several children is added up."""
    arriving: dict[int, dict[int, Force]] = {i: {} for i in (0, *constrained_bodies(tree))}
    for r, terms in enumerate(rows):
        for body, row in terms:
            add_row(arriving[body], r, row)
    passing = {}
    for i in reversed(constrained_bodies(tree)):  # [Sathya2024] Algorithm 1
        numbers, K = zip(*sorted(arriving[i].items()), strict=True)
        passing[i] = through = Passing(joint[i], numbers, K)
        for r, row, solved in zip(numbers, K, through.solved, strict=True):
            # K P' is what the parent feels of a force K; along free directions exactly what the rotor holds back
            felt = joint[i].force_felt(row, -solved)
            add_row(arriving[tree.parent[i]], r, sweep.X[i].T @ felt)  # line 10
    return passing


def add_row(rows: dict[int, Force], r: int, row: Force) -> None:
    rows[r] = rows[r] + row if r in rows else row


def add_to_delassus(L: list[list[Scalar]], through: Passing) -> None:
    """L += K S D^-1 S' K' of one joint."""
    for a, r in enumerate(through.rows):
        for b, s in enumerate(through.rows[: a + 1]):
            L[r][s] = L[r][s] + through.KS[a] @ through.solved[b]  # line 11
            L[s][r] = L[r][s]
