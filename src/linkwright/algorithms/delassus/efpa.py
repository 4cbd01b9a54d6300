"""EFPA, the extended force propagator algorithm: O(n + m d + m^2).

Wensing, Featherstone, Orin 2012, as [Sathya2023] Algorithm 2. Inward, every constraint row is carried to all bodies
that support it; outward, so is the acceleration that a unit force along the row causes. Two rows meet at their closest
common ancestor. Of a row on several bodies the parts are added up on the way inward; it meets another row wherever a
part of it comes from outside the other's support.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import Force, Motion, RowVector, sum_of
from ..rows.constraint_rows import constrained_bodies
from ..rows.passing_rows import add_row
from .propagators import Posture, articulated_joints, mirrored, pass_inward, pass_outward, terms_of_rows, zeros


def efpa(tree: Tree, q: Sequence[Scalar], *, active: Sequence[Scalar] | None = None) -> list[list[Scalar]]:
    """Lambda^-1, rows in constraint order. Rows and columns of inactive constraints are zero."""
    posture = Posture(tree, q)
    joint, _ = articulated_joints(tree, posture)
    rows, carriers = terms_of_rows(tree, posture, active), constrained_bodies(tree)
    K: dict[int, dict[int, Force]] = {i: {} for i in (0, *carriers)}  # K[i][r]: row r as body i feels it
    parts: list[list[tuple[int, int, Force]]] = [[] for _ in rows]  # of each row: felt by body i, from its child, what
    for r, terms in enumerate(rows):
        for body, row in terms:
            add_row(K[body], r, row)
            parts[r].append((body, 0, row))
    solved: dict[int, dict[int, RowVector]] = {}
    for i in reversed(carriers):  # lines 10, 11
        through, felt = pass_inward(joint[i], posture.X[i], list(K[i].values()))
        solved[i] = dict(zip(K[i], through.solved, strict=True))
        for r, row in zip(K[i], felt, strict=True):
            add_row(K[tree.parent[i]], r, row)
            parts[r].append((tree.parent[i], i, row))

    a: dict[int, dict[int, Motion]] = {i: {} for i in carriers}  # a[i][r]: acceleration of body i by force r
    for i in carriers:  # lines 12-17
        for r, y in solved[i].items():
            if tree.parent[i]:
                carried = pass_outward(joint[i], posture.X[i] @ a[tree.parent[i]][r])
                a[i][r] = joint[i].S.add_motion(carried, y)
            else:
                a[i][r] = joint[i].S @ y

    L = zeros(len(rows))
    for r in range(len(rows)):  # lines 18, 19
        for s in range(r + 1):
            met = [row.dot(a[i][r]) for i, row in meetings(parts[s], r, a)]
            if met:  # rows that meet at the ground do not feel each other
                L[r][s] = sum_of(met)
    return mirrored(L)


def meetings(parts, r: int, a) -> list[tuple[int, Force]]:
    """(body, what it feels of a row beyond the reach of force r), on the bodies that force r does reach."""
    found: dict[int, Force] = {}
    for i, child, row in parts:
        if i and r in a[i] and not (child and r in a[child]):
            add_row(found, i, row)
    return list(found.items())
