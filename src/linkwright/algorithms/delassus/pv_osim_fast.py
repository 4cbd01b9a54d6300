"""PV-OSIM-fast: the OSIM of a floating-base robot as an operator, without its dense inverse.

[Sathya2024] sec. VII-B. Held by its base, a robot's constraints on different branches do not feel each other: L_b is
block diagonal. The base adds K_b H_b^-1 K_b', which the matrix inversion lemma (eq. 54) turns into a 6x6 system. The
lemma needs L_b invertible, which is a matter of structure: a weld on a leg of three joints is not. Where it fails, or
there is no floating base, the full matrix of eq. (47), (48) is factored. Mechanisms on the ground side by side are
independent and treated one by one. Postures at which a branch of the right structure is singular are dealt with in
`separated_base.py`; where Lambda^-1 itself is, `pivots` tell.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Numbers, Scalar, where
from ...spatial.partial_factorization import PartialLDL
from ..constrained.pv_base import base_inertia, base_is_separable, blocks_of, floating_bases
from ..constrained.separated_base import SeparatedBase
from ..rows.passing_rows import add_to_delassus, propagate_rows
from ..rows.row_scales import row_scales
from .propagators import Posture, articulated_joints, rows_of, zeros
from .pv_osim import add_at_ground


def pv_osim_fast(tree: Tree, q: Sequence[Scalar], *, active: Sequence[Scalar] | None = None) -> OSIM:
    """The OSIM at q. Where a constraint is inactive, `solve` returns its part of the right-hand side unchanged."""
    posture = Posture(tree, q)
    joint, _ = articulated_joints(tree, posture)
    rows = rows_of(tree, posture, active)
    idle = [0.0 if active is None else 1.0 - active[k] for k, c in enumerate(tree.constraints) for _ in range(c.size)]
    passing = propagate_rows(tree, posture, joint, rows)
    L = zeros(len(rows))
    for r in range(len(rows)):
        L[r][r] = idle[r]  # a zero row gets a pivot
    outer = {i: through for i, through in passing.items() if tree.parent[i]}
    for through in outer.values():
        add_to_delassus(L, through)
    separable = floating_bases(tree) if base_is_separable(tree) else []
    parts: list[FactoredOSIM | FloatingOSIM] = []
    for root in sorted(i for i in passing if not tree.parent[i]):
        through = passing[root]
        blocks = blocks_of(tree, outer, through.rows)
        if root in separable and len(blocks) > 1:  # one branch is as dense as the whole
            K = dict(zip(through.rows, through.KS, strict=True))
            base = SeparatedBase(L, K, base_inertia(joint[root]), blocks)
            parts.append(FloatingOSIM(base, len(joint[root].U)))
        else:
            add_at_ground(L, joint[root], through)
            parts.append(FactoredOSIM(L, through.rows, row_scales(tree.model).tolist()))
    return OSIM(len(rows), parts)


class OSIM:
    """`solve(b)` is Lambda b: the constraint forces that make the constraints accelerate with b.

    `pivots` are zero where Lambda^-1 is singular, so that there is no such thing, else one.
    """

    def __init__(self, size: int, parts: Sequence[FactoredOSIM | FloatingOSIM]):
        self._size, self._parts = size, parts

    @property
    def pivots(self) -> list[Scalar]:
        return [where(weak, 0.0, 1.0) for part in self._parts for weak in part.weak]

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        x = [b[r] for r in range(self._size)]
        for part in self._parts:
            for r, value in part.solve(b).items():
                x[r] = value
        return x


class FactoredOSIM:
    """Eq. (47), (48): one dense factorization, weak rows last."""

    def __init__(self, L: Sequence[Sequence[Scalar]], rows: Sequence[int], usual: Numbers):
        sizes = [L[r][r] + usual[r] for r in rows]
        self._rows, self._factor = rows, PartialLDL([[L[r][s] for s in rows] for r in rows], sizes, window=2)

    @property
    def weak(self) -> list[Scalar]:
        return self._factor.weak

    def solve(self, b: Sequence[Scalar]) -> dict[int, Scalar]:
        return dict(zip(self._rows, self._factor.solve([b[r] for r in self._rows]), strict=True))


class FloatingOSIM:
    """Eq. (54), (55): multipliers without forces on the base."""

    def __init__(self, base: SeparatedBase, freedom: int):
        self._base, self._freedom = base, freedom

    @property
    def weak(self) -> list[Scalar]:
        return self._base.weak

    def solve(self, b: Sequence[Scalar]) -> dict[int, Scalar]:
        return self._base.solve(b, [0.0] * self._freedom)[0]
