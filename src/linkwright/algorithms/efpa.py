"""EFPA, the extended force propagator algorithm: O(n + m d + m^2).

Wensing, Featherstone, Orin 2012, as [Sathya2023] Algorithm 2. Inward, every constraint row is carried to all bodies
that support it; outward, so is the acceleration that a unit force along the row causes. Two rows meet at their closest
common ancestor.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Tree
from ..scalar import Scalar
from ..spatial import Force, Motion
from .constraint_rows import constrained_bodies
from .propagators import Posture, articulated_joints, mirrored, pass_inward, pass_outward, rows_of, zeros


def efpa(tree: Tree, q: Sequence[Scalar], *, active: Sequence[Scalar] | None = None) -> list[list[Scalar]]:
    """Lambda^-1, rows in constraint order. Rows and columns of inactive constraints are zero."""
    posture = Posture(tree, q)
    joint, _ = articulated_joints(tree, posture)
    rows, carriers = rows_of(tree, posture, active), constrained_bodies(tree)
    K: dict[int, dict[int, Force]] = {i: {} for i in (0, *carriers)}  # K[i][r]: row r as body i feels it
    for r, (body, row) in enumerate(rows):
        K[body][r] = row
    solved: dict[int, dict[int, list[Scalar]]] = {}
    for i in reversed(carriers):  # lines 10, 11
        through, felt = pass_inward(joint[i], posture.X[i], list(K[i].values()))
        solved[i] = dict(zip(K[i], through.solved, strict=True))
        K[tree.parent[i]].update(zip(K[i], felt, strict=True))

    a: dict[int, dict[int, Motion]] = {i: {} for i in carriers}  # a[i][r]: acceleration of body i by force r
    for i in carriers:  # lines 12-17
        for r, y in solved[i].items():
            if tree.parent[i]:
                carried = pass_outward(joint[i], posture.X[i] @ a[tree.parent[i]][r])
                a[i][r] = joint[i].S.add_motion(carried, y)
            else:
                a[i][r] = joint[i].S @ y

    L = zeros(len(rows))
    for r, (body, _) in enumerate(rows):  # lines 18, 19
        for s, (other, _) in enumerate(rows[: r + 1]):
            meeting = tree.graph.common_ancestor(body, other)
            if meeting:  # rows that meet at the ground do not feel each other
                L[r][s] = K[meeting][s].dot(a[meeting][r])
    return mirrored(L)
