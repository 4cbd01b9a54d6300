"""How long the next part of a step is, from the error of the last one ([Hairer1996] IV.2, PI control).

Errors are relative to what is allowed, so nothing here has a dimension.
"""

from __future__ import annotations

from ..scalar import Scalar, exp, log, maximum, minimum, where
from .dormand_prince import ORDER

SHORTEST = 2.0**-20  # of the step: a part that short is taken as it is, and the status says so
_INTEGRAL, _PROPORTIONAL = 0.7 / ORDER, 0.4 / ORDER
_SAFETY = 0.9
_SLOWER, _FASTER = 0.2, 5.0  # times the last part's length, after one that was accurate enough
_REJECTED = 0.1  # of its length, at least, is tried instead of a part that was not
_LEAST, _LEAST_BEFORE = 1e-10, 1e-4  # errors count as no less: the square root of zero would have no bounds
_NOT_FINITE = 1e9
_NEARLY_ALL = 0.999  # of what is left of the step is all of it


def judged(error: Scalar) -> Scalar:
    """An error relative to what is allowed, finite: what is not a number is far too large."""
    return where(error < _NOT_FINITE, error, _NOT_FINITE)


def fitting(length: Scalar, left: Scalar) -> Scalar:
    """The length of the next part of what is left: all of it, or so that the last two parts are equal."""
    return where(length > _NEARLY_ALL * left, left, where(length > 0.5 * left, 0.5 * left, length))


def length_after(h: Scalar, error: Scalar, before: Scalar) -> Scalar:
    """After a part of h seconds that is accurate enough; `before` is the error of the part before it."""
    factor = _SAFETY * _power(error, _LEAST, -_INTEGRAL) * _power(before, _LEAST_BEFORE, _PROPORTIONAL)
    return h * minimum(maximum(factor, _SLOWER), _FASTER)


def length_instead(h: Scalar, error: Scalar) -> Scalar:
    """Instead of a part that was not accurate enough."""
    return h * maximum(_SAFETY * _power(error, _LEAST, -1.0 / ORDER), _REJECTED)


def remembered(error: Scalar) -> Scalar:
    """What the next part is told of this one's error."""
    return maximum(error, _LEAST_BEFORE)


def _power(x: Scalar, least: float, exponent: float) -> Scalar:
    return exp(log(maximum(x, least)) * exponent)
