"""The outward sweep that every dynamics algorithm starts with: transforms, velocities, accelerations.

Accelerations are *classical* accelerations of body origins and start from -gravity at the ground, so gravity needs no
further mention, and linear velocities do not occur (spatial/acceleration.py). With zero joint accelerations the sweep
yields all velocity-dependent terms at once; what remains for a solver is a mechanism at rest.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...model import Tree
from ...scalar import Scalar
from ...spatial import AccelerationField, Force, Motion, Subspace, Transform, Vector


class MotionSweep:
    """Per body: X (from parent), S (motion subspace), w (angular velocity), acceleration, field."""

    def __init__(
        self,
        tree: Tree,
        q: Sequence[Scalar],
        v: Sequence[Scalar],
        a: Sequence[Scalar] | None = None,
        *,
        gravity: Vector | None = None,
    ):
        n = len(tree.parent)
        self.X: list[Transform] = [Transform()] * n
        self.S: list[Subspace] = [None] * n  # type: ignore[list-item]
        self.w = [Vector.zero()] * n
        self.acceleration = [Motion(Vector.zero(), -(tree.gravity if gravity is None else gravity))] * n
        self.field = [AccelerationField(self.w[0], self.acceleration[0])] * n
        for i in tree.outward():
            p, joint, qi, vi = tree.parent[i], tree.joint[i], q[tree.iq[i]], v[tree.iv[i]]
            self.X[i] = X = tree.Xtree[i].then(joint.transform(qi))
            self.S[i] = S = joint.subspace(qi)
            vJ = S @ vi
            carried = X.rotate(self.w[p])
            self.w[i] = carried + vJ.angular

            # d/dt of the joint's velocity as seen from the parent, Coriolis terms of both parts, and what the
            # parent's own motion does to this body's origin
            origin = self.field[p].at(X.locate(Vector.zero()))
            acceleration = Motion(
                X.rotate(self.acceleration[p].angular) + carried.cross(vJ.angular),
                X.rotate(origin) + (carried * 2.0 + vJ.angular).cross(vJ.linear),
            )
            rate = joint.subspace_rate(qi, vi)
            if rate is not None:
                acceleration = acceleration + rate @ vi
            if a is not None:
                acceleration = S.add_motion(acceleration, a[tree.iv[i]])
            self.acceleration[i] = acceleration
            self.field[i] = AccelerationField(self.w[i], acceleration)

    def wrenches(self, tree: Tree, f_ext: Sequence[Force] | None = None) -> list[Force]:
        """What it takes to move each body as the sweep says, less external forces."""
        wrenches = [Force.zero()] * len(tree.parent)
        for i in tree.outward():
            f = tree.lumped[i].wrench(self.field[i])
            wrenches[i] = f if f_ext is None else f - f_ext[i]
        return wrenches
