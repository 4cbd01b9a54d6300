"""Results that nobody holds any more are written into again.

The arrays of a large batch take megabytes. To allocate them means new pages from the operating system, each cleared
first, for as long as the computing itself takes and longer; whether that happens in every call depends on what else
the process did. So a function keeps the last two sets of results that it allocated. Where nobody else refers to a set
any more, and it fits, the next call takes it; two, because in a loop that assigns to one name the last results are
still there while the next are computed. Whoever looks at an array holds it: views, buffers and weak references count.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from .arguments import READABLE
from .context import Slot, load_context
from .inspection import EXAMINE
from .loader import Code
from .python_abi import REFERENCES_OFFSET, TUPLE_ITEMS_OFFSET, WEAK_REFERENCES_OFFSET, WRITEABLE

KEPT = "lw_kept"  # arrays of one set after the other, then how often one was kept
SETS = 2
LEAST_BYTES, MOST_BYTES = 1 << 17, 1 << 26  # of a set: from where malloc maps pages for each array; held per function


def kept_length(outputs: int) -> int:
    return SETS * outputs + 1


def kept_definition(outputs: int) -> list[str]:
    return [f"@{KEPT} = global [{kept_length(outputs)} x ptr] zeroinitializer"]


def release(table: ctypes.Array, code: Code) -> None:
    """Let go of what is kept, when the function is gone; the table lies in its code."""
    for place in range(len(table) - 1):
        if table[place]:
            array = ctypes.cast(table[place], ctypes.py_object)
            table[place] = None
            ctypes.pythonapi.Py_DecRef(array)


def _entry(place: int | str, name: str) -> str:
    return f"{name} = getelementptr ptr, ptr @{KEPT}, i64 {place}"


def worth_keeping(bytes_per_sample: int) -> list[str]:
    """Define %is_kept_size from %batch."""
    return [
        f"%bytes_of_results = mul i64 %batch, {bytes_per_sample}",
        f"%enough_bytes = icmp sge i64 %bytes_of_results, {LEAST_BYTES}",
        f"%few_bytes = icmp sle i64 %bytes_of_results, {MOST_BYTES}",
        "%is_kept_size = and i1 %enough_bytes, %few_bytes",
    ]


def look_for_kept(dimensions: Sequence[int], found: str, nothing: str) -> list[str]:
    """Begins at `look`; leaves to `found`, with %kept_results what stands for a tuple of the arrays or the only one, or
    to `nothing`."""
    outputs = len(dimensions)
    lines = ["look:", f"br i1 %is_kept_size, label %kept0_0, label %{nothing}"]
    for which in range(SETS):
        otherwise = f"kept{which + 1}_0" if which + 1 < SETS else nothing
        for k, ndim in enumerate(dimensions):
            tag = f"{which}_{k}"
            after = f"kept{which}_{k + 1}" if k + 1 < outputs else f"whole{which}"
            lines += [
                f"kept{tag}:",
                _entry(which * outputs + k, f"%array{tag}_at"),
                f"%array{tag} = load ptr, ptr %array{tag}_at, align 8",
                f"%none{tag} = icmp eq ptr %array{tag}, null",
                f"br i1 %none{tag}, label %{otherwise}, label %look{tag}",
                f"look{tag}:",
                f"%references{tag}_at = getelementptr i8, ptr %array{tag}, i64 {REFERENCES_OFFSET}",
                f"%references{tag} = load i32, ptr %references{tag}_at, align 8",
                f"%only{tag} = icmp eq i32 %references{tag}, 1",
                f"%weak{tag}_at = getelementptr i8, ptr %array{tag}, i64 {WEAK_REFERENCES_OFFSET}",
                f"%weak{tag} = load ptr, ptr %weak{tag}_at, align 8",
                f"%unseen{tag} = icmp eq ptr %weak{tag}, null",
                f"%unheld{tag} = and i1 %only{tag}, %unseen{tag}",
                f"%samples_kept{tag} = call i64 @{EXAMINE}(ptr %array{tag}, i32 {ndim}, ptr @lw_shape_out{k}, "
                f"i32 {READABLE | WRITEABLE})",
                f"%same_batch{tag} = icmp eq i64 %samples_kept{tag}, %batch",
                f"%usable{tag} = and i1 %unheld{tag}, %same_batch{tag}",
                f"br i1 %usable{tag}, label %{after}, label %{otherwise}",
            ]
        lines += [f"whole{which}:", "br label %take_kept"]
    sets = ", ".join(f"[ {which * outputs}, %whole{which} ]" for which in range(SETS))
    lines += ["take_kept:", f"%first_kept = phi i64 {sets}", _entry("%first_kept", "%kept_set")]
    if outputs == 1:
        lines.append("%kept_results = load ptr, ptr %kept_set, align 8")
    else:
        lines.append(f"%kept_results = getelementptr i8, ptr %kept_set, i64 {-TUPLE_ITEMS_OFFSET}")
    return [*lines, f"br label %{found}"]


def keep(outputs: int, after: str) -> list[str]:
    """Begins at `keep`, leaves to `after`: keeps what was allocated, in place of what was kept longest."""
    lines = [
        "keep:",
        "%keeps = and i1 %allocating, %is_kept_size",
        f"br i1 %keeps, label %keep_now, label %{after}",
        "keep_now:",
        load_context(Slot.INCREF, "%hold"),
        load_context(Slot.DECREF, "%let_go"),
        _entry(SETS * outputs, "%turns_at"),
        "%turns = load i64, ptr %turns_at, align 8",
        "%turns_next = add i64 %turns, 1",
        "store i64 %turns_next, ptr %turns_at, align 8",
        f"%turn = urem i64 %turns, {SETS}",
        f"%replaced = mul i64 %turn, {outputs}",
    ]
    for k in range(outputs):
        lines += [
            f"%replaced{k} = add i64 %replaced, {k}",
            _entry(f"%replaced{k}", f"%replaced_at{k}"),
            f"%old{k} = load ptr, ptr %replaced_at{k}, align 8",
            f"call void %hold(ptr %result{k})",
            f"store ptr %result{k}, ptr %replaced_at{k}, align 8",
        ]
    return [*lines, *(f"call void %let_go(ptr %old{k})" for k in range(outputs)), f"br label %{after}"]
