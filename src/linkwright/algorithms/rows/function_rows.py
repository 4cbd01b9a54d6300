"""Joints tied by a function of their coordinates."""

from __future__ import annotations

from ...scalar import Scalar
from ...spatial import Force, Vector
from .closure import Closure, Terms
from .coupling_rows import axis_of
from .frame_motions import FrameMotions


class FunctionClosure(Closure):
    def _joints(self) -> list[int]:
        return [self.tree.model.joint_index(name) for name in self.constraint.all_joints]

    def _value(self, v=None):
        joints = self._joints()
        rates = [0.0 if v is None else v[self.tree.iv[i]][0] for i in joints]
        return self.constraint.value([self.q[self.tree.iq[i]][0] for i in joints], rates)

    def rows(self) -> list[Force]:
        """On the first joint's body."""
        joint = self.tree.model.bodies[self._joints()[0]].joint
        axis = Vector.of(joint.axis.tolist())
        slides = joint.kind == "prismatic"
        slopes = [row[0] for row in self._value()[1]]
        return [
            Force(Vector.zero(), axis * slope) if slides else Force(axis * slope, Vector.zero()) for slope in slopes
        ]

    def terms(self) -> Terms:
        """As of couplings: along each joint's axis on its body, and against it on the parent."""
        tree, K = self.tree, self._value()[1]
        sums: dict[int, list[Force]] = {}
        for c, i in enumerate(self._joints()):
            unit = Force.of(1.0 if k == axis_of(tree.joint[i]) else 0.0 for k in range(6))
            for body, along in ((i, unit), (tree.parent[i], tree.Xtree[i].T @ -unit)):
                if body:
                    rows = [along * row[c] for row in K]
                    sums[body] = [a + b for a, b in zip(sums[body], rows, strict=True)] if body in sums else rows
        return [(body, tuple(rows)) for body, rows in sums.items()]

    def motion(self, motions: FrameMotions) -> tuple[list[Scalar], list[Scalar]]:
        _, K, rate = self._value(motions.rates)
        rates = [motions.rates[self.tree.iv[i]][0] for i in self._joints()]
        velocity = [sum((k * x for k, x in zip(row, rates, strict=True)), start=0.0) for row in K]
        return velocity, rate

    def error(self) -> list[Scalar]:
        return self._value()[0]
