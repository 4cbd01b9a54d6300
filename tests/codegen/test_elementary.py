"""Accuracy of the vector elementary functions, against mpmath."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from linkwright import scalar
from linkwright.codegen import compile_program
from linkwright.trace import trace

COUNT = 3000
MPMATH = {"sin": mpmath.sin, "cos": mpmath.cos, "exp": mpmath.exp, "log": mpmath.log, "atan2": mpmath.atan2}


@pytest.fixture(scope="module", params=["float64", "float32"])
def functions(request):
    def all_of_them(x, y):
        return {
            "sin": scalar.sin(x), "cos": scalar.cos(x), "exp": scalar.exp(x), "log": scalar.log(x),
            "atan2": scalar.atan2(y, x),
        }  # fmt: skip

    return compile_program(trace(lambda x, y: all_of_them(x[()], y[()]), {"x": (), "y": ()}), dtype=request.param)


def ulps(got: np.ndarray, name: str, *arguments: np.ndarray) -> tuple[float, float]:
    """(largest error in units in the last place, largest absolute error)"""
    worst = worst_absolute = 0.0
    with mpmath.workdps(60):
        for row in zip(got, *arguments, strict=True):
            value, *rest = (mpmath.mpf(float(x)) for x in row)
            exact = MPMATH[name](*rest)
            error = abs(value - exact)
            unit = float(np.spacing(np.abs(got.dtype.type(float(exact)))))
            worst = max(worst, float(error) / unit)
            worst_absolute = max(worst_absolute, float(error))
    return worst, worst_absolute


def logarithmic(rng, low, high, dtype):
    return (np.exp(rng.uniform(np.log(low), np.log(high), COUNT)) * rng.choice([-1, 1], COUNT)).astype(dtype)


@pytest.mark.parametrize("name", ["sin", "cos"])
@pytest.mark.parametrize("largest", [3.2, 100.0, 1e5])
def test_sine_and_cosine(functions, name, largest):
    rng = np.random.default_rng(1)
    x = rng.uniform(-largest, largest, COUNT).astype(functions.dtype)
    multiples = (np.arange(200) * (np.pi / 2)).astype(functions.dtype)
    x = np.concatenate([x, multiples[multiples <= largest], logarithmic(rng, 1e-30, 1.0, functions.dtype)])
    error, absolute = ulps(functions(x, x)[name], name, x)
    assert error < 2.0
    assert absolute < 2 * np.finfo(functions.dtype).eps


def test_sine_and_cosine_beyond_the_accurate_range(functions):
    largest = np.finfo(functions.dtype).max
    x = np.concatenate([[largest, -largest], logarithmic(np.random.default_rng(2), 1e5, 1e37, functions.dtype)])
    x = x.astype(functions.dtype)
    result = functions(x, x)
    assert np.all(np.abs(result.sin) <= 1) and np.all(np.abs(result.cos) <= 1)
    infinite = np.array([np.inf, -np.inf, np.nan], dtype=functions.dtype)
    result = functions(infinite, infinite)
    assert np.all(np.isnan(result.sin)) and np.all(np.isnan(result.cos))


def test_exponential(functions):
    rng = np.random.default_rng(3)
    largest = 700 if functions.dtype == np.float64 else 85
    x = np.concatenate([rng.uniform(-largest, largest, COUNT), rng.uniform(-1, 1, COUNT)]).astype(functions.dtype)
    assert ulps(functions(x, x).exp, "exp", x)[0] < 1.5
    ends = np.array([-np.inf, -800, 0, 800, np.inf, np.nan], dtype=functions.dtype)
    np.testing.assert_array_equal(functions(ends, ends).exp, [0, 0, 1, np.inf, np.inf, np.nan])


def test_logarithm(functions):
    rng = np.random.default_rng(4)
    smallest, largest = (1e-307, 1e307) if functions.dtype == np.float64 else (1e-37, 1e37)
    x = np.abs(np.concatenate([logarithmic(rng, smallest, largest, functions.dtype), rng.uniform(0.5, 2, COUNT)]))
    x = x.astype(functions.dtype)
    assert ulps(functions(x, x).log, "log", x)[0] < 1.5
    ends = np.array([0.0, -0.0, -1, 1, np.inf, -np.inf, np.nan], dtype=functions.dtype)
    np.testing.assert_array_equal(functions(ends, ends).log, [-np.inf, -np.inf, np.nan, 0, np.inf, np.nan, np.nan])


def test_angle(functions):
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(2, COUNT)).astype(functions.dtype)
    y[: COUNT // 2] = (np.exp(rng.uniform(-60, 60, COUNT // 2)) * rng.choice([-1, 1], COUNT // 2)).astype(y.dtype)
    assert ulps(functions(x, y).atan2, "atan2", y, x)[0] < 2.0
    largest = np.finfo(functions.dtype).max
    corners = np.array([0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan, largest], dtype=functions.dtype)
    y, x = (a.ravel() for a in np.meshgrid(corners, corners))
    eps = np.finfo(functions.dtype).eps
    got, want = functions(x, y).atan2, np.arctan2(y, x)
    np.testing.assert_allclose(got, want, rtol=2 * eps)
    np.testing.assert_array_equal(np.signbit(got), np.signbit(want))
