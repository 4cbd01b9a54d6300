"""Analytic partial derivatives of inverse dynamics, and the inertia matrix with them, in O(n d) for a tree of depth d.

[SinghRussellWensing2022], in body frames; [CarpentierMansard2018] find the same with other intermediate quantities. A
body's momentum changes by I a + v x* I v. Varied along a motion m of all that hangs on it, that changes by I times the
change of acceleration and by 2 B m with

    2 B = (v x*) I - I (v x) + (I v) x*-bar

of the body alone (f x*-bar m = m x* f). Both add up over the bodies that hang on a joint, so that for a direction S_j
of a joint and S_i of one that hangs on it, or of itself, with composites I, B and f of body i:

    dtau_i/dq_j = S_i' (2 B psi'_j + I psi''_j)                  dtau_i/dv_j = S_i' (2 B S_j + I (psi'_j + S'_j))
    dtau_j/dq_i = S_j' (2 B psi'_i + I psi''_i + S_i x* f)       dtau_j/dv_i = S_j' (2 B S_i + I (psi'_i + S'_i))

where psi' = v_p x S and psi'' = a_p x S + v_p x psi' are what the joint's parent p does to its direction, S' = v x S.

Written out, 2 B has twelve numbers only: with Sigma the second moments, h the first, and the momentum p = m v + w x h

    2 B = -2 [ C    0 ]      C = [w] Sigma + [h] [v]
             [ [p]  0 ]

What floats takes all that hangs on it along: where the ground is the parent, psi' = 0 and psi'' = -g x S_j, so that a
free joint turned by dq_j sees nothing but another gravity, as if it accelerated by psi''_j, and at another linear
velocity nothing but S'_j. Those columns are M times an acceleration that is known, and cost forward dynamics nothing.

What a direction does to the wrench of all that hangs on it is a column that moves from link to link to the ground, and
meets the directions of each. Where many pass, they go on in a loop (loop_starts.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from ...model import Tree
from ...scalar import Scalar, is_zero, repeat
from ...spatial import Force, Matrix, Motion, RigidInertia, Transform, Vector
from .loop_starts import loop_starts

Rows = list[list[Scalar]]


class CoriolisMatrix:
    """-B of bodies that hang together, about one origin: C and p."""

    __slots__ = ("C", "p")

    def __init__(self, C: Matrix, p: Vector):
        self.C, self.p = C, p

    @classmethod
    def of_body(cls, inertia: RigidInertia, v: Motion) -> CoriolisMatrix:
        w, h = v.angular, inertia.h
        C = Matrix.cross(w) @ inertia.second_moments + Matrix.cross(h) @ Matrix.cross(v.linear)
        return cls(C, v.linear * inertia.m + w.cross(h))

    def __add__(self, other: CoriolisMatrix) -> CoriolisMatrix:
        return CoriolisMatrix(self.C + other.C, self.p + other.p)

    def turned(self, step) -> CoriolisMatrix:
        """Seen from the parent side of a rotation."""
        return CoriolisMatrix(step.up_matrix(self.C), step.up(self.p))

    def shifted(self, p: Vector) -> CoriolisMatrix:
        """Seen from an origin at -p."""
        return CoriolisMatrix(self.C + Matrix.cross(p) @ Matrix.cross(self.p), self.p)

    def twice(self, m: Motion) -> Force:
        """2 B m."""
        w = m.angular * -2.0
        return Force(self.C @ w, self.p.cross(w))

    def twice_transposed(self, m: Motion) -> Vector:
        """2 B' m, which has no linear part."""
        return (self.C.T @ m.angular - self.p.cross(m.linear)) * -2.0


@dataclass(frozen=True)
class Direction:
    """One direction of a joint: S, psi', psi'' and psi' + S'."""

    S: Motion
    carried: Motion
    carried_twice: Motion
    moved: Motion


@dataclass(frozen=True)
class InverseDynamicsDerivatives:
    """dtau/dq (in the tangent space), dtau/dv, and dtau/da, which is the inertia matrix, rotors included; and of "q"
    and "v" the columns that are M times known accelerations, with these."""

    dq: Rows
    dv: Rows
    M: Rows
    accelerations: dict[str, dict[int, list[Scalar]]] = field(default_factory=dict)


