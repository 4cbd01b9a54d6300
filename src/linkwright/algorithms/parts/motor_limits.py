"""What a joint's motor can do at most: a torque, and a speed beyond which it drives no further."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model import Model
from ...scalar import Scalar, absolute, maximum, minimum, where
from .joint_resistance import Resistance

# A driving torque fades away over this last share of the speed: a jump would make it chatter about the limit.
FADING = 0.01


def within_effort(model: Model, driving: Resistance) -> Resistance:
    """Cut off at the joints' effort limits."""
    torque, slope = list(driving.torque), list(driving.slope)
    for k, most in enumerate(model.stacked("effort_limit").tolist()):
        if np.isfinite(most):  # what is cut off does not fall with velocity either
            slope[k] = where(absolute(torque[k]) < most, slope[k], 0.0)
            torque[k] = minimum(maximum(torque[k], -most), most)
    return Resistance(torque, slope)


def within_speed(model: Model, driving: Resistance, v: Sequence[Scalar]) -> Resistance:
    """No torque drives a joint faster that has its velocity limit; braking is not limited. Limits of zero are those of
    files that have nothing to say."""
    torque, slope = list(driving.torque), list(driving.slope)
    for k, most in enumerate(model.stacked("velocity_limit").tolist()):
        if np.isfinite(most) and most > 0.0:
            share = (most - absolute(v[k])) * (1.0 / (FADING * most))
            fades = (torque[k] * v[k] > 0.0) & (share < 1.0)
            falling = where(share > 0.0, absolute(torque[k]) * (1.0 / (FADING * most)), 0.0)
            slope[k] = where(fades, falling, slope[k])
            torque[k] = where(fades, torque[k] * maximum(share, 0.0), torque[k])
    return Resistance(torque, slope)
