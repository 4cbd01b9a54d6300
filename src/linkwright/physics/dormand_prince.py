"""Dormand and Prince's pair of orders 5 and 4 ([Hairer1993] table II.5.2): weights of stages, error, dense output.

Stage 0 is at the start of a step, stage 6 at its end: it is stage 0 of the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F

from ..scalar import Scalar, where

ORDER, ERROR_ORDER = 5, 4
STAGES = 7
_A: tuple[tuple[F, ...], ...] = (
    (),
    (F(1, 5),),
    (F(3, 40), F(9, 40)),
    (F(44, 45), F(-56, 15), F(32, 9)),
    (F(19372, 6561), F(-25360, 2187), F(64448, 6561), F(-212, 729)),
    (F(9017, 3168), F(-355, 33), F(46732, 5247), F(49, 176), F(-5103, 18656)),
    (F(35, 384), F(0), F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84)),
)
_FOURTH = (F(5179, 57600), F(0), F(7571, 16695), F(393, 640), F(-92097, 339200), F(187, 2100), F(1, 40))

ENDS = tuple(float(x) for x in (*_A[6], F(0)))
"""Weights of the stages' rates in the step."""
ERRORS = tuple(float(b - e) for b, e in zip((*_A[6], F(0)), _FOURTH, strict=True))
"""The same in the difference of both orders."""
SHARES = tuple(float(sum(row)) for row in _A)
"""Where in the step the stages are."""
# [Hairer1993] II.6: the quartic's remainder beyond the cubic Hermite through both ends.
_REMAINDER = (
    F(-12715105075, 11282082432), F(0), F(87487479700, 32700410799), F(-10690763975, 1880347072),
    F(701980252875, 199316789632), F(-1453857185, 822651844), F(69997945, 29380423),
)  # fmt: skip


def weights_at(stage: Scalar) -> list[Scalar]:
    """Weights of stages 0 to 5 on the way to a stage that is known when the program runs."""
    weights: list[Scalar] = []
    for j in range(STAGES - 1):
        weight: Scalar = float(_A[STAGES - 1][j])
        for i in reversed(range(STAGES - 1)):
            weight = where(stage < i + 0.5, float(_A[i][j]) if j < i else 0.0, weight)
        weights.append(weight)
    return weights


def share_at(stage: Scalar) -> Scalar:
    """Where in the step it is."""
    share: Scalar = SHARES[-1]
    for i in reversed(range(STAGES - 1)):
        share = where(stage < i + 0.5, SHARES[i], share)
    return share


def dense_weights(theta: Scalar) -> list[Scalar]:
    """Weights of the stages' rates between the step's start (theta = 0) and its end (1), of order 4."""
    left = 1.0 - theta
    cubic, quartic = theta * left, theta * theta * left * left
    weights = []
    for k, (b, d) in enumerate(zip(ENDS, _REMAINDER, strict=True)):
        # the cubic Hermite: theta b + theta (1 - theta) (first - b) + theta^2 (1 - theta) (2 b - first - last)
        first, last = float(k == 0), float(k == STAGES - 1)
        hermite = theta * b + cubic * (first - b) + theta * cubic * (2.0 * b - first - last)
        weights.append(hermite + quartic * float(d))
    return weights


def weighted(weights: Sequence[Scalar], rates: Sequence[Sequence[Scalar]]) -> list[Scalar]:
    """The sum of vectors, one per stage; weights that are known to be zero cost nothing."""
    total: list[Scalar] = [0.0] * len(rates[0])
    for weight, rate in zip(weights, rates, strict=False):
        if isinstance(weight, float) and weight == 0.0:
            continue
        total = [x + weight * y for x, y in zip(total, rate, strict=True)]
    return total


def weight_at_end(stage: Scalar) -> Scalar:
    """Weight in the step of a stage that is known when the program runs."""
    weight: Scalar = ENDS[-1]
    for k in reversed(range(STAGES - 1)):
        weight = where(stage < k + 0.5, ENDS[k], weight)
    return weight
