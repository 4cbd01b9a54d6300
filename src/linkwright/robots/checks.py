"""Checks of the numbers a mechanism is built from."""

from __future__ import annotations

import math

import numpy as np

from ..errors import InputError

LARGEST = 10_000  # bodies; a typing error should not fill the memory


def positive(name: str, value: float) -> float:
    number = finite(name, value)
    if number <= 0:
        raise InputError(f"{name} is {value!r}; expected a positive number")
    return number


def finite(name: str, value: float) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {value!r}; expected a number") from None
    if not math.isfinite(number):
        raise InputError(f"{name} is {value!r}; expected a finite number")
    return number


def count(name: str, value: int, smallest: int = 1, largest: int = LARGEST) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or not smallest <= value <= largest:
        raise InputError(f"{name} is {value!r}; expected a whole number from {smallest} to {largest}")
    return int(value)
