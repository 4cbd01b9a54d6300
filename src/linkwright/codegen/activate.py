"""Connecting a compiled entry point with this process: see entry.py for what it does."""

from __future__ import annotations

import sys
import weakref

import numpy as np

from .context import CONTEXT, NAMES, Slot
from .entry import ENTRY
from .general_call import Runner
from .python_abi import METH_FASTCALL, METH_KEYWORDS, MethodDef, calling, make_builtin, numpy_table, python_address
from .signature import OUT
from .spare_results import counter_address, keeping
from .threads import largest_batch_for_one

_FUNCTIONS = {
    Slot.INCREF: "Py_IncRef",
    Slot.DECREF: "Py_DecRef",
    Slot.TUPLE_NEW: "PyTuple_New",
    Slot.TUPLE_SET_ITEM: "PyTuple_SetItem",
    Slot.SAVE_THREAD: "PyEval_SaveThread",
    Slot.RESTORE_THREAD: "PyEval_RestoreThread",
    Slot.ALLOCATE: "PyMem_RawMalloc",
    Slot.FREE: "PyMem_RawFree",
}


class _Owner(MethodDef):
    """Everything the compiled entry point refers to; the builtin function keeps it alive as its `self`.

    It *is* the method definition, rather than having one: CPython reads the definition until the builtin is gone,
    and the garbage collector may empty an object's attributes before that, but not the object itself.
    """


def fast_entry(runner: Runner):
    """A builtin function that does what `runner` does, or None if this Python or NumPy is not laid out as known."""
    numpy, call = numpy_table(), calling()
    if numpy is None or call is None or not runner.image.has_entry:
        return None
    owner = _Owner(b"compiled", runner.code.address(ENTRY), METH_FASTCALL | METH_KEYWORDS, None)
    owner.slow_path, owner.result_class = call.callee(runner), call.callee(runner.result_class)
    owner.descr = np.dtype(runner.signature.dtype)
    owner.names = [sys.intern(name) for name in (*(x.name for x in runner.signature.inputs), OUT)]
    context = runner.code.table(CONTEXT, len(Slot))
    for slot, name in _FUNCTIONS.items():
        context[slot] = python_address(name)
    context[Slot.VECTORCALL] = call.address
    context[Slot.TUPLE_TYPE] = id(tuple)
    context[Slot.ARRAY_TYPE] = numpy.array_type
    context[Slot.NEW_FROM_DESCR] = numpy.new_from_descr
    context[Slot.DESCR] = id(owner.descr)
    context[Slot.SLOW_PATH] = id(owner.slow_path)
    context[Slot.RESULT_CLASS] = id(owner.result_class)
    context[Slot.LARGEST_BATCH] = largest_batch_for_one(runner.threads, runner.cost)
    runner.code.table(NAMES, len(owner.names))[:] = [id(name) for name in owner.names]
    context[Slot.KEPT_BYTES] = counter_address()
    keeping(owner, runner.code, len(runner.signature.outputs))
    entry = make_builtin(owner)
    runner.entry = weakref.ref(entry)
    return entry
