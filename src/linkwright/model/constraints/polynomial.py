"""Polynomials by their coefficients c0, c1, ..., of numbers and traced values."""

from __future__ import annotations

from ...scalar import Numbers, Scalar


def derivative(polynomial: Numbers) -> tuple[float, ...]:
    return tuple(k * c for k, c in enumerate(polynomial))[1:] or (0.0,)


def value_of(polynomial: Numbers, x: Scalar) -> Scalar:
    """Horner's scheme."""
    value: Scalar = polynomial[-1]
    for c in reversed(polynomial[:-1]):
        value = value * x + c
    return value
