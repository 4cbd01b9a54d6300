"""LTL-OSIM: the Delassus matrix in joint space, with the sparsity that branches leave in M and J.

Featherstone 2010 in [Sathya2023] sec. II-A, O(n d^2 + m^2 d + m d^2): L'L = M, Y = J L^-1, Lambda^-1 = Y Y'. L has M's
zeros and Y has J's; a row of a loop has those of all its bodies together.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ..constrained.constrained_ltl import gram
from ..rows import constraints_at
from ..rows.constraint_jacobian import terms_jacobian
from ..rows.constraint_rows import constraint_terms
from ..tree.crba import crba
from ..tree.ltl import ltl_factor, solve_LT, velocity_parents
from .propagators import Posture


def ltl_osim(tree: Tree, q: Sequence[Scalar], *, active: Sequence[Scalar] | None = None) -> list[list[Scalar]]:
    """Lambda^-1, rows in constraint order. Rows and columns of inactive constraints are zero."""
    posture = Posture(tree, q)
    every = constraint_terms(constraints_at(tree, q, posture.X), active)
    J = [row for terms in every for row in terms_jacobian(tree, posture, terms)]
    parents = velocity_parents(tree)
    L = ltl_factor(crba(tree, q), parents)
    return gram([solve_LT(L, parents, row) for row in J])
