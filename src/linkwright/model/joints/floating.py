"""Joints with a quaternion: spherical and free-flyer. One of any length but zero stands for its rotation."""

from __future__ import annotations

import numpy as np

from ...fixed_order import unit
from ...spatial import CoordinateSubspace, Rotate, Shift, Transform, Vector
from ...spatial.quaternion import (
    conjugate,
    exponential,
    logarithm,
    normalised,
    product,
    rigid_displacement,
    rigid_displacement_inverse,
    rotation_matrix,
    squared_length,
)
from .joint_motion import JointMotion
from .straight import FreeMotion, TurningMotion


class Spherical(JointMotion):
    """q = quaternion [x, y, z, w], v = angular velocity in the child's frame."""

    kind, nq, nv = "spherical", 4, 3
    turned_round, drawn_as = "uniform", "ball"
    leaves_in_place = "centre"
    held, holds_point = ("all", "none"), True
    velocity_is_rate = False
    has_quaternion, vectors, straight = True, 1, TurningMotion

    def transform(self, q):
        return Transform(Rotate(rotation_matrix(q)))

    def subspace(self, q):
        return CoordinateSubspace(0, 1, 2)

    def neutral(self):
        return [0.0, 0.0, 0.0, 1.0]

    def random(self, rng, lower, upper):
        return random_quaternion(rng)

    def integrate(self, q, v):
        # normalising keeps rounding from growing over thousands of steps
        return normalised(product(q, exponential(Vector(*v))))

    def difference(self, q0, q1):
        return list(logarithm(product(conjugate(q0), q1)))

    def coordinate_rates(self, q, v):
        return [x * 0.5 for x in product(q, [*v, 0.0])]

    def velocities_of(self, q, rates):
        twice = 2.0 / squared_length(q)
        return [x * twice for x in product(conjugate(q), rates)[:3]]


class FreeFlyer(JointMotion):
    """q = [position, quaternion x y z w], v = [linear; angular] in the child's frame."""

    kind, nq, nv = "free_flyer", 7, 6
    velocity_is_rate = False
    is_free = has_quaternion = True
    leading_lengths, in_turning_axes, vectors, straight = 3, 3, 2, FreeMotion

    def transform(self, q):
        return Transform(Shift(Vector(*q[:3])), Rotate(rotation_matrix(q[3:])))

    def subspace(self, q):
        return CoordinateSubspace(3, 4, 5, 0, 1, 2)

    def lacking(self, v):
        return [*Vector(*v[3:]).cross(Vector(*v[:3])), 0.0, 0.0, 0.0]

    def neutral(self):
        return [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]

    def random(self, rng, lower, upper):
        position = [
            float(rng.uniform(a if np.isfinite(a) else -1.0, b if np.isfinite(b) else max(1.0, a)))
            for a, b in zip(lower[:3], upper[:3], strict=True)
        ]
        return [*position, *random_quaternion(rng)]

    def integrate(self, q, v):
        linear, angular = Vector(*v[:3]), Vector(*v[3:])
        moved = rotation_matrix(q[3:]) @ rigid_displacement(linear, angular)
        quaternion = normalised(product(q[3:], exponential(angular)))
        return [*(Vector(*q[:3]) + moved), *quaternion]

    def difference(self, q0, q1):
        angular = logarithm(product(conjugate(q0[3:]), q1[3:]))
        moved = rotation_matrix(q0[3:]).T @ (Vector(*q1[:3]) - Vector(*q0[:3]))
        return [*rigid_displacement_inverse(moved, angular), *angular]

    def coordinate_rates(self, q, v):
        return [*(rotation_matrix(q[3:]) @ Vector(*v[:3])), *(x * 0.5 for x in product(q[3:], [*v[3:], 0.0]))]

    def velocities_of(self, q, rates):
        twice = 2.0 / squared_length(q[3:])
        turning = product(conjugate(q[3:]), rates[3:])[:3]
        return [*(rotation_matrix(q[3:]).T @ Vector(*rates[:3])), *(x * twice for x in turning)]


def random_quaternion(rng: np.random.Generator) -> list[float]:
    """Uniform over rotations."""
    return unit(rng.normal(size=4)).tolist()
