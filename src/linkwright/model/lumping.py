"""Moving mass to where it costs nothing.

Mass that lies on a revolute joint's axis moves alike whether it belongs to the child or to the parent, so the
joint-space dynamics cannot tell. Handing it to the parent leaves the child without mass, without first moment along
the axis and without one second moment (the base inertial parameters of [Gautier1990]); the zeros vanish from compiled
programs. Energies, momenta and anything else that is reported per body use the true inertias.

Mass stays where it is if the parent's own would drown in it: the sum would hold few digits of the parent, whose motion
may be all that is left when the load is held.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..spatial import RigidInertia, Symmetric, Transform, Vector

# Times a body's own inertia: ten of its digits are left beside that much. Links that stand for nothing in files are
# given masses of 1e-6 and more.
_DROWNING = 1e6


def lump_inertias(
    parent: Sequence[int], joint: Sequence, Xtree: Sequence[Transform], inertia: Sequence[RigidInertia]
) -> tuple[RigidInertia, ...]:
    """Equivalent inertias for joint-space dynamics, from the tips inward; what reaches the ground is dropped."""
    lumped = list(inertia)
    for i in range(len(parent) - 1, 0, -1):
        moved = _movable(joint[i], lumped[i])
        if moved is None:
            continue
        arriving = Xtree[i].congruence(moved)
        if parent[i] and _drowns(inertia[parent[i]], arriving):
            continue
        lumped[i] = _across_axis(joint[i], _without(lumped[i], moved))
        lumped[parent[i]] = lumped[parent[i]] + arriving
    lumped[0] = RigidInertia.zero()
    return tuple(lumped)


def _drowns(own: RigidInertia, arriving: RigidInertia) -> bool:
    return 0.0 < own.m * _DROWNING < arriving.m or 0.0 < own.J.trace * _DROWNING < arriving.J.trace


def _movable(joint, inertia: RigidInertia) -> RigidInertia | None:
    """The part of a body's inertia that its joint's motion does not displace."""
    if joint.leaves_in_place == "axis":
        k = joint.k
        on_axis = [0.0, 0.0, 0.0]
        on_axis[k] = inertia.second_moments[k, k]
        return RigidInertia(inertia.m, Vector.unit(k) * inertia.h[k], _rotational(*on_axis))
    if joint.leaves_in_place == "centre":
        return RigidInertia(inertia.m, Vector.zero(), Symmetric.diagonal(0.0, 0.0, 0.0))
    if joint.leaves_in_place == "turning":  # does not depend on where the origin is
        return RigidInertia(0.0, Vector.zero(), inertia.J)
    return None


def _across_axis(joint, inertia: RigidInertia) -> RigidInertia:
    """With the two moments that are left of mass beside a revolute axis adding up to that about it, to the last bit.

    Sums and differences of the three are then exact, so that programs which need one and have two compute nothing, and
    do so whatever rounding left. Digits below the last one of the largest moment are lost.
    """
    if joint.leaves_in_place != "axis":
        return inertia
    k, i, j = joint.k, (joint.k + 1) % 3, (joint.k + 2) % 3
    J = {(r, s): inertia.J[r, s] for r in range(3) for s in range(r, 3)}
    if J[i, i] + J[j, j] == J[k, k] and J[k, k] - J[i, i] == J[j, j] and J[k, k] - J[j, j] == J[i, i]:
        return inertia
    digit = 2 * math.ulp(abs(J[i, i]) + abs(J[j, j]))
    if not math.isfinite(digit):
        return inertia
    J[i, i], J[j, j] = (round(J[n, n] / digit) * digit for n in (i, j))
    J[k, k] = J[i, i] + J[j, j]
    return RigidInertia(inertia.m, inertia.h, Symmetric.from_function(lambda r, s: J[r, s]))


def _rotational(ex: float, ey: float, ez: float) -> Symmetric:
    """Rotational inertia of second moments ex, ey, ez."""
    return Symmetric.diagonal(ey + ez, ex + ez, ex + ey)


def _without(inertia: RigidInertia, part: RigidInertia) -> RigidInertia:
    """The difference, with what was moved entirely being exactly zero."""
    return RigidInertia(inertia.m - part.m, inertia.h - part.h, inertia.J - part.J)
