"""Torques of motors and multipliers of constraints from a motion: M a + c + J' lam = S' u.

Joints without motors carry no torque, so their rows determine the multipliers: J_n' lam = -b_n with b = M a + c, and
the motors' rows the torques: u = b_m + J_m' lam. Where several lam would do, the one of least |u| is wanted, and among
those one of small |lam|: minimise |b_m + J_m' lam|^2 + eps |lam - lam_k|^2 subject to the former, from lam_0 = 0. Each
step is computed from what is left over of both conditions, so that it also removes the rounding of the one before.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import LDL, Force, RowVector, dot, sum_of
from ..delassus.propagators import Posture
from ..rows import constraints_at
from ..rows.constraint_jacobian import terms_jacobian
from ..tree.rnea import rnea
from .constrained_ltl import gram

# eps, beside the mean square of J's rows. Each step divides what is wrong by the smallest squared singular value of J_m
# over this, and leaves rounding that its inverse amplifies, 1e-7. On random graphs 4 steps leave 1e-14.
_DAMPING = 1e-9
_STEPS = 4


def closed_loop_inverse_dynamics(
    tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar], motors: Sequence[int], *,
    f_ext: Sequence[Force] | None = None,
) -> tuple[list[Scalar], list[Scalar], list[Scalar]]:  # fmt: skip
    """(u, lam, pivots) for a motion a that keeps the loops closed; `motors` are velocities, in the order of u."""
    b = rnea(tree, q, v, a, f_ext=f_ext)
    posture = Posture(tree, q)
    J = [row for held in constraints_at(tree, q, posture.X) for row in terms_jacobian(tree, posture, held.terms())]
    idle = [k for k in range(tree.nv) if k not in set(motors)]
    driven, loose = ([[row[k] for k in chosen] for row in J] for chosen in (motors, idle))
    columns = [list(column) for column in zip(*loose, strict=True)] if J else [[] for _ in idle]

    H = gram(driven)
    if J:
        damping = sum_of(dot(row, row) for row in J) * (_DAMPING / len(J))
        for r in range(len(J)):
            H[r][r] = H[r][r] + damping
    factor = LDL(H)
    halves = [factor.forward(column) for column in columns]
    weighted = [factor.scaled(half) for half in halves]
    inner = LDL([[dot(halves[r], weighted[s]) if s <= r else 0.0 for s in range(len(idle))] for r in range(len(idle))])

    lam = RowVector.zeros(len(J))
    w = RowVector.zeros(len(idle))  # multipliers of the multipliers: J_m u = J_n w where |u| is least
    for _ in range(_STEPS):
        u = _torques(b, driven, lam, motors)
        slope = [dot(row, u) - dot(other, w) for row, other in zip(driven, loose, strict=True)]
        lacking = [-b[k] - dot(column, lam) for k, column in zip(idle, columns, strict=True)]
        half = factor.forward(slope)
        dw = inner.solve([x + dot(y, half) for x, y in zip(lacking, weighted, strict=True)])
        push = [dot([y[r] for y in halves], dw) - half[r] for r in range(len(J))]
        lam = lam + factor.backward(factor.scaled(push))
        w = w + dw
    return _torques(b, driven, lam, motors), list(lam), inner.margins


def _torques(b, driven, lam, motors) -> list[Scalar]:
    """b_m + J_m' lam."""
    return [b[k] + dot([row[c] for row in driven], lam) for c, k in enumerate(motors)]
