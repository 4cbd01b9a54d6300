"""PV-OSIM-fast: the OSIM of a floating-base robot as an operator, without its dense inverse.

[Sathya2024] sec. VII-B. Held by its base, a robot's constraints on different branches do not feel each other: L_b is
block diagonal. The base adds K_b H_b^-1 K_b', which the matrix inversion lemma (eq. 54) turns into a 6x6 system. The
lemma needs L_b invertible, which is a matter of structure: a weld on a leg of three joints is not. Where it fails, or
there is no floating base, the full matrix of eq. (47), (48) is factored. Mechanisms on the ground side by side are
independent and treated one by one.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Tree
from ..scalar import Scalar
from ..spatial import LDL
from .propagators import Posture, articulated_joints, dot, rows_of, zeros
from .pv import add_to_delassus, propagate_rows
from .pv_base import base_is_separable, floating_bases
from .pv_osim import add_at_ground


def pv_osim_fast(tree: Tree, q: Sequence[Scalar], *, active: Sequence[Scalar] | None = None) -> OSIM:
    """The OSIM at q. Where a constraint is inactive, `solve` returns its part of the right-hand side unchanged."""
    posture = Posture(tree, q)
    joint, IA = articulated_joints(tree, posture)
    rows = rows_of(tree, posture, active)
    idle = [0.0 if active is None else 1.0 - active[k] for k, c in enumerate(tree.constraints) for _ in range(c.size)]
    passing = propagate_rows(tree, posture, joint, rows)
    L = zeros(len(rows))
    for r in range(len(rows)):
        L[r][r] = idle[r]  # a zero row gets a pivot
    for i, through in passing.items():
        if tree.parent[i]:
            add_to_delassus(L, through)
    separable = floating_bases(tree) if base_is_separable(tree) else []
    parts: list[FactoredOSIM | FloatingOSIM] = []
    for root in sorted(i for i in passing if not tree.parent[i]):
        through = passing[root]
        if root in separable:
            S = posture.S[root]
            H = [S.project(column) for column in S.columns(IA[root])]
            for k, R in enumerate(tree.armature[root]):
                H[k][k] = H[k][k] + R
            parts.append(FloatingOSIM(L, branches(tree, root), dict(zip(through.rows, through.KS, strict=True)), H))
        else:
            add_at_ground(L, joint[root], through)
            parts.append(FactoredOSIM(L, through.rows))
    return OSIM(len(rows), parts)


class OSIM:
    """`solve(b)` is Lambda b: the constraint forces that make the constraints accelerate with b."""

    def __init__(self, size: int, parts: Sequence[FactoredOSIM | FloatingOSIM]):
        self._size, self._parts = size, parts

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        x = [b[r] for r in range(self._size)]
        for part in self._parts:
            for r, value in part.solve(b).items():
                x[r] = value
        return x


class FactoredOSIM:
    """Eq. (47), (48): one dense factorization."""

    def __init__(self, L: Sequence[Sequence[Scalar]], rows: Sequence[int]):
        self._rows, self._factor = rows, LDL([[L[r][s] for s in rows] for r in rows])

    def solve(self, b: Sequence[Scalar]) -> dict[int, Scalar]:
        return dict(zip(self._rows, self._factor.solve([b[r] for r in self._rows]), strict=True))


class FloatingOSIM:
    """Eq. (54), (55) as x = L_b^-1 (b - K t) with (H_b + K' L_b^-1 K) t = K' L_b^-1 b, and L_b = L D L' by blocks."""

    def __init__(self, L, blocks: Sequence[Sequence[int]], K: dict[int, list[Scalar]], H: Sequence[Sequence[Scalar]]):
        self._blocks = [(rows, LDL([[L[r][s] for s in rows] for r in rows])) for rows in blocks]
        self._half: list[list[list[Scalar]]] = []  # L^-1 K of each block, by columns
        base = [list(row) for row in H]
        for rows, factor in self._blocks:
            half = [factor.forward([K[r][k] for r in rows]) for k in range(6)]
            other = [factor.scaled(column) for column in half]
            self._half.append(half)
            for r in range(6):
                for s in range(r + 1):
                    base[r][s] = base[r][s] + dot(half[r], other[s])
        self._base = LDL(base)

    def solve(self, b: Sequence[Scalar]) -> dict[int, Scalar]:
        right = [factor.forward([b[r] for r in rows]) for rows, factor in self._blocks]
        felt: list[Scalar] = [0.0] * 6
        for (_, factor), half, z in zip(self._blocks, self._half, right, strict=True):
            weighted = factor.scaled(z)
            felt = [f + dot(column, weighted) for f, column in zip(felt, half, strict=True)]
        t = self._base.solve(felt)
        x: dict[int, Scalar] = {}
        for (rows, factor), half, z in zip(self._blocks, self._half, right, strict=True):
            left = [zr - dot(t, [column[r] for column in half]) for r, zr in enumerate(z)]
            x.update(zip(rows, factor.backward(factor.scaled(left)), strict=True))
        return x


def branches(tree: Tree, base: int) -> list[list[int]]:
    """Row numbers of the constraints on each branch of a base: the blocks of L_b. Rows on the base itself come last."""
    blocks: dict[int, list[int]] = {}
    numbered = [
        bodies[0] for c, bodies in zip(tree.constraints, tree.constraint_bodies, strict=True) for _ in range(c.size)
    ]
    for r, body in enumerate(numbered):
        support = tree.graph.support[body]
        if support[:1] == (base,):
            blocks.setdefault(support[1] if len(support) > 1 else len(tree.parent), []).append(r)
    return [blocks[child] for child in sorted(blocks)]
