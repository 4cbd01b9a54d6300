"""The pair's numbers, as they are printed; how long its parts are."""

from fractions import Fraction

import numpy as np
import pytest

from linkwright.physics.dormand_prince import (
    ENDS,
    ERRORS,
    SHARES,
    STAGES,
    dense_weights,
    share_at,
    weight_at_end,
    weighted,
    weights_at,
)
from linkwright.physics.step_size import SHORTEST, fitting, judged, length_after, length_instead

# [DormandPrince1980] table 2, RK5(4)7M: weights of stages 2 to 6, of the fifth order, and of the fourth.
PRINTED = (
    "1/5", "3/40 9/40", "44/45 -56/15 32/9", "19372/6561 -25360/2187 64448/6561 -212/729",
    "9017/3168 -355/33 46732/5247 49/176 -5103/18656",
)
FIFTH = "35/384 0 500/1113 125/192 -2187/6784 11/84 0"
FOURTH = "5179/57600 0 7571/16695 393/640 -92097/339200 187/2100 1/40"


def numbers(text):
    return [Fraction(x) for x in text.split()]


def test_weights_are_those_of_the_pair():
    fifth, fourth = numbers(FIFTH), numbers(FOURTH)
    assert np.allclose(ENDS, [float(x) for x in fifth[: len(ENDS)]], rtol=1e-15, atol=0)
    assert np.allclose(ERRORS, [float(x - y) for x, y in zip(fifth, fourth, strict=True)], rtol=1e-14, atol=0)
    for stage in range(STAGES):
        weights = weights_at(float(stage))
        assert share_at(float(stage)) == SHARES[stage] == pytest.approx(sum(weights))
        assert weight_at_end(float(stage)) == ENDS[stage]
        if 0 < stage < 6:
            printed = [float(x) for x in numbers(PRINTED[stage - 1])]
            assert np.allclose(weights[:stage], printed, rtol=1e-15, atol=0) and not any(weights[stage:])
    assert np.array_equal(weights_at(6.0), ENDS[:6])


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.7, 1.0])
def test_dense_output_is_shampines_quartic(theta):
    integrate = pytest.importorskip("scipy.integrate", reason="SciPy has the same quartic, and is not installed")
    powers = theta ** np.arange(1, 5)
    assert np.allclose(dense_weights(theta), integrate.RK45.P @ powers, rtol=0, atol=1e-14)


def test_dense_output_is_of_order_four():
    """Of y' = cos t in one step of h."""
    errors = []
    for h in (0.4, 0.2, 0.1):
        rates = [[np.cos(h * share)] for share in SHARES]
        found = h * weighted(dense_weights(0.5), rates)[0]
        errors.append(abs(found - np.sin(0.5 * h)))
    assert np.all(np.log2(np.array(errors[:-1]) / np.array(errors[1:])) > 4.5), errors


def test_parts_grow_and_shrink_within_bounds():
    assert length_after(1.0, 1e-30, 1.0) == pytest.approx(5.0)
    assert 0.2 <= length_after(1.0, 1.0, 1e-4) < 1.0
    assert length_instead(1.0, 1e9) == pytest.approx(0.1)
    assert 0.7 < length_instead(1.0, 2.0) < 0.8
    assert judged(float("nan")) == judged(float("inf")) == 1e9


def test_the_last_two_parts_are_equal():
    assert fitting(0.4, 1.0) == 0.4
    assert fitting(0.6, 1.0) == 0.5
    assert fitting(0.9995, 1.0) == fitting(7.0, 1.0) == 1.0
    assert SHORTEST == 2.0**-20
