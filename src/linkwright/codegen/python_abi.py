"""How CPython and NumPy lay out objects, verified at run time, for compiled code that reads arrays directly.

The offsets below are NumPy's public struct for every release from 1.7 to 2.x and CPython's for its default 64-bit
builds. They are checked against arrays whose fields are known; where a check fails, functions are called through
Python code instead, which is slower by some microseconds and otherwise the same.
"""

from __future__ import annotations

import ctypes
import struct
import sys
import sysconfig
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

REFERENCES_OFFSET, TYPE_OFFSET = 0, 8
DATA_OFFSET, NDIM_OFFSET, DIMENSIONS_OFFSET, STRIDES_OFFSET, DESCR_OFFSET, FLAGS_OFFSET = 16, 24, 32, 40, 56, 64
WEAK_REFERENCES_OFFSET = 72
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
# Of a dtype object: eight bytes with its kind, character, order of bytes, flags and number, alike in all that mean the
# same. An array that was pickled has one of its own.
MEANING_OFFSET = 24

TUPLE_SIZE_OFFSET, TUPLE_ITEMS_OFFSET = 16, 24

# Entries of NumPy's C interface table, fixed by its ABI.
_API_VERSION, _API_ARRAY_TYPE, _API_NEW_FROM_DESCR = 0, 2, 94
_KNOWN_API_VERSIONS = (0x01000009, 0x02000000)

METH_KEYWORDS, METH_FASTCALL = 0x02, 0x80


class MethodDef(ctypes.Structure):
    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p)
    )  # fmt: skip


@dataclass(frozen=True)
class NumpyTable:
    array_type: int
    new_from_descr: int


@cache
def numpy_table() -> NumpyTable | None:
    """Addresses in NumPy's C interface, or None if compiled code must not touch arrays in this process."""
    standard_layout = (
        sys.implementation.name == "cpython"
        and struct.calcsize("P") == 8
        and object.__basicsize__ == 16
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
    )
    if not (standard_layout and _arrays_as_expected() and _tuples_as_expected()):
        return None
    try:
        core = import_module("numpy._core._multiarray_umath")
    except ImportError:  # NumPy 1
        core = import_module("numpy.core._multiarray_umath")
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.argtypes, get.restype = (ctypes.py_object, ctypes.c_char_p), ctypes.c_void_p
    table = ctypes.cast(get(core._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    version = ctypes.PYFUNCTYPE(ctypes.c_uint)(table[_API_VERSION])()
    if version not in _KNOWN_API_VERSIONS or table[_API_ARRAY_TYPE] != id(np.ndarray):
        return None
    return NumpyTable(id(np.ndarray), table[_API_NEW_FROM_DESCR])


def _arrays_as_expected() -> bool:
    """Whether the fields of some arrays are where they are thought to be."""
    whole = np.arange(24.0).reshape(2, 3, 4)
    for array in (whole, whole[:, ::2], whole.T, np.zeros(5, np.float32), np.zeros(()), whole[1]):
        address, interface = id(array), array.__array_interface__

        def field(offset, kind, address=address):
            return kind.from_address(address + offset).value

        flags = field(FLAGS_OFFSET, ctypes.c_int)
        ndim = field(NDIM_OFFSET, ctypes.c_int)
        if ndim != array.ndim:
            return False
        numbers = ctypes.c_ssize_t * ndim
        shape = tuple(numbers.from_address(field(DIMENSIONS_OFFSET, ctypes.c_size_t))) if ndim else ()
        strides = tuple(numbers.from_address(field(STRIDES_OFFSET, ctypes.c_size_t))) if ndim else ()
        found = (
            field(TYPE_OFFSET, ctypes.c_size_t), field(DATA_OFFSET, ctypes.c_size_t), shape, strides,
            field(DESCR_OFFSET, ctypes.c_size_t), bool(flags & C_CONTIGUOUS), bool(flags & ALIGNED),
            bool(flags & WRITEABLE),
        )  # fmt: skip
        expected = (
            id(np.ndarray), interface["data"][0], array.shape, array.strides, id(array.dtype),
            array.flags.c_contiguous, array.flags.aligned, array.flags.writeable,
        )  # fmt: skip
        if found != expected or not _dtype_as_expected(array.dtype):
            return False
    return _references_as_expected()


def _references_as_expected() -> bool:
    """How often an array is held, and its weak references."""
    array = np.zeros(3)
    references = ctypes.c_int32.from_address(id(array) + REFERENCES_OFFSET)
    weak = ctypes.c_void_p.from_address(id(array) + WEAK_REFERENCES_OFFSET)
    alone, unseen = references.value, weak.value is None
    held, seen = [array, array], weakref.ref(array)
    return alone == 1 and references.value == 1 + len(held) and unseen and weak.value == id(seen)


def _dtype_as_expected(dtype: np.dtype) -> bool:
    kind, character, order, _, number = struct.unpack("=cccci", ctypes.string_at(id(dtype) + MEANING_OFFSET, 8))
    return (kind, character, order, number) == (
        dtype.kind.encode(), dtype.char.encode(), dtype.byteorder.encode(), dtype.num
    )  # fmt: skip


def _tuples_as_expected() -> bool:
    pair = ("x", "y")
    size = ctypes.c_ssize_t.from_address(id(pair) + TUPLE_SIZE_OFFSET).value
    items = (ctypes.c_size_t * 2).from_address(id(pair) + TUPLE_ITEMS_OFFSET)
    return size == 2 and tuple(items) == (id(pair[0]), id(pair[1]))


def python_address(name: str) -> int:
    """The address of a function of CPython's C interface."""
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


@dataclass(frozen=True)
class Calling:
    """How compiled code calls Python: a function of the C interface, and what it is given for an object to call."""

    address: int
    callee: Callable[[Any], Any]


@cache
def calling() -> Calling | None:
    """None if this Python exports no such function."""
    if hasattr(ctypes.pythonapi, "PyObject_Vectorcall"):
        return Calling(python_address("PyObject_Vectorcall"), lambda callee: callee)
    if hasattr(ctypes.pythonapi, "_PyFunction_Vectorcall"):  # 3.10, where the other is inline; for functions only
        return Calling(python_address("_PyFunction_Vectorcall"), _as_function)
    return None


def _as_function(callee: Any) -> Any:
    def call(*arguments, **named):
        return callee(*arguments, **named)

    return call


def make_builtin(method: MethodDef):
    """A builtin function around compiled code, with the definition itself as its `self`."""
    create = ctypes.pythonapi.PyCFunction_NewEx
    create.argtypes, create.restype = (ctypes.c_void_p, ctypes.py_object, ctypes.py_object), ctypes.py_object
    return create(ctypes.addressof(method), method, "linkwright")
