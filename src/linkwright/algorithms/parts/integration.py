"""Runge-Kutta of order four on the configuration manifold, and where velocities of semi-implicit Euler belong.

Munthe-Kaas' form of the classical scheme: stages live in the space of displacements from the step's start, whose rate
is that of rotation vectors. Velocities are those in which a free body moves straight (straight_motion.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...scalar import Scalar
from ...spatial import RowVector
from .straight_motion import StraightMotion

Vector = Sequence[Scalar]
Acceleration = Callable[[Vector, Vector], Vector]


def stepped_back(straight: StraightMotion, q: Vector, v: Vector, lag: Scalar) -> tuple[list[Scalar], list[Scalar]]:
    """(q, v) of `lag` seconds ago, where the velocities of semi-implicit Euler belong: along the way they have gone."""
    u = straight.of(q, v)
    back = straight.moved(q, [-(x * lag) for x in u])
    return back, straight.velocities(back, u)


def runge_kutta(
    straight: StraightMotion, q: Vector, v: Vector, dt: Scalar, acceleration: Acceleration
) -> tuple[list[Scalar], list[Scalar]]:
    """(q, v) after dt; `acceleration(q, v)` is asked four times."""
    half, u = dt * 0.5, straight.of(q, v)
    change1 = straight.rate(q, v, acceleration(q, v))

    def stage(share: Scalar, rate: Vector, change: Vector) -> tuple[Vector, Vector]:
        displacement, u_stage = [share * x for x in rate], scaled_sum(u, share, change)
        q_stage = straight.moved(q, displacement)
        v_stage = straight.velocities(q_stage, u_stage)
        a = acceleration(q_stage, v_stage)
        return straight.displacement_rate(displacement, u_stage), straight.rate(q_stage, v_stage, a)

    rate2, change2 = stage(half, u, change1)
    rate3, change3 = stage(half, rate2, change2)
    rate4, change4 = stage(dt, rate3, change3)
    sixth = dt * (1.0 / 6.0)
    way = (RowVector(u) + (RowVector(rate2) + rate3) * 2.0 + rate4) * sixth
    gain = (RowVector(change1) + (RowVector(change2) + change3) * 2.0 + change4) * sixth
    q_next = straight.moved(q, way)
    return q_next, straight.velocities(q_next, RowVector(u) + gain)


def scaled_sum(x: Vector, scale: Scalar, y: Vector) -> list[Scalar]:
    return [a + scale * b for a, b in zip(x, y, strict=True)]