def serves(tree: Tree) -> bool:
    """Whether all joints have directions that do not move in their own frame: of ours, all but universal ones."""
    return all(joint.has_constant_subspace for joint in tree.joint[1:])


def rnea_derivatives(
    tree: Tree, q: Sequence[Scalar], v: Sequence[Scalar], a: Sequence[Scalar], *, f_ext: Sequence[Force] | None = None
) -> InverseDynamicsDerivatives:  # fmt: skip
    """Of rnea.py, without what springs, dampers and tendons contribute."""
    n = len(tree.parent)
    f = [Force.zero()] * n
    X: list[Transform] = [None] * n  # type: ignore[list-item]  # of the ground there is none
    B: list[CoriolisMatrix] = [None] * n  # type: ignore[list-item]
    directions: list[list[Direction]] = [[]] * n
    V, A = [Motion.zero()] * n, [Motion(Vector.zero(), -tree.gravity)] * n
    for i in tree.outward():
        joint, qi, vi, p = tree.joint[i], q[tree.iq[i]], v[tree.iv[i]], tree.parent[i]
        X[i] = tree.Xtree[i].then(joint.transform(qi))
        S = joint.subspace(qi)
        velocity, acceleration, vJ = X[i] @ V[p], X[i] @ A[p], S @ vi
        V[i] = velocity + vJ
        A[i] = S.add_motion(acceleration + V[i].cross(vJ), a[tree.iv[i]])
        directions[i] = [_direction(s, velocity, acceleration, V[i]) for s in _columns(S, len(vi))]
        f[i] = tree.lumped[i] @ A[i] + V[i].cross(tree.lumped[i] @ V[i])
        if f_ext is not None:
            f[i] = f[i] - f_ext[i]
        B[i] = CoriolisMatrix.of_body(tree.lumped[i], V[i])

    accelerations = _accelerations(tree, directions)
    dq, dv, M = ([[0.0] * tree.nv for _ in range(tree.nv)] for _ in range(3))

    def meet(c: int, r: int, pair: Sequence[Scalar]) -> None:
        """Column c has met the direction r of a joint that its own hangs on."""
        dq[r][c], dv[r][c], dq[c][r], dv[c][r], M[r][c] = pair
        M[c][r] = M[r][c]

    inertia = list(tree.lumped)
    starts = loop_starts(tree)
    waiting: dict[int, dict[int, _Column]] = {i: {} for i in starts}
    for i in tree.inward():
        if waiting.get(i):
            path = list(_path(tree, i))
            _, found = repeat(
                lambda _, column, path=path: ([], _on_path(_Column.of(column), tree, path, X, directions)),
                count=len(waiting[i]), tables=[[list(column) for column in waiting[i].values()]],
            )  # fmt: skip
            met = [r for j in path for r in range(tree.nv)[tree.iv[j]]]
            for c, results in zip(waiting[i], found, strict=True):
                for k, r in enumerate(met):
                    meet(c, r, results[5 * k : 5 * k + 5])
        own = {}
        for c, d in enumerate(directions[i], start=tree.iv[i].start):
            own[c] = column = _Column.starting(d, inertia[i], B[i])
            for r, other in enumerate(directions[i], start=tree.iv[i].start):
                dq[r][c], dv[r][c] = other.S.dot(column.dq), other.S.dot(column.dv)
                M[r][c] = other.S.dot(column.inertia)
            M[c][c] = M[c][c] + tree.armature[i][c - tree.iv[i].start]
            column.dq = column.dq + d.S.cross(f[i])
        j = i
        while tree.parent[j]:
            own = {c: column.moved_to_parent(X[j]) for c, column in own.items()}
            j = tree.parent[j]
            if j in starts:
                waiting[j] |= own
                break
            for r, other in enumerate(directions[j], start=tree.iv[j].start):
                for c, column in own.items():
                    meet(c, r, column.meeting(other))
        p = tree.parent[i]
        if p:
            f[p] = f[p] + X[i].T @ f[i]
            inertia[p] = inertia[p] + X[i].congruence(inertia[i])
            B[p] = B[p] + X[i].congruence(B[i])
    return InverseDynamicsDerivatives(dq, dv, M, accelerations)


