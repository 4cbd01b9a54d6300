"""How much velocities may change at once, for a mechanism that is near a dead point."""

from __future__ import annotations

from ..scalar import Scalar

# Velocities may change by this share of the fastest joint's in one go ...
SUDDEN = 0.02
SUDDEN_SOON = 0.006  # where accelerations have more than doubled since the last step: the next one would be too long
# ... or by as much as this acceleration (rad/s^2, m/s^2) makes of them: what starts from rest must get going, and where
# weight does more than this no part is short enough (it does 60 in the biped, 45 in the delta robot).
HARMLESS = 100.0
TURNED = 0.04  # rad: hinges of loops may turn by so much in a step of Euler's, whose rows are open by its third power
AFTER_PARTS = 0.7  # of all that is bearable for a step whose predecessor was too long
PARTS = 16384  # of a step; a part that short is taken as it is


def bearable_change(fastest: Scalar, time: Scalar, sudden: float = SUDDEN) -> Scalar:
    """By how much a velocity (rad/s, m/s) may change in one go, if what is harmless may do so for that time (s);
    `fastest` is the largest velocity there is."""
    return fastest * sudden + HARMLESS * time


def is_shortest(h: Scalar, dt: Scalar) -> Scalar:
    """Whether a part of h seconds is as short as parts of a step of dt get."""
    return h <= dt * (1.0001 / PARTS)
