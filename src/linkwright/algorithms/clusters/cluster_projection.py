"""What [Chignoli2023] compares its algorithms with: dynamics of the spanning tree, projected or with multipliers.

All are exact and work in the joint space of the whole mechanism (sec. II-C to II-E). The factorizations keep the zeros
that branches leave, so they are the best of their kind and not a straw man.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...scalar import Scalar
from ...spatial import LDL, Force, RowVector, dot
from ..constrained.constrained_ltl import gram
from ..delassus.propagators import Posture
from ..rows.constraint_jacobian import constraint_jacobian
from ..tree.crba import crba
from ..tree.ltl import ltl_factor, ltl_solve, solve_L, solve_LT, velocity_parents
from ..tree.rnea import rnea
from .clustered_tree import ClusteredTree
from .embedding import Embedding


def projected_rnea(system: ClusteredTree, q, yd, ydd, embeddings: Sequence[Embedding], *, f_ext=None) -> list[Scalar]:
    """G' RNEA(q, G yd, G ydd + g)."""
    a = RowVector(system.spread(embeddings, ydd)) + system.biases(embeddings)
    tau = rnea(system.spanning, q, system.spread(embeddings, yd), a, f_ext=f_ext)
    return system.gathered(embeddings, tau)


def projection(
    system: ClusteredTree, q, yd, tau_y, embeddings: Sequence[Embedding], *, f_ext=None
) -> tuple[list[Scalar], list[Scalar]]:
    """(ydd, pivots) from (G' M G) ydd = tau_y - G'(c + M g)."""
    bias = projected_rnea(system, q, yd, [0.0] * system.ny, embeddings, f_ext=f_ext)
    L, parents = _factored_inertia(system, q, embeddings)
    ydd = ltl_solve(L, parents, RowVector(tau_y) - bias)
    return ydd, [L[k][k] for k in range(len(L))]


def lagrange(
    system: ClusteredTree, q, yd, tau_y, embeddings: Sequence[Embedding], *, f_ext=None
) -> tuple[list[Scalar], list[Scalar]]:
    """(ydd, pivots) from M a + K' lam = tau - c, K a = k."""
    tree = system.spanning
    bias = rnea(tree, q, system.spread(embeddings, yd), [0.0] * tree.nv, f_ext=f_ext)
    free = [-b for b in bias]
    for n, t in zip(system.independent, tau_y, strict=True):
        free[n] = free[n] + t
    K, k = [], []
    for c in system.graph.outward():
        velocities = system.velocities_of(c)
        for row, right in zip(embeddings[c].K, embeddings[c].k, strict=True):
            full: list[Scalar] = [0.0] * tree.nv
            for n, x in zip(velocities, row, strict=True):
                full[n] = x
            K.append(full)
            k.append(right)
    parents = velocity_parents(tree)
    L = ltl_factor(crba(tree, q), parents)
    Y = [solve_LT(L, parents, row) for row in K]
    z = solve_LT(L, parents, free)
    factor = LDL(gram(Y))
    lam = factor.solve([dot(y, z) - right for y, right in zip(Y, k, strict=True)])
    corrected = [x - dot(column, lam) for x, column in zip(z, zip(*Y, strict=True), strict=True)] if Y else z
    a = solve_L(L, parents, corrected)
    return [a[n] for n in system.independent], [*(L[n][n] for n in range(len(L))), *factor.margins]


def projected_efpa(
    system: ClusteredTree, q, embeddings: Sequence[Embedding], rows: Sequence[tuple[int, Force]]
) -> list[list[Scalar]]:
    """(J G) (G' M G)^-1 (J G)'."""
    J = constraint_jacobian(system.spanning, Posture(system.spanning, q), rows)
    L, parents = _factored_inertia(system, q, embeddings)
    return gram([solve_LT(L, parents, system.gathered(embeddings, row)) for row in J])


def _factored_inertia(system: ClusteredTree, q, embeddings: Sequence[Embedding]) -> tuple[list, list[int]]:
    """L with L'L = G' M G, and the tree of coordinates that tells where it is zero."""
    M = crba(system.spanning, q)
    MG = [system.gathered(embeddings, row) for row in M]
    columns = [system.gathered(embeddings, list(column)) for column in zip(*MG, strict=True)]
    parents = _coordinate_parents(system)
    return ltl_factor([list(row) for row in zip(*columns, strict=True)], parents), parents


def _coordinate_parents(system: ClusteredTree) -> list[int]:
    """For each entry of y the one it hangs on, -1 at the ground: those of a cluster form a chain.

    The factorization goes from the last to the first, so entries must be numbered from the ground outwards. Those of a
    cluster come from joints that may be numbered before joints of the parent cluster; then all hang on one another.
    """
    last = [-1] * len(system.clusters)
    parents = [-1] * system.ny
    for k in system.graph.outward():
        above = last[system.clusters[k].parent]
        for n in sorted(system.iy[k]):
            if above > n:
                return list(range(-1, system.ny - 1))
            parents[n] = above
            above = n
        last[k] = above
    return parents