def _accelerations(tree: Tree, directions: Sequence[Sequence[Direction]]) -> dict[str, dict[int, list[Scalar]]]:
    """Of joints that float, without rotors, which only feel accelerations of their own joint."""
    known: dict[str, dict[int, list[Scalar]]] = {"q": {}, "v": {}}
    for i in tree.outward():
        if tree.parent[i] or not tree.joint[i].is_free or not all(is_zero(x) for x in tree.armature[i]):
            continue
        for c, d in enumerate(directions[i], start=tree.iv[i].start):
            seen = {"q": d.carried_twice}
            if all(is_zero(x) for x in d.S.angular):
                seen["v"] = d.moved
            for name, motion in seen.items():
                column: list[Scalar] = [0.0] * tree.nv
                # its directions are the six axes, so that coordinates of a motion are its projections
                column[tree.iv[i]] = [other.S.dot(Force(motion.angular, motion.linear)) for other in directions[i]]
                known[name][c] = column
    return known


def _columns(S, size: int) -> list[Motion]:
    return [S @ [float(k == c) for k in range(size)] for c in range(size)]


def _direction(S: Motion, velocity: Motion, acceleration: Motion, own_velocity: Motion) -> Direction:
    """`velocity` and `acceleration` are the parent's, in this body's frame."""
    carried = velocity.cross(S)
    return Direction(S, carried, acceleration.cross(S) + velocity.cross(carried), carried + own_velocity.cross(S))


class _Column:
    """What a direction S does to the wrench of all that hangs on its joint, on the way to the ground: dq, dv, and I S
    and 2 B' S, which its own torque weighs the motions of other joints with."""

    __slots__ = ("dq", "dv", "inertia", "twice_B")

    def __init__(self, dq: Force, dv: Force, inertia: Force, twice_B: Vector):
        self.dq, self.dv, self.inertia, self.twice_B = dq, dv, inertia, twice_B

    @classmethod
    def starting(cls, d: Direction, inertia: RigidInertia, B: CoriolisMatrix) -> _Column:
        return cls(
            B.twice(d.carried) + inertia @ d.carried_twice, B.twice(d.S) + inertia @ d.moved,
            inertia @ d.S, B.twice_transposed(d.S),
        )  # fmt: skip

    @classmethod
    def of(cls, numbers: Sequence[Scalar]) -> _Column:
        dq, dv, inertia = (Force.of(numbers[k : k + 6]) for k in (0, 6, 12))
        return cls(dq, dv, inertia, Vector.of(numbers[18:]))

    def __iter__(self) -> Iterator[Scalar]:
        return chain(self.dq, self.dv, self.inertia, self.twice_B)

    def moved_to_parent(self, X: Transform) -> _Column:
        return _Column(X.T @ self.dq, X.T @ self.dv, X.T @ self.inertia, X.rotate_back(self.twice_B))

    def meeting(self, other: Direction) -> list[Scalar]:
        """With the joint j of `other` on the way: dtau_j/dq, dtau_j/dv, dtau/dq_j, dtau/dv_j and an entry of M."""
        return [
            other.S.dot(self.dq), other.S.dot(self.dv),
            self.twice_B @ other.carried.angular + self.inertia.dot(other.carried_twice),
            self.twice_B @ other.S.angular + self.inertia.dot(other.moved), other.S.dot(self.inertia),
        ]  # fmt: skip


def _path(tree: Tree, i: int) -> Iterator[int]:
    """Body i and all before it."""
    while i:
        yield i
        i = tree.parent[i]


def _on_path(column: _Column, tree: Tree, path: Sequence[int], X, directions) -> list[Scalar]:
    """What a column meets on its way."""
    results: list[Scalar] = []
    for j in path:
        for other in directions[j]:
            results += column.meeting(other)
        if tree.parent[j]:
            column = column.moved_to_parent(X[j])
    return results
