"""Inputs of a simulation besides state and torques: external forces, and parameters of the model.

An array may be the same for all samples and steps, or have one entry per sample, per step, or per sample and step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..codegen.arguments import real_numbers
from ..errors import InputError, unknown_name
from ..model import Model
from ..model.parameters import parameter_shapes

_NOT_NEGATIVE = ("masses", "inertias", "springs", "dampings", "armatures", "frictions", "tendons", "contact_frictions")
_OF_ITS_NUMBERS = {"inertias": 0, "tendons": 2}  # the mass, and the dry friction
_UNIT = 1e-6  # of a quaternion's length
FORCES, HOLDING = NO_PARAMETERS = "f_ext", "holding"  # inputs of the step that are no parameters of the model


@dataclass(frozen=True)
class Given:
    """Arrays by name, which of them have an entry per step, and how many samples they are for."""

    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    advancing: tuple[str, ...] = ()
    samples: frozenset[int] = frozenset()

    def at_start(self, name: str) -> np.ndarray | None:
        """Of the first step, (n,) or (B, n); None if it is not given."""
        array = self.arrays.get(name)
        return array if array is None or name not in self.advancing else array[..., 0, :]


def as_given(
    model: Model, f_ext: Any, parameters: Any, steps: int, batch: int | None, active: Any = None
) -> Given:  # fmt: skip
    """What `simulate` takes, checked. `batch` is the number of samples that the start has."""
    wanted: dict[str, tuple[Any, tuple[int, ...]]] = {}
    if f_ext is not None:
        wanted[FORCES] = (f_ext, (model.nbodies, 6))
    if active is not None:
        wanted[HOLDING] = (_by_constraint(model, active), (len(model.constraints),))
    if parameters is not None:
        if not isinstance(parameters, Mapping):
            raise InputError(
                f"parameters is a {type(parameters).__name__}; expected arrays by name, such as "
                f"linkwright.default_parameters(robot, ['masses'])"
            )
        shapes = parameter_shapes(model, tuple(parameters))
        wanted |= {name: (parameters[name], shape) for name, shape in shapes.items()}
    arrays, advancing, samples = {}, [], set()
    for name, (value, shape) in wanted.items():
        what = {FORCES: FORCES, HOLDING: "active"}.get(name, f"parameter {name!r}")
        array = _array(what, value, shape, steps)
        per_step, per_sample = _axes(what, array, shape, steps, batch)
        _check_values(what, name, array)
        arrays[name] = array
        if per_step:
            advancing.append(name)
        if per_sample:
            samples.add(len(array))
    return Given(arrays, tuple(advancing), frozenset(samples))


def _array(what: str, value: Any, shape: tuple[int, ...], steps: int) -> np.ndarray:
    try:
        array = real_numbers(value)
    except (TypeError, ValueError):
        raise InputError(f"{what} is {value!r}; expected numbers of shape {_shapes(shape, steps)}") from None
    if not np.all(np.isfinite(array)):
        where = tuple(int(k) for k in np.argwhere(~np.isfinite(array))[0])
        raise InputError(f"{what} is {array[where]} at {where}; must be finite")
    return array


def _axes(what: str, array: np.ndarray, shape: tuple[int, ...], steps: int, batch: int | None) -> tuple[bool, bool]:
    """(Whether it has an entry per step, per sample). As many samples as the start has are samples, not steps."""
    front = array.shape[: array.ndim - len(shape)]
    if array.shape[len(front) :] == shape:
        if not front:
            return False, False
        if len(front) == 1 and front[0] and (front[0] == batch or front[0] != steps) and batch in (None, front[0]):
            return False, True
        if front == (steps,):
            return True, False
        if len(front) == 2 and front[0] and front[1] == steps:
            return True, True
    raise InputError(f"{what} has shape {array.shape}; expected {_shapes(shape, steps)}")


def _shapes(shape: tuple[int, ...], steps: int) -> str:
    inner = ", ".join(map(str, shape))
    return f"{shape}, (B, {inner}) per sample, ({steps}, {inner}) per step, or (B, {steps}, {inner})"


def _by_constraint(model: Model, active: Any) -> Any:
    """Which constraints hold, as an array; names are of constraints, those that are not named hold."""
    if not isinstance(active, Mapping):
        return active
    names = [constraint.name for constraint in model.constraints]
    array = np.ones(len(names))
    for name, holds in active.items():
        if name not in names:
            raise unknown_name("constraint", name, names)
        array[names.index(name)] = holds
    return array


def _check_values(what: str, name: str, array: np.ndarray) -> None:
    if name == HOLDING and not np.isin(array, (0.0, 1.0)).all():
        odd = array[~np.isin(array, (0.0, 1.0))].ravel()[0]
        raise InputError(f"{what} holds {odd:g}; expected 1 for constraints that hold, 0 for those that do not")
    checked = array[..., _OF_ITS_NUMBERS[name]] if name in _OF_ITS_NUMBERS else array
    if name in _NOT_NEGATIVE and np.any(checked < 0):
        raise InputError(f"{what} holds {float(checked.min()):g}; must not be negative")
    if name == "rod_lengths" and np.any(array <= 0):
        raise InputError(f"{what} holds {float(array.min()):g}; must be positive")
    if name == "inertias":
        moments = array[..., [4, 6, 9]]  # about the axes of the body's own frame
        if np.any(moments < 0):
            raise InputError(f"{what} holds a moment of inertia of {float(moments.min()):g}; must not be negative")
    if name.endswith("placements"):
        poses = array[..., 1:, :] if name == "placements" else array  # the first body is the world
        lengths = np.linalg.norm(poses[..., 3:], axis=-1)
        if np.any(np.abs(lengths - 1) > _UNIT):
            worst = float(lengths.ravel()[np.argmax(np.abs(lengths - 1))])
            raise InputError(f"{what} holds a quaternion of length {worst:.6g}; expected 1")
