"""One cluster at one posture: how forces on its bodies reach its coordinates, and the bodies that carry it.

The cluster motion subspace of [Chignoli2023] eq. 24, S = X block(S_i) G (Algorithm 1, lines 8-12), is never formed. Its
transpose is applied by carrying forces inward through the cluster's own tree (eq. 23), its inertia by carrying the
composite inertias of that tree, so the cost is that of the tree's few joints and not of dense 6n x 6n matrices.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

from ...model import Tree
from ...model.clusters import Cluster
from ...scalar import Scalar, is_zero
from ...spatial import ArticulatedInertia, Force, Motion, RigidInertia, Subspace, Transform, dot
from .embedding import Embedding
from .rotors import Reflected, Rotor

Inertia = RigidInertia | ArticulatedInertia


class ClusterJoint:
    """X and S of the bodies, the embedding, and the rotors among the cluster's bodies."""

    def __init__(
        self, tree: Tree, cluster: Cluster, X: Sequence[Transform], S: Sequence[Subspace], embedding: Embedding,
        rotors: Sequence[Rotor] = (), reflected: Reflected | None = None,
    ):  # fmt: skip
        self.tree, self.cluster, self.embedding, self.rotors = tree, cluster, embedding, rotors
        self.X, self.S = X, S  # lines 8-10: of single bodies, one after the other
        reflected = Reflected() if reflected is None else reflected
        spinning = {rotor.body for rotor in (*rotors, *reflected.rotors)}
        self.links = tuple(i for i in cluster.bodies if i not in spinning)
        self.velocities = tuple(k for i in cluster.bodies for k in range(tree.iv[i].start, tree.iv[i].stop))
        self._rows = {k: embedding.G[r] for r, k in enumerate(self.velocities)}  # line 12
        self.size = len(embedding.G[0])
        self.reflected_inertia = reflected.inertia(self._rows, self.size)

    def rows(self, i: int) -> list[Sequence[Scalar]]:
        """The rows of G of body i's joint."""
        return [self._rows[k] for k in range(self.tree.iv[i].start, self.tree.iv[i].stop)]

    def inward(self, forces: Mapping[int, Force]) -> tuple[list[Scalar], dict[int, Force]]:
        """(S' f, the sum on each output body) of forces on the cluster's bodies."""
        carried = dict(forces)
        generalised: list[Scalar] = [0.0] * self.size
        for i in reversed(self.links):
            if i not in carried:
                continue
            f = carried.pop(i)
            for row, torque in zip(self.rows(i), self.S[i].project(f), strict=True):
                for b, factor in enumerate(row):
                    if not is_zero(factor):
                        generalised[b] = generalised[b] + factor * torque
            if self.tree.parent[i]:
                _add(carried, self.tree.parent[i], self.X[i].T @ f)
        return generalised, carried

    def outward(self, change, ydd: Sequence[Scalar]) -> dict[int, Motion]:
        """Accelerations of the cluster's bodies, from those of the bodies that carry it and its own coordinates."""
        moved: dict[int, Motion] = {}
        for i in self.links:
            p = self.tree.parent[i]
            rates = [dot(row, ydd) for row in self.rows(i)]
            if p:
                moved[i] = self.S[i].add_motion(self.X[i] @ (moved[p] if p in moved else change[p]), rates)
            else:
                moved[i] = self.S[i] @ rates
        return moved

    def composites(self, inertia: Mapping[int, Inertia]) -> tuple[dict[int, Inertia], dict[int, Inertia]]:
        """Inertias of the subtrees within the cluster, its joints held; and what each output body carries of them."""
        composite = dict(inertia)
        felt: dict[int, Inertia] = {}
        for i in reversed(self.links):
            p = self.tree.parent[i]
            if p:
                _add(composite if p in composite else felt, p, self.X[i].congruence(composite[i]))
        return composite, felt

    def columns(self, composite: Mapping[int, Inertia]) -> tuple[list[list[Scalar]], list[dict[int, Force]]]:
        """(D = S' I S with rotor inertias, I S on each output body for each coordinate)."""
        D = [list(row) for row in self.reflected_inertia]
        columns: list[dict[int, Force]] = [{} for _ in range(self.size)]
        for rotor in self.rotors:
            row = self._rows[rotor.velocity]
            _add_outer(D, row, row, rotor.inertia)
            for b, factor in enumerate(row):
                if not is_zero(factor) and rotor.carrier:
                    _add(columns[b], rotor.carrier, rotor.force * factor)
        for i in reversed(self.links):
            rows = self.rows(i)
            beyond = [column.pop(i, None) for column in columns]  # from bodies that i carries
            own = self.S[i].columns(composite[i])  # line 26
            total: list[Force | None] = list(beyond)
            for b in range(self.size):
                for force, row in zip(own, rows, strict=True):
                    if not is_zero(row[b]):
                        part = force * row[b]
                        total[b] = part if total[b] is None else total[b] + part
            outer, whole = ([None if f is None else self.S[i].project(f) for f in part] for part in (beyond, total))
            for k, row in enumerate(rows):
                for a, b in _pairs(self.size):  # G' (own + beyond) and the transpose of what lies beyond
                    if whole[b] is not None and not is_zero(row[a]):  # line 27
                        D[a][b] = D[a][b] + row[a] * whole[b][k]
                    if outer[a] is not None and not is_zero(row[b]):
                        D[a][b] = D[a][b] + outer[a][k] * row[b]
            p = self.tree.parent[i]
            for b, felt in enumerate(total):
                if p and felt is not None:
                    _add(columns[b], p, self.X[i].T @ felt)
        for k in self.velocities:
            i = self._body_of(k)
            R = self.tree.armature[i][k - self.tree.iv[i].start]
            if not is_zero(R):
                _add_outer(D, self._rows[k], self._rows[k], R)
        for a, b in _pairs(self.size):
            D[b][a] = D[a][b]
        return D, columns

    def _body_of(self, velocity: int) -> int:
        return next(i for i in self.cluster.bodies if self.tree.iv[i].start <= velocity < self.tree.iv[i].stop)


def add_inertias(a: Inertia, b: Inertia) -> Inertia:
    """Rigid as long as both are."""
    if isinstance(a, RigidInertia) != isinstance(b, RigidInertia):
        a, b = articulated(a), articulated(b)
    return a + b  # type: ignore[operator]  # both of one type by now


def articulated(inertia: Inertia) -> ArticulatedInertia:
    return inertia.articulated() if isinstance(inertia, RigidInertia) else inertia


def _add(sums: dict, key: int, value) -> None:
    if key not in sums:
        sums[key] = value
    elif isinstance(value, Force):
        sums[key] = sums[key] + value
    else:
        sums[key] = add_inertias(sums[key], value)


def _pairs(n: int):
    """(a, b) with a >= b."""
    return [(a, b) for b, a in combinations_with_replacement(range(n), 2)]


def _add_outer(D: list[list[Scalar]], left: Sequence[Scalar], right: Sequence[Scalar], factor: Scalar) -> None:
    for a, b in _pairs(len(D)):
        if not (is_zero(left[a]) or is_zero(right[b])):
            D[a][b] = D[a][b] + left[a] * right[b] * factor
