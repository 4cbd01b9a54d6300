"""What users give to the functions of this package, checked."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real

import numpy as np

from ..codegen.arguments import real_numbers
from ..errors import InputError
from ..model import Model

_UNIT_TOLERANCE = 1e-6


def checked_model(model) -> Model:
    if not isinstance(model, Model):
        raise InputError(f"expected a Model (see linkwright.load), got {type(model).__name__}")
    return model


def checked_tolerance(tolerance) -> float:
    number = isinstance(tolerance, Real) and not isinstance(tolerance, bool) and np.isfinite(float(tolerance))
    if not (number and tolerance > 0):
        raise InputError(f"tolerance is {tolerance!r}; expected a positive number")
    return float(tolerance)


def checked(model: Model, name: str, values, size: int) -> np.ndarray:
    """Finite numbers of shape (size,) or (B, size), copied."""
    try:
        array = real_numbers(values)
    except (TypeError, ValueError):
        raise InputError(f"{name} is {values!r}; expected numbers of shape ({size},) or (B, {size})") from None
    if array.ndim not in (1, 2) or array.shape[-1] != size:
        raise InputError(f"{name} has shape {array.shape}; expected ({size},) or (B, {size}) for {model.name!r}")
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        where, entry = bad[0].tolist(), array[tuple(bad[0])]
        raise InputError(f"{name}{where} is {entry}{_owner(model, where[-1], size)}; every number must be finite")
    return array


def checked_configuration(model: Model, name: str, values) -> np.ndarray:
    """Also refuses quaternions that are not of unit length."""
    q = checked(model, name, values, model.nq)
    for i, joint in enumerate(model.joints, start=1):
        if joint.nq == joint.nv:
            continue
        length = np.linalg.norm(q[..., model.iq[i]][..., -4:], axis=-1)
        if np.any(np.abs(length - 1) > _UNIT_TOLERANCE):
            worst = np.ravel(length)[np.argmax(np.abs(np.ravel(length) - 1))]
            raise InputError(
                f"the quaternion of joint {joint.name!r} in {name} has length {worst:.6g}; expected 1: divide it by "
                f"its length (its four numbers are {name}[{model.iq[i].stop - 4}:{model.iq[i].stop}])"
            )
    return q


def same_batch(**arrays: np.ndarray) -> tuple[bool, list[np.ndarray]]:
    """(whether there is a batch, every array with a batch axis, repeated over the batch of the others)."""
    sizes = {name: len(x) for name, x in arrays.items() if x.ndim == 2}
    if len(set(sizes.values())) > 1:
        raise InputError(f"batches differ: {', '.join(f'{name} has {n} samples' for name, n in sizes.items())}")
    count = next(iter(sizes.values()), 1)
    return bool(sizes), [np.ascontiguousarray(np.broadcast_to(x, (count, x.shape[-1]))) for x in arrays.values()]


def joint_names(model: Model, what: str, names: str | Iterable[str] | None) -> tuple[str, ...]:
    """Names of joints, each once; None means none."""
    if names is None:
        return ()
    try:
        chosen = (names,) if isinstance(names, str) else tuple(names)
    except TypeError:
        raise InputError(f"{what} is {names!r}; expected names of joints") from None
    for name in chosen:
        try:
            model.joint_index(name)
        except InputError as error:
            raise InputError(f"{what}: {error}") from None
    if len(set(chosen)) != len(chosen):
        raise InputError(f"{what} is {list(chosen)}; expected each joint once")
    return chosen


def velocity_indices(model: Model, joints: Iterable[str]) -> np.ndarray:
    """Where the velocities of these joints are in v, in the order given."""
    return np.array([k for name in joints for k in range(model.nv)[model.iv[model.joint_index(name)]]], dtype=int)


def configuration_indices(model: Model, joints: Iterable[str]) -> np.ndarray:
    return np.array([k for name in joints for k in range(model.nq)[model.iq[model.joint_index(name)]]], dtype=int)


def _owner(model: Model, index: int, size: int) -> str:
    slices = model.iq if size == model.nq else model.iv
    for joint, owned in zip(model.joints, slices[1:], strict=True):
        if owned.start <= index < owned.stop:
            return f" (joint {joint.name!r})"
    return ""
