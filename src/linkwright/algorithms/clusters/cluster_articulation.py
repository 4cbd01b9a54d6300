"""Eliminating one cluster: what its parent cluster feels of it while its coordinates can move.

[Chignoli2023] Algorithm 1, lines 26-33 and 40-42, for one cluster; in frames of bodies, so that what the paper carries
to the parent cluster by X is carried through the cluster's own tree.

A cluster of one body without loops is an ordinary joint and uses `Articulation`, operation for operation as in ABA.
A cluster whose bodies hang on several bodies of its parent ties these to one another: its columns U D^-1 U' then
cannot be subtracted from any one body's inertia and travel along as *tied columns*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...scalar import Scalar
from ...spatial import LDL, ArticulatedInertia, Force, Motion, RigidInertia, RowVector, sum_of
from ..parts.articulation import Articulation
from .cluster_joint import ClusterJoint, Inertia, articulated


@dataclass(frozen=True)
class TiedColumn:
    """- weight Z Z', Z given on several bodies: part of an inertia that belongs to none of them alone."""

    forces: Mapping[int, Force]
    weight: Scalar


class SingleBody:
    """A cluster of one body and no loop."""

    def __init__(self, joint: ClusterJoint, inertia: Mapping[int, Inertia]):
        (self.body,) = joint.cluster.bodies
        self.cluster_joint = joint
        self.parent = joint.tree.parent[self.body]
        self.X = joint.X[self.body]
        self.inertia = articulated(inertia[self.body])
        self.joint = Articulation(self.inertia, joint.S[self.body], joint.tree.armature[self.body])  # lines 26, 27
        self.D = self.joint.D

    def drive(self, forces: Mapping[int, Force], tau: Sequence[Scalar]) -> tuple[RowVector, dict[int, Force]]:
        """(y, the accelerations if the parent did not accelerate; the force that the parent feels)."""
        p = forces[self.body]
        y = self.joint.D.solve(tau - self.joint.S.project(p))  # line 28
        felt = {self.parent: self.X.T @ self.joint.force_felt(p, y, tau)} if self.parent else {}  # lines 29, 31, 33
        return y, felt

    def felt(self) -> tuple[dict[int, Inertia], list[TiedColumn]]:
        if not self.parent:  # line 29
            return {}, []
        return {self.parent: self.X.congruence(self.joint.inertia_felt(self.inertia))}, []  # lines 30, 32

    def accelerate(self, y: RowVector, change: Sequence[Motion]) -> tuple[RowVector, dict[int, Motion]]:
        """(ydd, accelerations of the bodies)."""
        carried = self.X @ change[self.parent]  # line 40
        rates = self.joint.rates(y, carried)  # line 41
        return rates, {self.body: self.joint.S.add_motion(carried, rates)}  # line 42


class ClusterArticulation:
    """U = I S on the output bodies, D = S' I S, V = D^-1 U' for a cluster with loops."""

    def __init__(self, joint: ClusterJoint, inertia: Mapping[int, Inertia], tied: Sequence[TiedColumn] = ()):
        self.cluster_joint = joint
        composite, self._carried = joint.composites(inertia)
        D, self.U = joint.columns(composite)  # lines 26, 27: cluster_joint.py
        self._tied = []
        for column in tied:  # tied columns of its children: they belong to this cluster's inertia
            own, outer = joint.inward(column.forces)
            scaled = [x * column.weight for x in own]
            for a in range(joint.size):
                for b in range(a + 1):
                    D[a][b] = D[a][b] - own[a] * scaled[b]
                for o, force in outer.items():
                    part = force * scaled[a]
                    self.U[a][o] = self.U[a][o] - part if o in self.U[a] else -part
            self._tied.append(TiedColumn(outer, column.weight))
        self.D = LDL(D)
        self.outputs = [o for o in joint.cluster.outputs if o]
        self.V = {o: self._solved(o) for o in self.outputs}

    def _solved(self, o: int) -> list[Force]:
        zero = Force.zero()
        U = [column.get(o, zero) for column in self.U]
        solved = [self.D.solve([column[r] for column in U]) for r in range(6)]
        return [Force.of(solved[r][k] for r in range(6)) for k in range(len(U))]

    def felt(self) -> tuple[dict[int, Inertia], list[TiedColumn]]:
        """Per output body the composite inertia less U D^-1 U', or tied columns where there are several outputs."""
        if len(self.outputs) > 1:
            zero = Force.zero()
            columns = []
            for k in range(self.cluster_joint.size):  # L^-1 U
                unit = [1.0 if r == k else 0.0 for r in range(self.cluster_joint.size)]
                factors = self.D.backward(unit)  # row k of L^-1 is column k of L'^-1
                forces = {
                    o: sum_of(column.get(o, zero) * x for column, x in zip(self.U, factors, strict=True))
                    for o in self.outputs
                }
                columns.append(TiedColumn(forces, self.D.inverse_pivots[k]))
            return self._carried, [*columns, *self._tied]
        result: dict[int, Inertia] = {}
        for o in self.outputs:
            inertia = articulated(self._carried.get(o, RigidInertia.zero()))  # none of a cluster of rotors alone
            pairs = [(column[o], v) for column, v in zip(self.U, self.V[o], strict=True) if o in column]
            pairs += [(t.forces[o], t.forces[o] * t.weight) for t in self._tied if o in t.forces]
            result[o] = _less(inertia, pairs) if pairs else inertia  # lines 30, 32
        return result, []

    def drive(self, forces: Mapping[int, Force], tau: Sequence[Scalar]) -> tuple[RowVector, dict[int, Force]]:
        own, outer = self.cluster_joint.inward(forces)
        y = self.D.solve(tau - RowVector(own))  # line 28
        return y, self.less_columns(outer, -y)  # lines 31, 33

    def less_columns(self, forces: Mapping[int, Force], y: Sequence[Scalar]) -> dict[int, Force]:
        """Forces on the output bodies less U y."""
        result = dict(forces)
        for o in self.outputs:
            for column, x in zip(self.U, y, strict=True):
                if o in column:
                    result[o] = result.get(o, Force.zero()) - column[o] * x
        return result

    def accelerate(self, y: RowVector, change) -> tuple[RowVector, dict[int, Motion]]:
        """`change`: accelerations of the output bodies, by body."""
        rates = y
        for o in self.outputs:
            rates = rates - RowVector(v.dot(change[o]) for v in self.V[o])  # lines 40, 41
        return rates, self.cluster_joint.outward(change, rates)  # line 42


def _less(inertia: ArticulatedInertia, pairs) -> ArticulatedInertia:
    return ArticulatedInertia.from_function(lambda r, s: inertia[r, s] - sum_of(u[r] * v[s] for u, v in pairs))
