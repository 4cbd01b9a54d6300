"""What constraints between coordinates of joints share: on bodies, each row is along the joints' axes.

A joint's velocity is the velocity of its body relative to the parent, along its axis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...scalar import Scalar
from ...spatial import Force, Vector
from .at_state import ConstraintAtState, Terms
from .constraint import Constraint, bodies_of_joints


class JointTie(Constraint):
    """Of joints with one velocity each; always between coordinates, so it always has a position."""

    has_position = True  # type: ignore[assignment]

    def bodies(self, model) -> tuple[int, ...]:
        return bodies_of_joints(model, self, self.tied_joints)

    def is_internal(self, model) -> bool:
        return True

    @property
    def holds(self) -> str:
        return f"joints {', '.join(self.tied_joints)}"

    def lengths(self, model) -> np.ndarray:
        """As the first joint's coordinate is."""
        return np.full(self.size, slides(model, self.tied_joints[0]))

    def cut(self, model, loop) -> str:
        return f"couples joints {', '.join(loop.joints)}"


class TieAtState(ConstraintAtState):
    """What does not depend on how the joints are tied."""

    def joints(self) -> list[int]:
        """Bodies that the tied joints carry."""
        return [self.tree.model.joint_index(name) for name in self.constraint.tied_joints]

    def coordinates(self) -> list[Scalar]:
        return [self.q[self.tree.iq[i]][0] for i in self.joints()]

    def rates(self, v: Sequence[Scalar]) -> list[Scalar]:
        return [v[self.tree.iv[i]][0] for i in self.joints()]

    def on_first_body(self, slopes: Sequence[Scalar]) -> list[Force]:
        """Along the first joint's axis in the frame the user knows, one per row."""
        joint = self.tree.model.bodies[self.joints()[0]].joint
        axis = Vector.of(joint.axis.tolist())
        if joint.motion().slides:
            return [Force(Vector.zero(), axis * slope) for slope in slopes]
        return [Force(axis * slope, Vector.zero()) for slope in slopes]

    def along(self, i: int) -> Force:
        return along(self.tree, i)


def along(tree, i: int) -> Force:
    """The component of a spatial motion that joint i's velocity is."""
    joint = tree.joint[i]
    component = joint.k + 3 if joint.slides else joint.k
    return Force.of(1.0 if k == component else 0.0 for k in range(6))


def sum_of_rates(tree, joints: Sequence[int], slopes: Sequence[Scalar]) -> Terms:
    """The sum of slope times velocity of joints as a row on bodies. A joint's own motion leaves its axis where it is,
    so the row on the parent does not depend on it."""
    rows: dict[int, Force] = {}
    for i, slope in zip(joints, slopes, strict=True):
        own = along(tree, i) * slope
        for body, row in ((i, own), (tree.parent[i], tree.Xtree[i].T @ -own)):
            if body:
                rows[body] = rows[body] + row if body in rows else row
    return [(body, (row,)) for body, row in rows.items()]


def slides(model, joint: str) -> bool:
    """Whether a joint's coordinate is a length."""
    return model.joints[model.joint_index(joint) - 1].motion().slides
