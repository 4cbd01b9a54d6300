"""Compiled helpers of the entry point that look at what they were given: keywords and NumPy arrays."""

from __future__ import annotations

from .context import NAMES, Slot, load_context
from .python_abi import (
    DATA_OFFSET,
    DESCR_OFFSET,
    DIMENSIONS_OFFSET,
    FLAGS_OFFSET,
    MEANING_OFFSET,
    NDIM_OFFSET,
    TUPLE_ITEMS_OFFSET,
    TUPLE_SIZE_OFFSET,
    TYPE_OFFSET,
)

BIND, EXAMINE, OVERLAP = "lw_bind", "lw_examine", "lw_overlap"
UNBATCHED, REFUSED = -1, -2


def field(base: str, offset: int, kind: str, name: str) -> list[str]:
    size = {"ptr": 8, "i64": 8, "i32": 4}[kind]
    return [
        f"{name}_at = getelementptr i8, ptr {base}, i64 {offset}",
        f"{name} = load {kind}, ptr {name}_at, align {size}",
    ]


def inspection_functions(inputs: int) -> list[str]:
    return [*_bind(inputs), *_examine(), *_overlap()]


def _bind(inputs: int) -> list[str]:
    """i1 bind(args, positional, kwnames, bound): bound[k] = argument k, bound[inputs] = `out` or NULL; whether it fits

    Names are compared by identity: those written in a call are interned, as are ours. Any other is for the Python path.
    """
    return [
        f"define internal i1 @{BIND}(ptr %args, i64 %positional, ptr %names, ptr %bound) nounwind {{",
        "entry:",
        f"%too_many = icmp ugt i64 %positional, {inputs}",
        "br i1 %too_many, label %refuse, label %clear",
        "clear:",
        *(line for k in range(inputs + 1) for line in (
            f"%slot{k} = getelementptr ptr, ptr %bound, i64 {k}", f"store ptr null, ptr %slot{k}, align 8")
        ),
        *field("%names", TUPLE_SIZE_OFFSET, "i64", "%named"),
        "%total = add i64 %positional, %named",
        "br label %argument",
        "argument:",
        "%a = phi i64 [ 0, %clear ], [ %a_next, %accept ]",
        "%more = icmp slt i64 %a, %total",
        "br i1 %more, label %argument_body, label %complete",
        "argument_body:",
        "%by_position = icmp slt i64 %a, %positional",
        "br i1 %by_position, label %accept_check, label %search",
        "search:",
        "%name_number = sub i64 %a, %positional",
        f"%items = getelementptr i8, ptr %names, i64 {TUPLE_ITEMS_OFFSET}",
        "%name_at = getelementptr ptr, ptr %items, i64 %name_number",
        "%name = load ptr, ptr %name_at, align 8",
        "br label %compare",
        "compare:",
        "%k = phi i64 [ 0, %search ], [ %k_next, %compare_next ]",
        f"%candidate_at = getelementptr ptr, ptr @{NAMES}, i64 %k",
        "%candidate = load ptr, ptr %candidate_at, align 8",
        "%same = icmp eq ptr %candidate, %name",
        "br i1 %same, label %accept_check, label %compare_next",
        "compare_next:",
        "%k_next = add i64 %k, 1",
        f"%candidates_left = icmp sle i64 %k_next, {inputs}",
        "br i1 %candidates_left, label %compare, label %refuse",
        "accept_check:",
        "%position = phi i64 [ %a, %argument_body ], [ %k, %compare ]",
        "%bound_at = getelementptr ptr, ptr %bound, i64 %position",
        "%earlier = load ptr, ptr %bound_at, align 8",
        "%free = icmp eq ptr %earlier, null",
        "br i1 %free, label %accept, label %refuse",
        "accept:",
        "%value_at = getelementptr ptr, ptr %args, i64 %a",
        "%value = load ptr, ptr %value_at, align 8",
        "store ptr %value, ptr %bound_at, align 8",
        "%a_next = add i64 %a, 1",
        "br label %argument",
        "complete:",
        *_all_bound(inputs),
        "refuse:",
        "ret i1 false",
        "}",
    ]


def _all_bound(inputs: int) -> list[str]:
    lines, condition = [], "true"
    for k in range(inputs):
        lines += [
            f"%final{k} = load ptr, ptr %slot{k}, align 8",
            f"%present{k} = icmp ne ptr %final{k}, null",
            f"%all{k} = and i1 {condition}, %present{k}",
        ]
        condition = f"%all{k}"
    return [*lines, f"ret i1 {condition}"]


