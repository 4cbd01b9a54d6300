"""Turning what a user passes into arrays the compiled code can read; refusals say which input and what it should be."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError, unknown_name
from .python_abi import ALIGNED, C_CONTIGUOUS
from .signature import ArraySpec, Signature

READABLE = C_CONTIGUOUS | ALIGNED


class Bound(NamedTuple):
    """Arrays in declared order, elements from one sample to the next in each, and the batch size if there is one."""

    arrays: list[np.ndarray]
    strides: list[int]
    batch: int | None


class Usual(NamedTuple):
    """A call in the form that compiled code reads directly: NumPy arrays of the right type, each contiguous."""

    arrays: Sequence[np.ndarray]
    out: np.ndarray | tuple[np.ndarray, ...] | None


def as_usual(signature: Signature, positional: Sequence[Any], named: Mapping[str, Any], out: Any) -> Usual | None:
    """The call after conversions, or None if there was nothing to convert, so that something else is unusual about it.

    Lists, other types of numbers, arguments by name, `out` by name.
    """
    specs, dtype = signature.inputs, signature.numpy_dtype
    converted = bool(named)
    values = _match_names(signature, positional, named) if named or len(positional) != len(specs) else positional
    arrays = []
    for spec, value in zip(specs, values, strict=True):
        if not is_usual(value, dtype):
            value = _as_array(signature, spec, value)
            if value.shape != spec.shape:  # a batch, whose rows may be read where they are
                return None
            value = np.array(value, dtype, order="C")
            if not is_usual(value, dtype):
                return None
            converted = True
        arrays.append(value)
    if out is not None and type(out) is not tuple and len(signature.outputs) > 1:
        given = _match_outputs(signature, out)
        out = tuple(given.get(spec.name) for spec in signature.outputs)
        if any(array is None for array in out):
            return None
        converted = True
    return Usual(arrays, out) if converted else None


def is_usual(value: Any, dtype: np.dtype) -> bool:
    """Whether compiled code can read it where it is."""
    return type(value) is np.ndarray and value.dtype == dtype and value.flags.num & READABLE == READABLE


def bind(signature: Signature, positional: Sequence[Any], named: Mapping[str, Any]) -> Bound:
    values = _match_names(signature, positional, named)
    arrays = [_as_array(signature, spec, value) for spec, value in zip(signature.inputs, values, strict=True)]
    batch, first = None, None
    for spec, array in zip(signature.inputs, arrays, strict=True):
        if array.ndim == len(spec.shape):
            continue
        if batch is None:
            batch, first = array.shape[0], spec.name
        elif array.shape[0] != batch:
            raise InputError(
                f"{signature.name}: input '{spec.name}' holds {array.shape[0]} samples but '{first}' holds {batch}; "
                "batched inputs need the same number of samples (unbatched ones are repeated)"
            )
    strides = []
    for k, (spec, array) in enumerate(zip(signature.inputs, arrays, strict=True)):
        arrays[k], stride = _readable(array, spec, signature.dtype)
        strides.append(stride)
    return Bound(arrays, strides, batch)


def _match_names(signature: Signature, positional: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    names = [spec.name for spec in signature.inputs]
    if len(positional) > len(names):
        raise InputError(
            f"{signature.name} takes {len(names)} inputs ({', '.join(names)}) but {len(positional)} were given"
        )
    values = dict(zip(names, positional, strict=False))
    for name, value in named.items():
        if name not in names:
            error = unknown_name("input", name, names)
            raise InputError(f"{signature.name}: {error}")
        if name in values:
            raise InputError(f"{signature.name}: input '{name}' was given twice, by position and by name")
        values[name] = value
    # what is empty holds nothing that could be missing
    values = {spec.name: np.zeros(spec.shape) for spec in signature.inputs if not spec.size} | values
    missing = [name for name in names if name not in values]
    if missing:
        raise InputError(f"{signature.name}: missing {', '.join(map(repr, missing))}; it takes {', '.join(names)}")
    return [values[name] for name in names]


def _as_array(signature: Signature, spec: ArraySpec, value: Any) -> np.ndarray:
    """An array of some real type with the declared shape, or with one more axis in front."""
    refuse_masked(signature, spec, value)
    try:
        array = np.asarray(value)
    except (ValueError, TypeError) as error:
        raise InputError(f"{signature.name}: input '{spec.name}' is not an array: {error}") from None
    if array.dtype.kind not in "biuf":
        raise InputError(
            f"{signature.name}: input '{spec.name}' has dtype {array.dtype}; expected real numbers ({signature.dtype})"
        )
    if array.shape != spec.shape and array.shape[1:] != spec.shape:
        inner = ", ".join(map(str, spec.shape))
        raise InputError(
            f"{signature.name}: input '{spec.name}' has shape {array.shape}; expected {spec.shape}, or "
            f"(B{', ' if inner else ','}{inner}) for a batch of B samples"
        )
    return array


def _readable(array: np.ndarray, spec: ArraySpec, dtype: str) -> tuple[np.ndarray, int]:
    """The array, or a copy, with each sample contiguous; and the stride from sample to sample, 0 to repeat one."""
    batched = array.ndim > len(spec.shape)
    if array.dtype == dtype and array.flags.aligned:
        if array.flags.c_contiguous:
            return array, spec.size if batched else 0
        if batched and array.shape[0] and array[0].flags.c_contiguous and array.strides[0] % array.itemsize == 0:
            return array, array.strides[0] // array.itemsize
    return np.array(array, dtype=dtype, order="C"), spec.size if batched else 0


def prepare_outputs(signature: Signature, out: Any, batch: int | None) -> list[np.ndarray]:
    """Fresh arrays, or those the caller gave in `out`."""
    lead = () if batch is None else (batch,)
    given = _match_outputs(signature, out)
    arrays = []
    for spec in signature.outputs:
        array = given.get(spec.name)
        if array is None:
            array = np.empty(lead + spec.shape, dtype=signature.dtype)
        else:
            _check_output(signature, spec, array, lead + spec.shape)
        arrays.append(array)
    if len(given) > 1:
        for k, array in enumerate(arrays):
            for j in range(k):
                if np.may_share_memory(array, arrays[j]):
                    names = signature.outputs[j].name, signature.outputs[k].name
                    raise InputError(f"{signature.name}: out arrays '{names[0]}' and '{names[1]}' overlap in memory")
    return arrays


def _match_outputs(signature: Signature, out: Any) -> dict[str, np.ndarray]:
    names = [spec.name for spec in signature.outputs]
    if out is None:
        return {}
    if isinstance(out, np.ndarray):
        out = (out,)
    if isinstance(out, Mapping):
        for name in out:
            if name not in names:
                raise InputError(f"{signature.name}: {unknown_name('output', name, names)}")
        return dict(out)
    if not isinstance(out, Sequence) or len(out) != len(names):
        count = f"{len(out)} arrays" if isinstance(out, Sequence) else repr(type(out).__name__)
        raise InputError(
            f"{signature.name}: out is {count}; expected one array per output ({', '.join(names)}) or a mapping by name"
        )
    return dict(zip(names, out, strict=True))


def _check_output(signature: Signature, spec: ArraySpec, array: Any, shape: tuple[int, ...]) -> None:
    def refuse(got: str, expected: str):
        raise InputError(f"{signature.name}: out array '{spec.name}' {got}; expected {expected}")

    if not isinstance(array, np.ndarray):
        refuse(f"is a {type(array).__name__}", "a NumPy array")
    if is_masked(array):
        refuse("is a masked array with masked entries", "a plain one, such as its .data")
    if array.shape != shape:
        refuse(f"has shape {array.shape}", f"{shape}")
    if array.dtype != signature.dtype:
        refuse(f"has dtype {array.dtype}", signature.dtype)
    if not (array.flags.c_contiguous and array.flags.aligned):
        refuse("is not C-contiguous and aligned", "an array whose rows are contiguous")
    if not array.flags.writeable:
        refuse("is read-only", "a writeable array")


def detach_overlaps(signature: Signature, bound: Bound, outputs: list[np.ndarray]) -> Bound:
    """Copy inputs that share memory with an output, so that the answer is right when writing in place."""
    arrays, strides = list(bound.arrays), list(bound.strides)
    for k, spec in enumerate(signature.inputs):
        if any(np.may_share_memory(arrays[k], output) for output in outputs):
            arrays[k] = arrays[k].copy()
            strides[k] = spec.size if arrays[k].ndim > len(spec.shape) else 0
    return Bound(arrays, strides, bound.batch)


def refuse_masked(signature: Signature, spec: ArraySpec, value: Any) -> None:
    if is_masked(value):
        raise InputError(
            f"{signature.name}: input '{spec.name}' is a masked array with masked entries, which have no value; give "
            f"them one with .filled(...)"
        )


def is_masked(value: Any) -> bool:
    """Whether something in it is masked. NumPy's module of masked arrays is not loaded just to find out."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(value, masked.MaskedArray) and bool(masked.getmaskarray(value).any())


def real_numbers(value: Any) -> np.ndarray:
    """A copy, as floats. TypeError or ValueError where it is no such thing: what is masked has no value, of complex
    numbers NumPy would take the real part, and of None it would make nan."""
    if value is None:
        raise TypeError("None is no number")
    if is_masked(value):
        raise TypeError("masked entries have no value; give them one with .filled(...)")
    if np.iscomplexobj(value):
        raise TypeError("complex numbers are not real")
    return np.array(value, dtype=float)
