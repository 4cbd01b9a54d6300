"""The pair's numbers, against SciPy's; how long its parts are."""

import numpy as np
import pytest
from scipy.integrate import RK45

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


def test_weights_are_those_of_the_pair():
    assert np.array_equal(ENDS[:6], RK45.B)
    assert np.array_equal(-np.array(ERRORS), RK45.E)
    for stage in range(STAGES):
        weights = weights_at(float(stage))
        assert share_at(float(stage)) == SHARES[stage] == pytest.approx(sum(weights))
        assert weight_at_end(float(stage)) == ENDS[stage]
        if stage < 6:
            assert np.array_equal(weights[:stage], RK45.A[stage, :stage]) and not any(weights[stage:])
    assert np.array_equal(weights_at(6.0), ENDS[:6])


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.7, 1.0])
def test_dense_output_is_shampines_quartic(theta):
    powers = theta ** np.arange(1, 5)
    assert np.allclose(dense_weights(theta), RK45.P @ powers, rtol=0, atol=1e-14)


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
