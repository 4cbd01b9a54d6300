"""Machine code as a call target of XLA, jax' compiler: its foreign function interface, read with ctypes.

XLA hands over one structure that says where inputs and outputs lie and how long their axes are. Its layout is fixed by
XLA's C interface, whose major version is checked; where that is another, jax calls Python instead (`pure_callback`),
some hundred microseconds slower.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..codegen import CompiledFunction

KNOWN_MAJOR = 0
_METADATA = 1  # the kind of extension by which XLA asks what a handler is
_EXECUTE = 3  # the stage in which there is something to do

# Bytes from the beginning of XLA's structures.
_EXTENSION, _API, _STAGE, _ARGUMENTS, _RESULTS = 8, 16, 32, 72, 112  # of a call
_EXTENSION_KIND, _EXTENSION_METADATA = 8, 24
_METADATA_VERSION = 8  # where the structure of the version begins
_VERSION_MAJOR, _VERSION_MINOR = 16, 20
_API_VERSION = 16
_DATA, _RANK, _DIMENSIONS = 24, 32, 40  # of a buffer

_HANDLER = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_address, _whole, _long = ctypes.c_size_t.from_address, ctypes.c_int.from_address, ctypes.c_int64.from_address


class XlaHandler:
    """Runs a compiled function where XLA says. Keep it as long as XLA may call it: for good."""

    def __init__(self, function: CompiledFunction):
        self._runner = function._runner
        self._inputs = [(x.size, len(x.shape), x.shape) for x in function.inputs]
        self._outputs = [len(x.shape) for x in function.outputs]
        self._item = function.dtype.itemsize
        self._dtype = function.dtype
        self._callback = _HANDLER(self._handle)

    @property
    def capsule(self) -> Any:
        make = ctypes.pythonapi.PyCapsule_New
        make.argtypes, make.restype = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p), ctypes.py_object
        return make(ctypes.cast(self._callback, ctypes.c_void_p), b"xla._CUSTOM_CALL_TARGET", None)

    def _handle(self, frame: int) -> int | None:
        extension = _address(frame + _EXTENSION).value
        if extension and _whole(extension + _EXTENSION_KIND).value == _METADATA:
            self._introduce(frame, extension)
        elif _whole(frame + _STAGE).value == _EXECUTE:
            try:
                self._run(frame)
            except BaseException:  # Python prints what it was, and goes on; nobody may take old numbers for results
                self._spoil(frame)
                raise
        return None  # no error

    def _introduce(self, frame: int, extension: int) -> None:
        """Say that this handler is for XLA's version, if it is one that is known; else for none."""
        version = _address(extension + _EXTENSION_METADATA).value + _METADATA_VERSION
        api = _address(frame + _API).value
        minor = 0
        if api:
            own = api + _API_VERSION
            if _whole(own + _VERSION_MAJOR).value != KNOWN_MAJOR:
                return
            minor = _whole(own + _VERSION_MINOR).value
        _whole(version + _VERSION_MAJOR).value = KNOWN_MAJOR
        _whole(version + _VERSION_MINOR).value = minor

    def _run(self, frame: int) -> None:
        given = (ctypes.c_size_t * len(self._inputs)).from_address(_address(frame + _ARGUMENTS).value)
        wanted = (ctypes.c_size_t * len(self._outputs)).from_address(_address(frame + _RESULTS).value)
        lead = _lengths(wanted[0], self._outputs[0])
        targets = [_address(x + _DATA).value for x in wanted]
        sources, strides, kept = [], [], []
        for buffer, (size, rank, shape) in zip(given, self._inputs, strict=True):
            at, stride = _address(buffer + _DATA).value, 0
            own = _lengths(buffer, rank)
            if own == lead:
                stride = size
            elif prod(own) != 1:  # some axes are there and others not: written out
                aligned = self._array(at, prod(own) * size).reshape(*own, *(1,) * (len(lead) - len(own)), *shape)
                full = np.ascontiguousarray(np.broadcast_to(aligned, (*lead, *shape)))
                kept.append(full)
                at, stride = full.ctypes.data, size
            sources.append(at)
            strides.append(stride)
        self._runner.run_at(sources, strides, targets, prod(lead) if lead else None)


    def _spoil(self, frame: int) -> None:
        """Leave no result."""
        wanted = (ctypes.c_size_t * len(self._outputs)).from_address(_address(frame + _RESULTS).value)
        for buffer in wanted:
            lengths: tuple[int, ...] = _lengths(buffer, 0)
            self._array(_address(buffer + _DATA).value, prod(lengths))[:] = np.nan

    def _array(self, address: int, size: int) -> np.ndarray:
        memory: Any = (ctypes.c_char * (size * self._item)).from_address(address)
        return np.frombuffer(memory, self._dtype)


def _lengths(buffer: int, inner: int) -> tuple[int, ...]:
    """Of the batch axes of a buffer whose samples have `inner` axes."""
    rank: int = _long(buffer + _RANK).value - inner
    return () if rank == 0 else tuple((ctypes.c_int64 * rank).from_address(_address(buffer + _DIMENSIONS).value))


def evaluate(function: CompiledFunction, lead: tuple[int, ...], arrays: Sequence[Any]) -> tuple[np.ndarray, ...]:
    """The same by way of NumPy, batch axes aligned at the front, as a callback has them."""
    flat = []
    for array, spec in zip(arrays, function.inputs, strict=True):
        one = np.asarray(array)
        own = one.shape[: one.ndim - len(spec.shape)]
        if lead:
            aligned = one.reshape(*own, *(1,) * (len(lead) - len(own)), *spec.shape)
            one = np.broadcast_to(aligned, (*lead, *spec.shape)).reshape(prod(lead), *spec.shape)
        flat.append(one)
    found = function(*flat)
    found = found if isinstance(found, tuple) else (found,)
    return tuple(x.reshape((*lead, *spec.shape)) for x, spec in zip(found, function.outputs, strict=True))
