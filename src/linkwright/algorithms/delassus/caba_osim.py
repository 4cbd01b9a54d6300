"""cABA-OSIM: the damped OSIM (Lambda^-1 + 1/mu)^-1 without inverting a Delassus matrix, in O(n + m^2).

Named in [Sathya2024b]. With W = diag(mu), the matrix inversion lemma gives

    (J M^-1 J' + W^-1)^-1 = W - W J (M + J' W J)^-1 J' W,

and M + J' W J is the inertia matrix of a tree whose constrained bodies have the penalty inertia K' W K added, as in
constrainedABA. So the right-hand side is PV-OSIMr of that tree with rows W K. It exists for redundant constraints too.
The difference costs digits: the result is good to about mu 1e-16 times the accuracy of the sweeps.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import LDL, ArticulatedInertia, Force
from ..rows.constraint_rows import penalty_inertia
from .propagators import Posture, UnitBasis, articulated_joints, rows_of
from .pv_osimr import delassus_by_branches


def caba_osim(
    tree: Tree, q: Sequence[Scalar], mu: Sequence[Scalar], *, active: Sequence[Scalar] | None = None
) -> list[list[Scalar]]:
    """(Lambda^-1 + diag(1/mu))^-1 for the penalties mu of all rows. Rows of inactive constraints have mu alone."""
    posture = Posture(tree, q)
    IA = [inertia.articulated() for inertia in tree.lumped]
    rows = rows_of(tree, posture, active)
    for (body, row), m in zip(rows, mu, strict=True):
        IA[body] = IA[body] + penalty_inertia([row], [m])
    joint, IA = articulated_joints(tree, posture, IA)

    def basis(link: int) -> UnitBasis | StiffBasis:
        return StiffBasis(IA[link]) if tree.parent[link] else UnitBasis()

    pulls = [(body, row * m) for (body, row), m in zip(rows, mu, strict=True)]
    held = delassus_by_branches(tree, posture, joint, pulls, basis)
    return [[mu[r] - x if r == s else -x for s, x in enumerate(row)] for r, row in enumerate(held)]


class StiffBasis:
    """Rows D L' with L D L' = H + 1 for a branching link with articulated inertia H.

    Rows W K are large, the link's inverse inertia in their directions is small, and unit rows would lose mu^2 1e-16 in
    their product. These are as large as H is stiff, and with them only mu 1e-16 is lost. The 1 covers directions
    without inertia; next to the ground the joint's own factor does all this by itself.
    """

    def __init__(self, H: ArticulatedInertia):
        self._factor = factor = LDL([[H[r, s] + 1.0 if r == s else H[r, s] for s in range(6)] for r in range(6)])
        self.rows = [
            Force.of(d if r == k else factor.L[r][k] * d for r in range(6)) for k, d in enumerate(factor.pivots)
        ]

    def coordinates(self, row: Force) -> list[Scalar]:
        return self._factor.scaled(self._factor.forward(list(row)))
