"""The Delassus operator J M^-1 J', factored once and applied to many vectors: two ways, for a count to choose from.

By its matrix: any of the Delassus algorithms, then products and an L D L' factorization of Lambda^-1 + 1/mu, O(m^2) per
vector. By sweeps: forces J'x inward, accelerations outward, O(n + m) per vector, and no matrix at all. The damped
inverse by sweeps is the matrix inversion lemma of caba_osim.py, with W = diag(mu),

    (J M^-1 J' + W^-1)^-1 x = W x - W J (M + J' W J)^-1 J' W x,

where M + J'WJ is what LCABA eliminates. The difference leaves about mu times 1e-16 of x.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from ...model import Tree
from ...scalar import Scalar
from ...spatial import LDL, Force, Motion, RowVector, dot, sum_of
from ..constrained.lcaba import lcaba
from ..convergence.swept_bodies import SweptBodies
from ..rows import constraints_at
from ..rows.constrained_problem import ConstrainedProblem, cut
from ..rows.constraint_rows import ConstraintRows, combine, constrained_bodies, constraint_terms
from .propagators import Posture, articulated_joints, pass_inward, pass_outward


class DelassusMatrix:
    """Of a matrix Lambda^-1 that is there."""

    def __init__(self, matrix: Sequence[Sequence[Scalar]], mu: Sequence[Scalar]):
        self._matrix, self._mu = matrix, mu

    @cached_property
    def _damped(self) -> LDL:
        damped = [list(row) for row in self._matrix]
        for r, m in enumerate(self._mu):
            damped[r][r] = damped[r][r] + 1.0 / m
        return LDL(damped)

    def product(self, x: Sequence[Scalar]) -> list[Scalar]:
        return [dot(row, x) for row in self._matrix]

    def solve(self, x: Sequence[Scalar]) -> list[Scalar]:
        return list(self._damped.solve(x))

    def margins(self, share: float) -> list[Scalar]:
        """Positive where elimination leaves more than this share of every diagonal entry: of rows that depend on one
        another it leaves 1/mu."""
        factor = self._damped
        return [pivot - share * entry for pivot, entry in zip(factor.pivots, factor.diagonal, strict=True)]


class DelassusSweeps:
    """Of a mechanism at rest: what passes its joints is worked out once."""

    def __init__(
        self, tree: Tree, q: Sequence[Scalar], mu: Sequence[Scalar], *, active: Sequence[Scalar] | None = None
    ):
        self._tree, self._mu = tree, mu
        self._posture = Posture(tree, q)
        self._every = constraints_at(tree, q, self._posture.X)
        self._terms = constraint_terms(self._every, active)
        self._carriers = constrained_bodies(tree)

    def product(self, x: Sequence[Scalar]) -> list[Scalar]:
        """J M^-1 J' x: ABA's last two sweeps with the forces J'x alone."""
        tree, X, joint = self._tree, self._posture.X, self._joints
        f = {i: Force.zero() for i in (0, *self._carriers)}
        for terms, own in zip(self._terms, by_constraint(self._tree, x), strict=True):
            for body, K in terms:
                f[body] = f[body] + combine(K, own)
        y = {}
        for i in reversed(self._carriers):
            through, (felt,) = pass_inward(joint[i], X[i], [f[i]])
            y[i], p = through.solved[0], tree.parent[i]
            f[p] = f[p] + felt
        a = {0: Motion.zero()}
        for i in self._carriers:
            p = tree.parent[i]
            a[i] = joint[i].S.add_motion(pass_outward(joint[i], X[i] @ a[p]), y[i]) if p else joint[i].S @ y[i]
        return [
            value
            for terms in self._terms
            for value in map(sum_of, zip(*([row.dot(a[body]) for row in K] for body, K in terms), strict=True))
        ]

    def solve(self, x: Sequence[Scalar]) -> list[Scalar]:
        """(J M^-1 J' + 1/mu)^-1 x."""
        pull = [m * value for m, value in zip(self._mu, x, strict=True)]
        _, held = self._penalised.response(RowVector(pull), whole=False)  # -J (M + J' W J)^-1 J' W x
        return [p + m * h for p, m, h in zip(pull, self._mu, held, strict=True)]

    def margins(self, share: float) -> list[Scalar]:
        """Positive unless a penalised inertia has no inverse; small ones are no matter here."""
        return self._penalised.pivots

    @cached_property
    def _joints(self):
        return articulated_joints(self._tree, self._posture)[0]

    @cached_property
    def _penalised(self) -> SweptBodies:
        """LCABA's factorization of M + J' W J."""
        problem = _AtRest(self._tree, self._posture, [])
        for held, terms, mu in zip(self._every, self._terms, by_constraint(self._tree, self._mu), strict=True):
            nothing = RowVector.zeros(held.constraint.size)
            problem.constraints.append(ConstraintRows(held.constraint.name, terms, held.rows(), nothing, mu, 1.0))
        return lcaba(problem, RowVector.zeros(len(self._mu)))


class _AtRest(ConstrainedProblem):
    """What LCABA asks of a problem, where nothing moves and nothing pulls."""

    def __init__(self, tree: Tree, posture: Posture, constraints: list[ConstraintRows]):
        self.tree, self.constraints, self.ties = tree, constraints, "last"
        self.sweep = posture  # type: ignore[assignment]  # X and S are all that is asked of it
        self.tau = RowVector.zeros(tree.nv)
        self.wrenches = [Force.zero()] * len(tree.parent)


def by_constraint(tree: Tree, values: Sequence[Scalar]) -> list[RowVector]:
    """One value per row -> one row vector per constraint."""
    return cut(values, [constraint.size for constraint in tree.constraints])
