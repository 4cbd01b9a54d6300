"""The size of velocities as the mechanism's inertia weighs them, and what errors of a step are small against.

Rad/s and m/s are made comparable by inertia: |x|^2 = sum m_k x_k^2 with m_k a typical diagonal entry of the joint-space
inertia matrix. Errors are divided by the speed of the motion within the mechanism, so the result has no dimension, and
the same mechanics at another scale of time have the same. How fast free bodies travel says nothing of how accurately a
step must follow what moves within, and does not count.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from .. import fixed_order
from ..algorithms.tree.crba import crba
from ..model import Model, tree_of
from ..model.found_once import found_once
from ..scalar import Scalar, maximum

_POSES = 4
_ROUNDING_AT_REST = 1e-9  # of the mechanism's length, in a step: slower motion is rounding
_NOTHING = 1e-300  # keeps a mechanism without any speed and any length from dividing by zero


@found_once
def velocity_weights(model: Model) -> np.ndarray:
    """(nv,) m_k: the mean of M_kk over a few random poses, kg or kg m^2."""
    tree, rng = tree_of(model), np.random.default_rng(0)
    total = np.zeros(model.nv)
    for _ in range(_POSES if model.nv else 0):
        M = crba(tree, [float(x) for x in model.random_configuration(rng)])
        total += np.array([float(M[k][k]) for k in range(model.nv)])
    total /= _POSES
    total.flags.writeable = False
    return total


@found_once
def longest_link(model: Model) -> float:
    """Metres: from a joint to the next, or to a centre of mass; of a body alone its radius of gyration."""
    bodies = model.bodies[1:]
    ways = [fixed_order.norm(body.placement.translation) for body in bodies if body.parent]
    ways += [fixed_order.norm(body.inertia.com) for body in bodies]
    for body in bodies:
        trace = float(body.inertia.tensor[0, 0] + body.inertia.tensor[1, 1] + body.inertia.tensor[2, 2])
        ways.append(math.sqrt(0.5 * trace / body.inertia.mass) if body.inertia.mass > 0.0 else 0.0)
    return max(ways, default=0.0)


class InertiaNorm:
    """Of one model."""

    def __init__(self, model: Model):
        self.weights = [float(m) for m in velocity_weights(model)]
        travelling = {
            model.iv[i].start + k
            for i, joint in enumerate(model.joints, start=1) if joint.moves.is_free
            for k in range(3)
        }  # fmt: skip
        self.within = [k for k in range(model.nv) if k not in travelling]
        mass = sum(body.inertia.mass for body in model.bodies[1:])
        self._rounding = mass * (_ROUNDING_AT_REST * longest_link(model)) ** 2

    def squared(self, x: Sequence[Scalar]) -> Scalar:
        """|x|^2 of velocities, or of an error of velocities."""
        return self._sum(x, range(len(self.weights)))

    def squared_speed(self, v: Sequence[Scalar], a: Sequence[Scalar], h: Scalar) -> Scalar:
        """S^2: the speed of the motion within, with what accelerations add in h seconds, and no less than rounding."""
        moving = self._sum(v, self.within) + h * h * self._sum(a, self.within)
        return maximum(moving + self._rounding / (h * h), _NOTHING)

    def _sum(self, x: Sequence[Scalar], which: Sequence[int]) -> Scalar:
        total: Scalar = 0.0
        for k in which:
            total = total + self.weights[k] * (x[k] * x[k])
        return total
