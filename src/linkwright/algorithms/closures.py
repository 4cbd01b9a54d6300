"""Loop closures: how one frame of a mechanism moves relative to another.

Everything is expressed in the first frame. Gravity drops out, so the sweep's accelerations serve as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..model import Tree
from ..scalar import Scalar
from ..spatial import Force, Matrix, Motion, Placement, Vector
from .kinematics import placements
from .motion_sweep import MotionSweep


class Closures:
    """Poses are worked out when first asked for: constraints to the ground without stabilization need none."""

    def __init__(self, tree: Tree, q: Sequence[Scalar]):
        self._tree, self._q = tree, q
        self._bodies: list[Placement] | None = None

    def _poses(self, c) -> tuple[Placement, Placement]:
        if self._bodies is None:
            self._bodies = placements(self._tree, self._q)
        return self._bodies[c.body].after(c.frame), self._bodies[c.other].after(c.other_frame)

    def _between(self, c) -> tuple[Matrix, Vector]:
        """Rotation from the second frame's coordinates to the first's, and the second's origin in the first."""
        first, second = self._poses(c)
        back = first.rotation.T
        return back @ second.rotation, back @ (second.position - first.position)

    def other_rows(self, c) -> list[Force]:
        """-rows X12 on the second body, in its frame of computation; of a point only its origin's velocity counts."""
        R, p = self._between(c)
        result = []
        for row in c.rows:
            moment = Vector.zero() if c.point else R.T @ (row.angular - p.cross(row.linear))
            result.append(c.other_frame.T @ -Force(moment, R.T @ row.linear))
        return result

    def relative_motion(self, c, sweep: MotionSweep, velocity: Sequence[Motion]) -> tuple[Motion, Motion]:
        """(velocity, rate of it when the joints do not accelerate) of the first frame relative to the second.

        The rate is d/dt in the first frame's coordinates: of v1 - X12 v2 it is a1 - X12 a2 + v1 x X12 v2, and of
        R1' (p1dot - p2dot) the difference of the origins' accelerations less omega1 x itself.
        """
        R, p = self._between(c)
        v1, v2 = c.frame @ velocity[c.body], c.other_frame @ velocity[c.other]
        (alpha1, a1), (alpha2, a2) = (
            (frame.rotate(sweep.acceleration[i].angular), frame.rotate(sweep.field[i].at(frame.locate(Vector.zero()))))
            for i, frame in ((c.body, c.frame), (c.other, c.other_frame))
        )
        w = R @ v2.angular
        if c.point:
            moving = v1.linear - R @ v2.linear
            rate = a1 - R @ a2 - v1.angular.cross(moving)
            return Motion(v1.angular - w, moving), Motion(Vector.zero(), rate)
        seen = Motion(w, R @ v2.linear + p.cross(w))  # X12 v2
        spatial1 = Motion(alpha1, a1 - v1.angular.cross(v1.linear))
        turned = R @ alpha2
        spatial2 = Motion(turned, R @ (a2 - v2.angular.cross(v2.linear)) + p.cross(turned))
        return v1 - seen, spatial1 - spatial2 + v1.cross(seen)

    def position_error(self, c) -> Motion:
        """How far the first frame is from its target in the second, as a small motion in its own coordinates."""
        first, second = self._poses(c)
        goal = Placement(second.rotation @ c.target.rotation, second.position + second.rotation @ c.target.position)
        offset = first.rotation.T @ (first.position - goal.position)
        relative = goal.rotation.T @ first.rotation  # the frame's axes seen from its target
        # sine of the angle times the axis: the rotation vector to first order, smooth everywhere
        half = Vector(
            (relative[2, 1] - relative[1, 2]) * 0.5,
            (relative[0, 2] - relative[2, 0]) * 0.5,
            (relative[1, 0] - relative[0, 1]) * 0.5,
        )
        return Motion(half, offset)
