"""MuJoCo's soft law of one row: how its reference acceleration and its regularization follow from solref and solimp.

A row with residual r and velocity u is pulled to the acceleration a_ref = -b u - k d(r) r, against the compliance
R = A (1 - d) / d, where A is how easily the row moves and d, between 0 and 1, its impedance.
"""

from __future__ import annotations

from ...model.contact import Softness
from ...model.contact.softness import LARGEST_IMPEDANCE, SMALLEST_IMPEDANCE
from ...scalar import Scalar, absolute, exp, log, maximum, minimum, where

_SMALLEST = 1e-15  # MuJoCo's mjMINVAL: of widths, and of what is divided by
_SMALLEST_SAFE_TIME = 2.0  # time steps: refsafe


def impedance(softness: Softness, r: Scalar) -> Scalar:
    """d(r): from its first value to its second over the width, by two branches that meet at the midpoint."""
    start, end, width, middle, power = softness.solimp
    start, end = (min(max(x, SMALLEST_IMPEDANCE), LARGEST_IMPEDANCE) for x in (start, end))
    middle = min(max(middle, SMALLEST_IMPEDANCE), LARGEST_IMPEDANCE)
    if start == end or width <= _SMALLEST:
        return 0.5 * (start + end)
    x = minimum(absolute(r) * (1.0 / width), 1.0)
    if power == 1.0:
        y = x
    else:
        low = _power(x, power) * (1.0 / middle ** (power - 1.0))
        high = 1.0 - _power(1.0 - x, power) * (1.0 / (1.0 - middle) ** (power - 1.0))
        y = where(x <= middle, low, high)
    return start + y * (end - start)


def _power(x: Scalar, power: float) -> Scalar:
    """x^power for x from 0 to 1."""
    if power == int(power) and power <= 8.0:
        value = x
        for _ in range(int(power) - 1):
            value = value * x
        return value
    return exp(log(maximum(x, 1e-300)) * power)


def pull(solref: tuple[float, ...], softness: Softness, dt: Scalar, refsafe: bool) -> tuple[Scalar, Scalar]:
    """(k, b): stiffness and damping of the reference acceleration."""
    end = min(max(softness.solimp[1], SMALLEST_IMPEDANCE), LARGEST_IMPEDANCE)
    time, ratio = solref
    if time <= 0.0:
        return -time / end**2, -ratio / end
    bounded: Scalar = maximum(dt * _SMALLEST_SAFE_TIME, time) if refsafe else time
    return 1.0 / maximum(bounded * bounded * (end * end * ratio * ratio), _SMALLEST), 2.0 / maximum(
        bounded * end, _SMALLEST
    )


def stiffness(d: Scalar, weight: float) -> Scalar:
    """D = 1 / R."""
    return d / ((1.0 - d) * max(weight, _SMALLEST))
