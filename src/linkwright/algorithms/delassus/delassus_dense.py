"""Delassus matrix by definition: J M^-1 J' with a dense factorization of M, O(n^3 + m^2 n).

The naive method of [Sathya2023] Table I, and what the other Delassus algorithms are tested against.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import LDL, dot
from ..rows import constraints_at
from ..rows.constraint_jacobian import terms_jacobian
from ..rows.constraint_rows import constraint_terms
from ..tree.crba import crba
from .propagators import Posture, mirrored, zeros


def dense_delassus(tree: Tree, q: Sequence[Scalar], *, active: Sequence[Scalar] | None = None) -> list[list[Scalar]]:
    """Lambda^-1, rows in constraint order. Rows and columns of inactive constraints are zero."""
    posture = Posture(tree, q)
    every = constraint_terms(constraints_at(tree, q, posture.X), active)
    J = [row for terms in every for row in terms_jacobian(tree, posture, terms)]
    M = LDL(crba(tree, q))
    half = [M.forward(row) for row in J]  # M = L D L': J M^-1 J' = (J L^-T) D^-1 (J L^-T)'
    scaled = [M.scaled(row) for row in half]
    L = zeros(len(J))
    for r in range(len(J)):
        for s in range(r + 1):
            L[r][s] = dot(half[r], scaled[s])
    return mirrored(L)
