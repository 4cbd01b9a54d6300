"""What only simulation knows of joints: Coulomb friction, and limits as stiff one-sided springs and dampers.

Each is a torque at the present velocity, and how much less it is per velocity: `torque - slope (v_next - v)`. An
integrator that can, takes the slope into account implicitly; then no stiffness makes it unstable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...model import Model
from ...scalar import Numbers, Scalar, absolute, maximum, minimum, where

RETURN_SPEED = 1.0  # rad/s, m/s: of a joint that starts deep beyond its limit
SPRING_TRAVEL = 0.01  # rad, m: deeper, a limit pushes no harder


@dataclass(frozen=True)
class Resistance:
    torque: list[Scalar]
    slope: list[Scalar]


def friction(
    model: Model, F: Sequence[Scalar], v: Sequence[Scalar], velocity: Sequence[Scalar]
) -> Resistance:  # fmt: skip
    """-F v / max(|v|, velocity): Coulomb's law, with a viscous ramp below `velocity` in place of the jump.

    The slope is that of the secant, F / max(|v|, velocity): taken implicitly, the torque is a positive number times the
    next velocity, reversed, so it can only dissipate, whatever the step.
    """
    slope: list[Scalar] = [0.0] * model.nv
    for k, has_some in enumerate(model.stacked("friction")):
        if has_some:
            slope[k] = F[k] / maximum(absolute(v[k]), velocity[k])
    return Resistance([-(s * x) for s, x in zip(slope, v, strict=True)], slope)


def limits(
    model: Model, q: Sequence[Scalar], v: Sequence[Scalar], inertia: Numbers, frequency: Scalar, lead: Scalar,
    *, most_damping: Scalar | None = None, return_speed: Scalar = RETURN_SPEED,
) -> Resistance:  # fmt: skip
    """Critically damped springs of the given frequency (rad/s) that push joints back which are beyond a limit.

    `inertia` is what each joint is taken to move. The spring is taken `lead` seconds ahead, at q + lead v: zero for an
    explicit scheme, dt for one that takes the slope implicitly. Deep beyond a limit force ends growing and damping is
    such that a joint that starts there comes back at `return_speed`; `most_damping` (per inertia) is what an explicit
    scheme bears.
    """
    torque: list[Scalar] = [0.0] * model.nv
    slope: list[Scalar] = [0.0] * model.nv
    for i, joint in enumerate(model.joints, start=1):
        if not joint.may_have_springs:  # coordinates and velocities must belong together
            continue
        for n in range(joint.nv):
            k, coordinate = model.iv[i].start + n, q[model.iq[i]][n]
            m = float(inertia[k])
            stiffness = m * (frequency * frequency)
            for bound, sign in ((joint.lower[n], 1.0), (joint.upper[n], -1.0)):
                if not np.isfinite(bound):
                    continue
                depth = (float(bound) - coordinate) * sign
                force = stiffness * minimum(depth, SPRING_TRAVEL)
                damping = maximum(2.0 * m * frequency, force * (1.0 / return_speed))
                if most_damping is not None:
                    damping = minimum(damping, m * most_damping)
                damping = damping + stiffness * lead
                push = force - damping * v[k] * sign
                pushing = (depth > 0.0) & (push > 0.0)
                torque[k] = torque[k] + where(pushing, push * sign, 0.0)
                slope[k] = slope[k] + where(pushing, damping, 0.0)
    return Resistance(torque, slope)