def _examine() -> list[str]:
    """i64 examine(array, dimensions of a sample, shape of a sample, required flags) -> samples, UNBATCHED or REFUSED"""
    return [
        f"define internal i64 @{EXAMINE}(ptr %array, i32 %ndim, ptr %shape, i32 %required) nounwind {{",
        "entry:",
        *field("%array", TYPE_OFFSET, "ptr", "%type"),
        load_context(Slot.ARRAY_TYPE, "%array_type"),
        "%is_array = icmp eq ptr %type, %array_type",  # exactly: a subclass may mean something else by its data
        "br i1 %is_array, label %fields, label %refuse",
        "fields:",
        *field("%array", DESCR_OFFSET, "ptr", "%descr"),
        load_context(Slot.DESCR, "%wanted"),
        "%very_type = icmp eq ptr %descr, %wanted",
        "br i1 %very_type, label %typed, label %alike",
        "alike:",  # another dtype object that means the same
        *field("%descr", MEANING_OFFSET, "i64", "%meaning"),
        *field("%wanted", MEANING_OFFSET, "i64", "%wanted_meaning"),
        "%right_type = icmp eq i64 %meaning, %wanted_meaning",
        "br i1 %right_type, label %typed, label %refuse",
        "typed:",
        *field("%array", FLAGS_OFFSET, "i32", "%flags"),
        "%masked = and i32 %flags, %required",
        "%usable = icmp eq i32 %masked, %required",
        "br i1 %usable, label %count, label %refuse",
        "count:",
        *field("%array", NDIM_OFFSET, "i32", "%found"),
        "%extra = sub i32 %found, %ndim",
        "%known = icmp ult i32 %extra, 2",
        "br i1 %known, label %compare, label %refuse",
        "compare:",
        *field("%array", DIMENSIONS_OFFSET, "ptr", "%dimensions"),
        "%batched = icmp eq i32 %extra, 1",
        "%skip = zext i32 %extra to i64",
        "%inner = getelementptr i64, ptr %dimensions, i64 %skip",
        "br label %axis",
        "axis:",
        "%k = phi i32 [ 0, %compare ], [ %k_next, %axis_same ]",
        "%more = icmp slt i32 %k, %ndim",
        "br i1 %more, label %axis_body, label %fits",
        "axis_body:",
        "%length_at = getelementptr i64, ptr %inner, i32 %k",
        "%length = load i64, ptr %length_at, align 8",
        "%expected_at = getelementptr i64, ptr %shape, i32 %k",
        "%expected = load i64, ptr %expected_at, align 8",
        "%same = icmp eq i64 %length, %expected",
        "br i1 %same, label %axis_same, label %refuse",
        "axis_same:",
        "%k_next = add i32 %k, 1",
        "br label %axis",
        "fits:",
        "br i1 %batched, label %samples, label %unbatched",
        "samples:",
        "%count_of_samples = load i64, ptr %dimensions, align 8",
        "ret i64 %count_of_samples",
        "unbatched:",
        f"ret i64 {UNBATCHED}",
        "refuse:",
        f"ret i64 {REFUSED}",
        "}",
    ]


def _overlap() -> list[str]:
    """i1 overlap(array, samples, bytes of a sample, array, samples, bytes of a sample); UNBATCHED is one sample"""
    lines = [
        f"define internal i1 @{OVERLAP}(ptr %a, i64 %samples_a, i64 %size_a, ptr %b, i64 %samples_b, i64 %size_b) "
        "nounwind {",
    ]
    for x in ("a", "b"):
        lines += [
            *field(f"%{x}", DATA_OFFSET, "i64", f"%start_{x}"),
            f"%one_{x} = icmp slt i64 %samples_{x}, 0",
            f"%count_{x} = select i1 %one_{x}, i64 1, i64 %samples_{x}",
            f"%bytes_{x} = mul i64 %count_{x}, %size_{x}",
            f"%end_{x} = add i64 %start_{x}, %bytes_{x}",
        ]
    return [
        *lines,
        "%a_first = icmp ult i64 %start_a, %end_b",
        "%b_first = icmp ult i64 %start_b, %end_a",
        "%both = and i1 %a_first, %b_first",
        "ret i1 %both",
        "}",
    ]
