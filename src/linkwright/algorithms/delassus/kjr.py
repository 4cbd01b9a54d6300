"""KJR: the Delassus matrix by relative inverse inertias between every pair of constrained bodies, O(n + m^2 d).

Kreutz-Delgado, Jain, Rodriguez 1992, as described in [Sathya2024] sec. VII-C and [Sathya2023] sec. I: articulated
inertias inward, 6x6 inverse inertias Omega outward, then for each pair of constrained bodies Omega from their closest
common ancestor along both legs of the path between them. Constraints enter at the very end, on all of their bodies.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import ArticulatedInertia, Force, Motion, Rotate, Shift, Transform, Turn
from ..parts.articulation import Articulation
from ..rows.constraint_rows import constrained_bodies
from .propagators import UNITS, Posture, articulated_joints, combination, mirrored, pass_outward, terms_of_rows, zeros

Columns = list[Motion]
"""A 6x6 matrix: the accelerations caused by unit forces on some body."""


def kjr(tree: Tree, q: Sequence[Scalar], *, active: Sequence[Scalar] | None = None) -> list[list[Scalar]]:
    """Lambda^-1, rows in constraint order. Rows and columns of inactive constraints are zero."""
    posture = Posture(tree, q)
    joint, _ = articulated_joints(tree, posture)
    Omega: dict[int, Columns] = {}
    for i in constrained_bodies(tree):
        own = [joint[i].S @ joint[i].D.solve(joint[i].S.project(unit)) for unit in UNITS]
        p = tree.parent[i]
        Omega[i] = add(own, projected(joint[i], carried(posture.X[i], Omega[p]))) if p else own

    rows = terms_of_rows(tree, posture, active)
    bodies = sorted({body for terms in rows for body, _ in terms if body})
    L = zeros(len(rows))
    for i in bodies:
        for j in (body for body in bodies if body <= i):
            if meeting := tree.graph.common_ancestor(i, j):
                block = relative(tree, posture, joint, Omega[meeting], meeting, i, j)
                project_block(L, rows, block, i, j)
    return mirrored(L)


def relative(tree: Tree, posture: Posture, joint, Omega: Columns, meeting: int, i: int, j: int) -> Columns:
    """Accelerations of j by unit forces on i, from those of the body where the paths to them part."""
    block = Omega
    for body in (j, i):
        for k in tree.graph.support[body][tree.graph.depth[meeting] :]:
            block = [pass_outward(joint[k], posture.X[k] @ column) for column in block]
        block = transposed(block)  # after j: accelerations of the meeting body by unit forces on j
    return block


def project_block(
    L: list[list[Scalar]], rows: Sequence[Sequence[tuple[int, Force]]], block: Columns, i: int, j: int
) -> None:
    """L += K_i Omega_ij K_j', and its transpose if i and j are two bodies."""
    on_j = {s: row for s, terms in enumerate(rows) for body, row in terms if body == j}
    for r, row in ((r, row) for r, terms in enumerate(rows) for body, row in terms if body == i):
        caused = Motion.of(combination(list(row), block))
        for s, column in on_j.items():
            if i != j or s <= r:
                entry = column.dot(caused)
                if i != j and r == s:
                    entry = entry + entry
                L[max(r, s)][min(r, s)] = L[max(r, s)][min(r, s)] + entry


def projected(joint: Articulation, Omega: Columns) -> Columns:
    """P' Omega P. Only rows and columns along the joint's directions change, and one triangle is read."""
    once = transposed([pass_outward(joint, column) for column in Omega])
    return symmetric([pass_outward(joint, row) for row in once])


def carried(X: Transform, Omega: Columns) -> Columns:
    """X Omega X': the inverse inertia of the parent in the child's frame.

    Shifting the origin acts on an inverse inertia as it does backwards on an inertia, with the halves exchanged.
    """
    swapped = (3, 4, 5, 0, 1, 2)
    matrix = ArticulatedInertia.from_function(lambda r, s: Omega[swapped[r]][swapped[s]])
    for step in X.steps:
        matrix = matrix.shifted(-step.p) if isinstance(step, Shift) else matrix.turned(reversed_rotation(step))
    return [Motion.of(matrix[swapped[r], swapped[s]] for s in range(6)) for r in range(6)]


def reversed_rotation(step: Turn | Rotate) -> Turn | Rotate:
    return Turn(step.k, step.c, -step.s) if isinstance(step, Turn) else Rotate(step.R.T)


def transposed(block: Columns) -> Columns:
    return [Motion.of(row) for row in zip(*block, strict=True)]


def symmetric(block: Columns) -> Columns:
    return [Motion.of(block[max(r, s)][min(r, s)] for s in range(6)) for r in range(6)]


def add(a: Columns, b: Columns) -> Columns:
    return [x + y for x, y in zip(a, b, strict=True)]
