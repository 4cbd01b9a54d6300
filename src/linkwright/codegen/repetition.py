"""Calling the repeated form of a compiled function: arrays in, records of many steps out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, UnsupportedError, unknown_name
from .arguments import is_usual, refuse_masked
from .repeated_call import SMALLEST_REGROUPED, RepeatedCall
from .signature import ArraySpec

if TYPE_CHECKING:
    from .general_call import Runner


def repeat(
    runner: Runner, inputs: Mapping[str, Any], steps: int, *, every: int = 1, advancing: Sequence[str] = (),
    last: Sequence[str] = (), effort: str | None = None,
):  # fmt: skip
    """See `CompiledFunction.repeat`."""
    signature = runner.signature
    _check(runner, inputs, steps, every, advancing, last, effort)
    dtype = signature.numpy_dtype
    arrays, strides, advances, batch = [], [], [], None
    for spec in signature.inputs:
        value = inputs[spec.name]
        if is_usual(value, dtype) and value.shape == spec.shape and spec.name not in advancing:  # nothing to look at
            arrays.append(value)
            advances.append(0)
            strides.append(0)
            continue
        array, batched = _readable(signature, spec, value, steps if spec.name in advancing else None)
        arrays.append(array)
        advances.append(spec.size if spec.name in advancing else 0)
        strides.append(array.size // max(1, len(array)) if batched else 0)
        if batched and batch is not None and len(array) != batch:
            raise InputError(f"{signature.name}: input '{spec.name}' holds {len(array)} samples, others {batch}")
        batch = len(array) if batched else batch

    outputs, lead, records = [], () if batch is None else (batch,), -(-steps // every)
    for spec in signature.outputs:
        once, size = spec.name in last, spec.size
        outputs.append(np.empty(lead + spec.shape if once else (*lead, records, *spec.shape), dtype))
        strides.append(size if once else records * size)
        advances.append(0 if once else size)
    call = RepeatedCall(runner, arrays, outputs, strides, advances, batch)
    if effort is None or batch is None or batch < SMALLEST_REGROUPED * runner.image.lanes:
        call.run(int(steps), int(every))
    else:
        call.run_regrouped(int(steps), int(every), signature.output_names[effort])
    return runner.result_class(outputs) if len(outputs) > 1 else outputs[0]


def _check(runner: Runner, inputs, steps, every, advancing, last, effort) -> None:
    signature = runner.signature
    if not runner.image.repeats:
        raise UnsupportedError(f"{signature.name!r} was not compiled to be repeated; compile it with repeat=True")
    for what, value in (("steps", steps), ("every", every)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 1:
            raise InputError(f"{signature.name}: {what} is {value!r}; expected a positive whole number")
    names, results = signature.input_names, signature.output_names
    for name in (*inputs, *advancing):
        if name not in names:
            raise InputError(f"{signature.name}: {unknown_name('input', name, list(names))}")
    for name in (*last, *([] if effort is None else [effort])):
        if name not in results:
            raise InputError(f"{signature.name}: {unknown_name('output', name, list(results))}")
    for name in advancing:
        if name in results:
            raise InputError(f"{signature.name}: input {name!r} is fed back from step to step; it cannot advance too")
    if len(inputs) < len(names):
        missing = [name for name in names if name not in inputs]
        raise InputError(f"{signature.name}: missing {', '.join(map(repr, missing))}; it takes {', '.join(names)}")


def _readable(signature, spec: ArraySpec, value: Any, steps: int | None) -> tuple[np.ndarray, bool]:
    """The array, contiguous and of the right type, and whether it has a batch axis."""
    refuse_masked(signature, spec, value)
    try:
        array = np.ascontiguousarray(np.asarray(value), dtype=signature.dtype)
    except (TypeError, ValueError) as error:
        raise InputError(f"{signature.name}: input '{spec.name}' is not an array of numbers: {error}") from None
    if np.ndim(value) == 0:
        array = array.reshape(())  # np.ascontiguousarray makes it one-dimensional
    shape = spec.shape if steps is None else (steps, *spec.shape)
    if array.shape != shape and array.shape[1:] != shape:
        raise InputError(
            f"{signature.name}: input '{spec.name}' has shape {array.shape}; expected {shape} or (B, *{shape})"
        )
    return array, array.ndim > len(shape)
