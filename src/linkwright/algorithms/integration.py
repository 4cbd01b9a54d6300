"""One step of time: semi-implicit Euler, and Runge-Kutta of order four on the configuration manifold.

[Sathya2025] eq. 54-55 for the first. For the second, Munthe-Kaas' form of the classical scheme: configurations are
q0 * exp(theta), stages live in the space of theta, whose rate is dexp^-1 of the velocity. Joints whose velocities are
rates of their coordinates need none of that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..model import Model
from ..model.configuration import integrate
from ..scalar import Scalar
from ..spatial import Motion

Vector = Sequence[Scalar]
Acceleration = Callable[[Vector, Vector], Vector]


def semi_implicit_euler(
    model: Model, q: Vector, v: Vector, a: Vector, dt: Scalar
) -> tuple[list[Scalar], list[Scalar]]:
    """(q, v) after dt: v first, then q along the new v. Its velocities are those half a step before its positions."""
    v = scaled_sum(v, dt, a)
    return integrate(model, q, [x * dt for x in v]), v


def runge_kutta(
    model: Model, q: Vector, v: Vector, dt: Scalar, acceleration: Acceleration
) -> tuple[list[Scalar], list[Scalar]]:
    """(q, v) after dt; `acceleration(q, v)` is asked four times."""
    half = dt * 0.5
    a1 = acceleration(q, v)
    rate1 = v

    def stage(share: Scalar, rate: Vector, a: Vector) -> tuple[Vector, Vector, Vector]:
        theta = [share * x for x in rate]
        v_stage = scaled_sum(v, share, a)
        return inverse_differential(model, theta, v_stage), v_stage, integrate(model, q, theta)

    rate2, v2, q2 = stage(half, rate1, a1)
    a2 = acceleration(q2, v2)
    rate3, v3, q3 = stage(half, rate2, a2)
    a3 = acceleration(q3, v3)
    rate4, v4, q4 = stage(dt, rate3, a3)
    a4 = acceleration(q4, v4)
    sixth = dt * (1.0 / 6.0)
    theta = [(a + (b + c) * 2.0 + d) * sixth for a, b, c, d in zip(rate1, rate2, rate3, rate4, strict=True)]
    change = [(a + (b + c) * 2.0 + d) * sixth for a, b, c, d in zip(a1, a2, a3, a4, strict=True)]
    return integrate(model, q, theta), [x + y for x, y in zip(v, change, strict=True)]


def inverse_differential(model: Model, theta: Vector, v: Vector) -> list[Scalar]:
    """The rate of theta in q0 * exp(theta), moving with v in the body: v + [theta, v]/2 + [theta, [theta, v]]/12.

    The next term of the series is of fourth order in theta, which four stages cannot see.
    """
    rates: list[Scalar] = []
    for i, joint in enumerate(model.joints, start=1):
        own, moving = theta[model.iv[i]], v[model.iv[i]]
        motion = joint.motion()
        if motion.velocity_is_rate:
            rates += list(moving)
            continue
        subspace = motion.subspace(motion.neutral())  # constant: these joints are groups of motions
        turned = (subspace @ own).cross(subspace @ moving)
        twice = (subspace @ own).cross(turned)
        added: Motion = turned * 0.5 + twice * (1.0 / 12.0)
        rates += [x + added[k] for x, k in zip(moving, subspace.directions, strict=True)]
    return rates


def scaled_sum(x: Vector, scale: Scalar, y: Vector) -> list[Scalar]:
    return [a + scale * b for a, b in zip(x, y, strict=True)]
