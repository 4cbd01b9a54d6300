"""Results that nobody holds any more are written into again.

The arrays of a large batch take megabytes. To allocate them means new pages from the operating system, each cleared
first, for as long as the computing itself takes and longer; whether that happens in every call depends on what else
the process did. So a function keeps the last two sets of results that it allocated. Where nobody else refers to a set
any more, and it fits, the next call takes it; two, because in a loop that assigns to one name the last results are
still there while the next are computed. Whoever looks at an array holds it: views, buffers and weak references count.

All functions of the process together keep at most `MOST_HELD` bytes: what would be more is not kept, and costs new
pages as it would without any of this. A function lets go of what it keeps when it is gone, when `release_results` is
called, and when another is loaded while half of that is taken.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable, Sequence

from ..call_errors import names_arguments
from .arguments import READABLE
from .context import Slot, load_context
from .inspection import EXAMINE
from .loader import Code
from .python_abi import REFERENCES_OFFSET, TUPLE_ITEMS_OFFSET, WEAK_REFERENCES_OFFSET, WRITEABLE

KEPT = "lw_kept"  # arrays of one set after the other, how often one was kept, and how many bytes each set has
LET_GO = "lw_let_go"  # of all of them
SETS = 2
LEAST_BYTES, MOST_BYTES = 1 << 17, 1 << 26  # of a set: from where malloc maps pages for each array; what may be held
MOST_HELD = SETS * MOST_BYTES  # of all functions of this process: as much as the largest results of one of them

_held = ctypes.c_int64(0)


class _Keeper:
    """What makes one function let go. Its code does it in one go, while no other thread runs Python."""

    def __init__(self, code: Code, outputs: int):
        self._code = code
        self._table = code.table(KEPT, kept_length(outputs))  # refuses a saved function that has another
        self._release: Callable[[], None] = ctypes.PYFUNCTYPE(None)(code.address(LET_GO))

    def let_go(self) -> None:
        if any(self._table):  # what was never called is not called now either
            self._release()


_keepers: weakref.WeakValueDictionary[int, _Keeper] = weakref.WeakValueDictionary()


def counter_address() -> int:
    return ctypes.addressof(_held)


def keeping(owner: object, code: Code, outputs: int) -> None:
    """A function whose entry point `owner` keeps alive may keep results from now on."""
    if _held.value > MOST_HELD // 2:
        release_results()
    keeper = _Keeper(code, outputs)
    _keepers[id(keeper)] = keeper
    weakref.finalize(owner, keeper.let_go)  # holds the keeper, and with it the code


@names_arguments
def release_results() -> int:
    """Give back the memory of results that nobody refers to any more and that compiled functions keep to write into.

    Returns how many bytes they kept, of results that are still held included. Functions go on as before: the next large
    batch takes new memory. All functions together keep at most 128 MiB; small results, and single ones, are not kept.
    """
    before = _held.value
    for keeper in list(_keepers.values()):
        keeper.let_go()
    return before


def kept_length(outputs: int) -> int:
    return SETS * outputs + 1 + SETS


def kept_definition(outputs: int) -> list[str]:
    """The table, and the function that empties it."""
    lines = [
        f"@{KEPT} = global [{kept_length(outputs)} x ptr] zeroinitializer",
        f"define void @{LET_GO}() nounwind {{",
        load_context(Slot.DECREF, "%let_go"),
        load_context(Slot.KEPT_BYTES, "%held_at"),
    ]
    for which in range(SETS):
        lines += [
            _entry(_bytes_at(outputs, which), f"%bytes{which}_at"),
            f"%bytes{which} = load i64, ptr %bytes{which}_at, align 8",
            f"store i64 0, ptr %bytes{which}_at, align 8",
            f"%held{which} = load i64, ptr %held_at, align 8",
            f"%less{which} = sub i64 %held{which}, %bytes{which}",
            f"store i64 %less{which}, ptr %held_at, align 8",
        ]
    for place in range(SETS * outputs):  # out of the table first: what lets go of an array may call us again
        lines += [
            _entry(place, f"%place{place}"),
            f"%array{place} = load ptr, ptr %place{place}, align 8",
            f"store ptr null, ptr %place{place}, align 8",
        ]
    return [*lines, *(f"call void %let_go(ptr %array{k})" for k in range(SETS * outputs)), "ret void", "}"]


def _bytes_at(outputs: int, which: int) -> int:
    return SETS * outputs + 1 + which


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
        f"%turn = urem i64 %turns, {SETS}",
        f"%bytes_place = add i64 %turn, {_bytes_at(outputs, 0)}",
        _entry("%bytes_place", "%bytes_at"),
        "%bytes_before = load i64, ptr %bytes_at, align 8",
        load_context(Slot.KEPT_BYTES, "%held_at"),
        "%held = load i64, ptr %held_at, align 8",
        "%held_without = sub i64 %held, %bytes_before",
        "%held_with = add i64 %held_without, %bytes_of_results",
        f"%has_room = icmp sle i64 %held_with, {MOST_HELD}",
        f"br i1 %has_room, label %keep_these, label %{after}",
        "keep_these:",
        "store i64 %held_with, ptr %held_at, align 8",
        "store i64 %bytes_of_results, ptr %bytes_at, align 8",
        "%turns_next = add i64 %turns, 1",
        "store i64 %turns_next, ptr %turns_at, align 8",
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
