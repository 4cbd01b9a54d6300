"""The centre of mass of some bodies, in the world's coordinates: the sum of m_i c_i over the sum of m_i."""

from __future__ import annotations

from functools import cached_property

from ...scalar import Scalar
from ...spatial import Force, Transform, Vector, sum_of
from .closure import Closure, Terms
from .frame_motions import FrameMotions


class CenterOfMassClosure(Closure):
    @cached_property
    def _bodies(self) -> tuple[int, ...]:
        return self.constraint.bodies(self.tree.model)

    @cached_property
    def _share(self) -> Scalar:
        """One over the mass of all."""
        return 1.0 / sum_of(self.tree.inertia[i].m for i in self._bodies)

    def rows(self) -> list[Force]:
        return [Force(Vector.zero(), Vector.unit(k)) for k in self.constraint.directions]

    def terms(self) -> Terms:
        terms: Terms = []
        for i in self._bodies:
            R, inertia = self.poses.seen_from(0, i).rotation, self.tree.inertia[i]
            directions = [R.T @ (Vector.unit(k) * self._share) for k in self.constraint.directions]
            terms.append((i, tuple(Force(inertia.h.cross(d), d * inertia.m) for d in directions)))
        return terms

    def motion(self, motions: FrameMotions) -> tuple[list[Scalar], list[Scalar]]:
        velocity, rate = [], []
        for i in self._bodies:
            R, inertia, field = self.poses.seen_from(0, i).rotation, self.tree.inertia[i], motions.field(i)
            moving = motions.velocity((i, Transform()))
            velocity.append(R @ (moving.linear * inertia.m + moving.angular.cross(inertia.h)))
            rate.append(R @ (field.origin * inertia.m + field.B @ inertia.h))
        speed, felt = sum_of(velocity) * self._share, sum_of(rate) * self._share
        acceleration = felt + self.tree.gravity
        return [speed[k] for k in self.constraint.directions], [acceleration[k] for k in self.constraint.directions]

    def error(self) -> list[Scalar]:
        moments = []
        for i in self._bodies:
            pose, inertia = self.poses.seen_from(0, i), self.tree.inertia[i]
            moments.append(pose.position * inertia.m + pose.rotation @ inertia.h)
        offset = sum_of(moments) * self._share - Vector.of(self.constraint.target.tolist())
        return [offset[k] for k in self.constraint.directions]
