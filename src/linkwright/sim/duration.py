"""How long a simulation is: in steps, or in seconds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InputError
from ..model import Model

_MOST_STEPS = 2**62


def chosen_steps(name: str, steps: Any, seconds: Any, dt: float) -> Any:
    """The number of steps of `dt` that `name` was asked for, by `steps` or by `seconds`: `steps` as it is, which is
    checked elsewhere."""
    if seconds is None:
        if steps is None:
            raise InputError(f"{name} was not told how long: give seconds=, as in seconds=5.0, or steps=")
        return steps
    if steps is not None:
        raise InputError(f"{name} was given steps={steps!r} and seconds={seconds!r}; expected one of them")
    number = isinstance(seconds, int | float | np.integer | np.floating) and not isinstance(seconds, bool)
    if not (number and np.isfinite(seconds) and seconds > 0):
        raise InputError(f"seconds is {seconds!r}; expected a positive number")
    if not dt > 0 or not np.isfinite(dt):
        raise InputError(f"dt is {dt!r}; expected a positive number of seconds")
    count = float(seconds) / dt
    if count > _MOST_STEPS:
        raise InputError(f"seconds is {seconds!r} and dt {dt:g}: that many steps cannot be counted")
    if count < 0.5:
        raise InputError(f"seconds is {seconds!r}, less than half a step: dt is {dt:g}")
    return max(1, round(count))


def refuse_a_time(model: Model, q0: Any) -> None:
    """A number where a configuration stands is how long somebody wants to simulate."""
    if isinstance(q0, int | float | np.integer | np.floating) and not isinstance(q0, bool):
        meant = f"seconds={q0}" + (f" or steps={q0}" if isinstance(q0, int | np.integer) else "")
        raise InputError(f"q0 is {q0!r}; expected a configuration of {model.nq} numbers. How long it takes is {meant}")
