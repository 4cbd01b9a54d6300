"""The table through which compiled code reaches this process.

Addresses of types and of CPython's and NumPy's functions differ from process to process. Compiled code reads them
from a table that is filled in after loading, so that the code itself can be stored on disk.
"""

from __future__ import annotations

from enum import IntEnum

CONTEXT = "lw_context"
NAMES = "lw_names"  # interned names of the inputs, then "out"


class Slot(IntEnum):
    ARRAY_TYPE = 0
    DESCR = 1  # NumPy's dtype object of inputs and outputs
    NEW_FROM_DESCR = 2
    INCREF = 3
    DECREF = 4
    VECTORCALL = 5
    SLOW_PATH = 6  # what to call when the compiled entry point does not know what to do
    RESULT_CLASS = 7
    TUPLE_NEW = 8
    TUPLE_SET_ITEM = 9
    SAVE_THREAD = 10
    RESTORE_THREAD = 11
    ALLOCATE = 12
    FREE = 13
    LARGEST_BATCH = 14  # a number, not an address: larger batches are for several threads
    TUPLE_TYPE = 15
    KEPT_BYTES = 16  # where the process counts what all functions keep (spare_results.py)


def context_definition(inputs: int) -> list[str]:
    return [
        f"@{CONTEXT} = global [{len(Slot)} x ptr] zeroinitializer",
        f"@{NAMES} = global [{inputs + 1} x ptr] zeroinitializer",
    ]


def load_context(slot: Slot, name: str) -> str:
    """The instruction that puts an entry of the table into `name`."""
    address = f"getelementptr ([{len(Slot)} x ptr], ptr @{CONTEXT}, i64 0, i64 {int(slot)})"
    return f"{name} = load ptr, ptr {address}, align 8"
