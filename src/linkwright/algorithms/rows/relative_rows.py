"""One frame relative to another: welds, points, joints that close a loop. All is expressed in the first frame."""

from __future__ import annotations

from functools import cached_property

from ...scalar import Scalar
from ...spatial import Force, Matrix, Motion, Vector
from .closure import Closure, Terms
from .frame_motions import FrameMotions


class RelativeClosure(Closure):
    @cached_property
    def _first(self):
        return self.tree.constraint_frame(self.constraint, 0)

    @cached_property
    def _second(self):
        """Where the first frame should be, on the second body."""
        return self.tree.constraint_frame(self.constraint, 1)

    @cached_property
    def _between(self) -> tuple[Matrix, Vector]:
        return self.poses.between(self._first, self._second)

    def _crossed(self) -> tuple[Vector, Vector]:
        """(the axis in the first frame, the second's axis seen from there); they are to be perpendicular."""
        own, its = (Vector.of(axis.tolist()) for axis in self.constraint.crossed)
        return own, self._between[0] @ its

    def _constant_rows(self) -> list[Force]:
        return self.tree.constraint_matrix(self.constraint, 0, self.constraint.rows)

    def rows(self) -> list[Force]:
        rows = self._constant_rows()
        if self.constraint.crossed is not None:
            own, seen = self._crossed()
            rows.append(Force(own.cross(seen), Vector.zero()))
        return rows

    def terms(self) -> Terms:
        (body, frame), (other, other_frame) = self._first, self._second
        rows = self.rows()
        terms: Terms = [(body, tuple(frame.T @ row for row in rows))]
        if other:
            terms.append((other, tuple(other_frame.T @ -self._moved(row) for row in rows)))
        return terms

    def _moved(self, row: Force) -> Force:
        """row X12, on the second frame; of a point only its origin's velocity counts."""
        R, p = self._between
        moment = row.angular if self.constraint.point else row.angular - p.cross(row.linear)
        return Force(R.T @ moment, R.T @ row.linear)

    def motion(self, motions: FrameMotions) -> tuple[list[Scalar], list[Scalar]]:
        moving, change = self._relative_motion(motions)
        constant = self._constant_rows()
        velocity = [row.dot(moving) for row in constant]
        rate = [row.dot(change) for row in constant]
        if self.constraint.crossed is not None:
            own, seen = self._crossed()
            across, w = own.cross(seen), moving.angular
            velocity.append(across @ w)
            rate.append(across @ change.angular + own.cross(seen.cross(w)) @ w)
        return velocity, rate

    def _relative_motion(self, motions: FrameMotions) -> tuple[Motion, Motion]:
        """(velocity, rate of it when the joints do not accelerate) of the first frame relative to the second.

        The rate is d/dt in the first frame's coordinates: of v1 - X12 v2 it is a1 - X12 a2 + v1 x X12 v2, and of
        R1' (p1dot - p2dot) the difference of the origins' accelerations less omega1 x itself. Gravity drops out.
        """
        v1 = motions.velocity(self._first)
        if not self._second[0]:
            return v1, motions.acceleration(self._first)
        R, p = self._between
        v2 = motions.velocity(self._second)
        felt1, felt2 = motions.felt(self._first), motions.felt(self._second)
        w, alpha = R @ v2.angular, R @ felt2.angular
        turning = felt1.angular - alpha + v1.angular.cross(w)
        if self.constraint.point:
            moving = v1.linear - R @ v2.linear
            rate = felt1.linear - R @ felt2.linear - v1.angular.cross(moving)
            return Motion(v1.angular - w, moving), Motion(turning, rate)
        seen = Motion(w, R @ v2.linear + p.cross(w))  # X12 v2
        spatial1 = Motion(felt1.angular, felt1.linear - v1.angular.cross(v1.linear))
        spatial2 = Motion(alpha, R @ (felt2.linear - v2.angular.cross(v2.linear)) + p.cross(alpha))
        return v1 - seen, spatial1 - spatial2 + v1.cross(seen)

    def error(self) -> list[Scalar]:
        turned, offset = self._rotation_error(), -self._between[1]
        if self.constraint.held_rotations > 1:
            # rows measure displacements along the second frame's axes, which the first's are turned from
            offset = offset + turned.cross(offset)
        small = Motion(turned, offset)
        errors = [row.dot(small) for row in self._constant_rows()]
        if self.constraint.crossed is not None:
            own, seen = self._crossed()
            errors.append(own @ seen)
        return errors

    def _rotation_error(self) -> Vector:
        """The rotation vector from the second frame to the first to first order, smooth everywhere.

        Where the frame may turn about an axis, how far that axis is tilted; else the sine of the angle times the axis.
        """
        seen = self._between[0]
        axis = self.constraint.turning_axis
        if axis is not None:
            own = Vector.of(axis.tolist())
            return (seen @ own).cross(own)
        return Vector(
            (seen[1, 2] - seen[2, 1]) * 0.5, (seen[2, 0] - seen[0, 2]) * 0.5, (seen[0, 1] - seen[1, 0]) * 0.5
        )
