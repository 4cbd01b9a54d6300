"""Joints that move together. A joint's velocity is the velocity of its body relative to the parent, along its axis."""

from __future__ import annotations

from ...scalar import Numbers, Scalar
from ...spatial import Force, Vector, sum_of
from .closure import Closure, Terms
from .frame_motions import FrameMotions


class CouplingClosure(Closure):
    def _joints(self) -> list[tuple[int, tuple[Scalar, ...]]]:
        terms = self.tree.coupling_terms(self.constraint)
        return [(self.tree.model.joint_index(joint), polynomial) for joint, polynomial in terms]

    def _slopes(self) -> list[tuple[int, Scalar]]:
        """(body, derivative of its joint's polynomial)."""
        return [(i, value_of(derivative(polynomial), self._coordinate(i))) for i, polynomial in self._joints()]

    def _coordinate(self, i: int) -> Scalar:
        return self.q[self.tree.iq[i]][0]

    def rows(self) -> list[Force]:
        i, slope = self._slopes()[0]
        joint = self.tree.model.bodies[i].joint
        axis = Vector.of(joint.axis.tolist()) * slope
        slides = joint.kind == "prismatic"
        return [Force(Vector.zero(), axis) if slides else Force(axis, Vector.zero())]

    def terms(self) -> Terms:
        """The joint's own motion leaves its axis where it is, so the row on the parent does not depend on it."""
        tree = self.tree
        rows: dict[int, Force] = {}
        for i, slope in self._slopes():
            along = Force.of(1.0 if k == axis_of(tree.joint[i]) else 0.0 for k in range(6)) * slope
            for body, row in ((i, along), (tree.parent[i], tree.Xtree[i].T @ -along)):
                if body:
                    rows[body] = rows[body] + row if body in rows else row
        return [(body, (row,)) for body, row in rows.items()]

    def motion(self, motions: FrameMotions) -> tuple[list[Scalar], list[Scalar]]:
        velocity, rate = [], []
        for (i, polynomial), (_, slope) in zip(self._joints(), self._slopes(), strict=True):
            speed = motions.rates[self.tree.iv[i]][0]
            velocity.append(slope * speed)
            rate.append(value_of(derivative(derivative(polynomial)), self._coordinate(i)) * (speed * speed))
        return [sum_of(velocity)], [sum_of(rate)]

    def error(self) -> list[Scalar]:
        return [sum_of(value_of(polynomial, self._coordinate(i)) for i, polynomial in self._joints())]


def axis_of(joint) -> int:
    """The component of a spatial motion (0-2 angular, 3-5 linear) that the joint's velocity is."""
    return joint.k + 3 if joint.kind == "prismatic" else joint.k


def derivative(polynomial: Numbers) -> tuple[float, ...]:
    return tuple(k * c for k, c in enumerate(polynomial))[1:] or (0.0,)


def value_of(polynomial: Numbers, x: Scalar) -> Scalar:
    """Horner's scheme."""
    value: Scalar = polynomial[-1]
    for c in reversed(polynomial[:-1]):
        value = value * x + c
    return value
