"""Actuators of the usual kinds; all are one `Actuator` with other numbers, as in MJCF."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from ...call_errors import names_arguments
from ...errors import ModelError
from ..pose import finite_array
from .actuator import Actuator

On = str | Mapping[str, float]


@names_arguments
def actuator(on: On, *, gear: float | Sequence[float] = 1.0, name: str | None = None, **properties: Any) -> Actuator:
    """An actuator with any of the properties of `linkwright.model.actuators.Actuator`: gain, bias, ctrl_range,
    force_range, activation, time_constant, act_range, early, in_parent.

    on     a joint, or several with the share that each has: {"left": 0.5, "right": 0.5}
    gear   multiplies those; for a ball three numbers, for a free-flyer six
    """
    if isinstance(on, str):
        drives: tuple[tuple[str, Any], ...] = ((on, gear),)
    elif isinstance(on, Mapping) and on:
        if not isinstance(gear, Real):
            raise ModelError(f"gear of an actuator on {list(on)} is {gear!r}; expected one number")
        drives = tuple((joint, float(finite_array(x, (), "a share")) * float(gear)) for joint, x in on.items())
    else:
        raise ModelError(f"an actuator is on {on!r}; expected a joint, or shares by joint: {{'left': 0.5}}")
    return Actuator("+".join(str(joint) for joint, _ in drives) if name is None else name, drives, **properties)


@names_arguments
def motor(on: On, *, gear: float | Sequence[float] = 1.0, name: str | None = None, **properties: Any) -> Actuator:
    """The command is the force; `ctrl_range=(-1, 1)` and `force_range=` cut it off."""
    return actuator(on, gear=gear, name=name, **properties)


@names_arguments
def position_servo(
    on: On, kp: float, kv: float = 0.0, *, gear: float = 1.0, time_constant: float | None = None,
    name: str | None = None, **properties: Any,
) -> Actuator:  # fmt: skip
    """force = kp (command - length) - kv rate, kp in N m per rad (or N per m); with a time constant (s) the command is
    filtered."""
    kp, kv = _gains(kp=kp, kv=kv)
    if time_constant:
        properties = {"activation": "filterexact", "time_constant": time_constant, **properties}
    return actuator(on, gear=gear, name=name, gain=(kp, 0.0, 0.0), bias=(0.0, -kp, -kv), **properties)


@names_arguments
def velocity_servo(on: On, kv: float, *, gear: float = 1.0, name: str | None = None, **properties: Any) -> Actuator:
    """force = kv (command - rate)."""
    (kv,) = _gains(kv=kv)
    return actuator(on, gear=gear, name=name, gain=(kv, 0.0, 0.0), bias=(0.0, 0.0, -kv), **properties)


@names_arguments
def damper(
    on: On, kv: float, *, gear: float = 1.0, ctrl_range: Sequence[float] = (0.0, 1.0), name: str | None = None,
    **properties: Any,
) -> Actuator:  # fmt: skip
    """force = -kv rate command: a brake, for commands that are not negative."""
    (kv,) = _gains(kv=kv)
    low, high = finite_array(ctrl_range, (2,), f"ctrl_range of the damper on {on!r}").tolist()
    if low < 0.0:
        raise ModelError(f"ctrl_range of the damper on {on!r} is {[low, high]}; a negative command would drive it")
    return actuator(on, gear=gear, name=name, gain=(0.0, 0.0, -kv), ctrl_range=(low, high), **properties)


def _gains(**gains: float) -> list[float]:
    numbers = []
    for name, value in gains.items():
        number = float(finite_array(value, (), f"{name} of an actuator"))
        if number < 0.0:
            raise ModelError(f"{name} of an actuator is {number:g}; must not be negative")
        numbers.append(number)
    return numbers
