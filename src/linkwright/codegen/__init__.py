"""Programs become machine code, and machine code a callable. Knows nothing of robots.

The way of a program, each step in the file of its name:

    lower       products and sums fuse, sin and cos pair up
                (defined_lowering: operations of a user's module)
    schedule    the order of instructions
    registers   what is loaded and stored when (copies: what changes places at the end of a stretch)
    plan        the three together, cut into chunks
    emit        chunk -> LLVM IR (elementary: sin, exp, ...; addressing: short addresses)
    rounds      loops and guards around chunks (counted: loops over tables; tables: what they read and write by index,
                table_memory: where that lies; visits: what is rare)
    kernel      drivers for one sample and for batches (packing: samples into lanes)
    repeat      drivers for many steps in one call, outputs fed back to inputs (repetition: calling them)
    entry       the function Python calls (spare_results: arrays that are written into again)
    worker      LLVM IR -> object file, in processes that objectfile looks after
    machine     what is assumed of processors (target: the one at hand)
    cache       object files on disk
    loader      object files -> memory
    linking     object files -> one block that needs no LLVM (saved_function: as a file; linked_loader: into memory;
                instruction_sets: which processors it runs on)
    together    independent passes in the lanes of one sample (rows_in_place: what they read and write by pointer)
    function    what the user holds (runner: the general way of calling it)

Names are imported when they are first used: what runs a saved function needs neither LLVM nor what generates code.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cache import load_cached, load_note, program_content, store_note
    from .compiled_function import CompiledFunction
    from .compiling import compile_cached, compile_program
    from .defined_lowering import lower_op
    from .results import Result, result_class
    from .signature import ArraySpec
    from .target import check_dtype

_HOME = {
    "load_cached": "cache", "load_note": "cache", "program_content": "cache",
    "store_note": "cache", "CompiledFunction": "compiled_function",
    "compile_cached": "compiling", "compile_program": "compiling", "Result": "results", "result_class": "results",
    "ArraySpec": "signature", "lower_op": "defined_lowering", "check_dtype": "target",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    return value


__all__ = [
    "ArraySpec", "CompiledFunction", "Result", "check_dtype", "compile_cached", "compile_program", "load_cached",
    "load_note", "lower_op", "program_content", "result_class", "store_note",
]  # fmt: skip
