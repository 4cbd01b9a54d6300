"""When a statement of a paper holds: how far a number may be from the one that is printed, and what its words mean.

A number that is printed (19.9 %) is met if ours, rounded to as many digits, is it. One that is called "about" or
"nearly" (about 34 %, nearly 50 %, nearly thrice) is met if ours rounds to it at its last digit that is no zero: the
papers' own tables do not come closer to their words. A range (22 to 38 %) is met if all of ours lie in it, its ends
rounded. A number that is better than the printed one does not meet it either; the reason says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

SIGNIFICANT = 1.1
"""Of ratios that a paper calls significant without a number: a tenth, which is where its drawings begin to show it."""
ALIKE = 1.1
"""Of ratios that a paper calls similar or competitive: the same tenth, to either side."""
STRAIGHT = 1.01
"""Growth of increments that counts as linear: counts of mechanisms whose joints alternate ripple by less."""


def meets(value: float, printed: str) -> bool:
    """Whether `value` rounds to the number as it is printed: "19.9" is met from 19.85 up to 19.95."""
    digits = Decimal(printed)
    half = Decimal(1).scaleb(int(digits.as_tuple().exponent)) / 2
    return float(digits - half) <= value <= float(digits + half)


def about(value: float, printed: str) -> bool:
    """The same for a number that is called "about" or "nearly": "50" is met from 45 to 55, "34" from 33.5 to 34.5."""
    digits = Decimal(printed).normalize()
    half = Decimal(1).scaleb(int(digits.as_tuple().exponent)) / 2
    return float(digits - half) <= value <= float(digits + half)


def within(values: Iterable[float], low: str, high: str) -> bool:
    """Whether all values lie between two numbers as they are printed."""
    ends = [(Decimal(end), Decimal(1).scaleb(int(Decimal(end).as_tuple().exponent)) / 2) for end in (low, high)]
    (least, below), (most, above) = ends
    return all(float(least - below) <= value <= float(most + above) for value in values)


def is_straight(before: float, after: float) -> bool:
    """Of what one more of a size adds: as much as before."""
    return 1 / STRAIGHT <= after / before <= STRAIGHT
