"""What the Delassus algorithms share: a mechanism at rest, and how forces and accelerations pass its joints.

[Sathya2023] sec. II-B in body frames. P of a joint takes a force on a body to what the parent feels of it, P' an
acceleration of the parent to the body's; S D^-1 S' is the body's inverse inertia while its parent is held.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...model import Tree
from ...scalar import Scalar, is_zero
from ...spatial import LDL, ArticulatedInertia, Force, Motion, Subspace, Transform, dot, sum_of
from ..parts.articulation import Articulation
from ..rows import constraints_at
from ..rows.constraint_rows import constraint_terms
from ..rows.passing_rows import Passing

UNITS = tuple(Force.of(1.0 if r == k else 0.0 for r in range(6)) for k in range(6))


class Posture:
    """Per body: X (from parent) and S (motion subspace). All of a sweep that needs no velocities."""

    def __init__(self, tree: Tree, q: Sequence[Scalar]):
        self.q = q
        self.X: list[Transform] = [Transform()]
        self.S: list[Subspace] = [None]  # type: ignore[list-item]
        for i in tree.outward():
            joint, qi = tree.joint[i], q[tree.iq[i]]
            self.X.append(tree.Xtree[i].then(joint.transform(qi)))
            self.S.append(joint.subspace(qi))


def rows_of(tree: Tree, posture: Posture, active: Sequence[Scalar] | None = None) -> list[tuple[int, Force]]:
    """(body, covector) of every row of constraints to the ground, in order. Rows of inactive constraints are zero."""
    every = constraints_at(tree, posture.q, posture.X)
    return [(body, row) for terms in constraint_terms(every, active) for body, K in terms for row in K]


def terms_of_rows(
    tree: Tree, posture: Posture, active: Sequence[Scalar] | None = None
) -> list[list[tuple[int, Force]]]:
    """(body, covector) on every body that a row acts on, for rows of any constraints, loops included."""
    every = constraint_terms(constraints_at(tree, posture.q, posture.X), active)
    return [
        [(body, row) for (body, _), row in zip(terms, rows, strict=True)]
        for terms in every
        for rows in zip(*(K for _, K in terms), strict=True)
    ]


def articulated_joints(
    tree: Tree, posture: Posture, IA: list[ArticulatedInertia] | None = None
) -> tuple[list[Articulation], list[ArticulatedInertia]]:
    """Eliminate every joint, from the tips to the ground: ABA's second sweep without its forces."""
    # [Sathya2023] Algorithm 3
    IA = [inertia.articulated() for inertia in tree.lumped] if IA is None else IA  # lines 1, 2
    joint: list[Articulation] = [None] * len(IA)  # type: ignore[list-item]
    for i in tree.inward():
        p = tree.parent[i]
        joint[i] = Articulation(IA[i], posture.S[i], tree.armature[i])  # line 8
        if p:  # line 9
            IA[p] = IA[p] + posture.X[i].congruence(joint[i].inertia_felt(IA[i]))  # lines 10, 11
    return joint, IA


def pass_inward(joint: Articulation, X: Transform, K: Sequence[Force]) -> tuple[Passing, list[Force]]:
    """(what rows K leave at a joint, K P' in the parent's frame)."""
    through = Passing(joint, range(len(K)), K)
    felt = [joint.force_felt(row, -solved) for row, solved in zip(K, through.solved, strict=True)]
    return through, [X.T @ row for row in felt]


def pass_outward(joint: Articulation, carried: Motion) -> Motion:
    """P' a. Without rotors nothing of a is left along free directions, and so only the other ones enter."""
    directions = joint.S.directions
    if not directions or not all(map(is_zero, joint.R)):
        return joint.S.add_motion(carried, [-v.dot(carried) for v in joint.V])
    kept = [s for s in range(6) if s not in directions]
    parts = list(carried)
    for k, v in zip(directions, joint.V, strict=True):
        parts[k] = -sum_of(v[s] * carried[s] for s in kept) if kept else 0.0
    return Motion.of(parts)


def combination(factors: Iterable[Scalar], vectors: Sequence[Iterable[Scalar]]) -> list[Scalar]:
    """sum_k factors[k] vectors[k]."""
    return [dot(factors, column) for column in zip(*vectors, strict=True)]


def zeros(n: int) -> list[list[Scalar]]:
    return [[0.0] * n for _ in range(n)]


def mirrored(L: list[list[Scalar]]) -> list[list[Scalar]]:
    """The symmetric matrix whose lower triangle is L's."""
    return [[L[max(r, s)][min(r, s)] for s in range(len(L))] for r in range(len(L))]


class UnitBasis:
    """Six unit rows: a row's coordinates are its entries."""

    rows = UNITS

    def coordinates(self, row: Force) -> list[Scalar]:
        return list(row)


class ThinInverse:
    """Omega = sum of Z D^-1 Z' over a few joints. x' Omega y = half(x) . other(half(y)), as in the next two classes."""

    def __init__(self, steps: Sequence[tuple[Sequence[Sequence[Scalar]], LDL]]):
        self._steps = steps
        self._weights = [d for _, D in steps for d in D.inverse_pivots]

    def half(self, y: Sequence[Scalar]) -> list[Scalar]:
        return [x for Z, D in self._steps for x in D.forward(combination(y, Z))]

    def other(self, half: Sequence[Scalar]) -> list[Scalar]:
        return [x * w for x, w in zip(half, self._weights, strict=True)]


class FactoredInverse:
    """Omega = L D L', positive definite; its lower triangle is read. 36 operations per row where Omega y takes 66."""

    def __init__(self, Omega: Sequence[Sequence[Scalar]]):
        self._factor = LDL(Omega)

    def half(self, y: Sequence[Scalar]) -> list[Scalar]:
        L = self._factor.L
        return [sum_of([y[c], *(L[r][c] * y[r] for r in range(c + 1, 6))]) for c in range(6)]

    def other(self, half: Sequence[Scalar]) -> list[Scalar]:
        return [x * d for x, d in zip(half, self._factor.pivots, strict=True)]


class FullInverse:
    """Omega as it is, possibly singular; its lower triangle is read."""

    def __init__(self, Omega: list[list[Scalar]]):
        self._Omega = mirrored(Omega)

    def half(self, y: Sequence[Scalar]) -> list[Scalar]:
        return list(y)

    def other(self, half: Sequence[Scalar]) -> list[Scalar]:
        return [dot(row, half) for row in self._Omega]
