"""Commands of actuators over time, activations to start with, and keyframes to start from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..codegen.arguments import real_numbers
from ..errors import InputError, unknown_name
from ..model import Model
from ..model.actuators import Keyframe


def check_actuated(model: Model) -> None:
    if not model.actuators:
        raise InputError(
            f"commands were given, and {model.name!r} has no actuators; give it some: "
            f"robot.with_actuators(linkwright.motor('hip'), ...)"
        )


def as_commands(model: Model, ctrl: Any, *rows: tuple[Any, ...]) -> np.ndarray:
    """One number for all actuators, (nu,), numbers by actuator's name (zero for others), or (*row, nu) for one of
    `rows`, in which "B" is any number."""
    check_actuated(model)
    shapes = [(model.nu,), *((*row, model.nu) for row in rows)]
    expected = " or ".join(str(shape).replace("'", "") for shape in shapes)
    if isinstance(ctrl, Mapping):
        names = [one.name for one in model.actuators]
        given, ctrl = ctrl, np.zeros(model.nu)
        for name, value in given.items():
            if name not in names:
                raise unknown_name("actuator", name, names)
            ctrl[names.index(name)] = value
    try:
        array = real_numbers(ctrl)
    except (TypeError, ValueError):
        raise InputError(f"ctrl is {ctrl!r}; expected numbers {expected}, by actuator's name, or a function") from None
    if array.ndim == 0:
        array = np.full(model.nu, float(array))
    if not any(_fits(array.shape, shape) for shape in shapes):
        raise InputError(f"ctrl has shape {array.shape}; expected {expected}")
    check_commands(model, array)
    return array


def check_commands(model: Model, array: np.ndarray, when: str = "") -> None:
    """Refuses what is not a number, by actuator."""
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        where = tuple(int(k) for k in bad[0])
        at = f" at {where[:-1]}" if len(where) > 1 else ""
        name = model.actuators[where[-1]].name
        raise InputError(f"ctrl is {array[where]} for actuator {name!r}{at}{when}; must be finite")


def _fits(shape: tuple[int, ...], expected: tuple[Any, ...]) -> bool:
    return len(shape) == len(expected) and all(e in ("B", n) for n, e in zip(shape, expected, strict=True))


def as_activations(model: Model, act0: Any) -> np.ndarray:
    """(na,) or (B, na); zero by default."""
    size = model.na
    try:
        array = real_numbers(np.zeros(size) if act0 is None else act0)
    except (TypeError, ValueError):
        raise InputError(f"act0 is {act0!r}; expected numbers ({size},) or (B, {size})") from None
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        moving = [one.name for one in model.actuators if one.activation]
        raise InputError(
            f"act0 has shape {array.shape}; expected ({size},) or (B, {size}), one for each of the actuators with an "
            f"activation: {', '.join(moving) or 'none'}"
        )
    if not np.all(np.isfinite(array)):
        raise InputError("act0 is not finite everywhere")
    return array


def keyframe_of(model: Model, name: Any, **given: Any) -> Keyframe:
    """By name; `given` are parts of a state that were given beside it, which is refused."""
    if not isinstance(name, str) or name not in model.keyframes:
        raise unknown_name("keyframe", name, model.keyframes)
    twice = [what for what, value in given.items() if value is not None]
    if twice:
        raise InputError(f"{' and '.join(twice)} were given beside the keyframe {name!r}, which says what they are")
    return model.keyframes[name]
