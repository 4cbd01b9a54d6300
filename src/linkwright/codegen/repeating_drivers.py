"""The drivers of a repeated program: many steps in one call, what a step gives fed back to the next.

An output with the name of an input is fed back: what one step stores there, the next one reads. Other inputs stay as
they are or advance by a row with each step. Every few steps, and after the last, all outputs are stored, one record
after the other. State stays in packed blocks (or, for one lane, in two rows) from the first step to the last.

    void repeat(ptr inputs, ptr outputs, ptr strides, ptr advances, i64 begin, i64 end, i64 steps, i64 every,
                ptr order, ptr workspace)

`order` says which sample comes at which place from begin to end, and is read up to a whole block. `strides` holds the
elements from sample to sample of each input, then of each output; `advances` those from step to step, then from record
to record. Zero means the same row again: an input that stays, an output of which the last record is enough.
"""

from __future__ import annotations

from .kernel import (
    block_bytes,
    block_calls,
    block_start,
    chunk_calls,
    load_table,
    next_tile,
    single_workspace_bytes,
    tile_blocks,
)
from .machine import ALIGNMENT
from .packing import PACK_ORDERED, UNPACK_ORDERED, counting_loop, packing_functions
from .places import block_layout
from .plan import Plan
from .vector_type import VectorType

COPY_DECLARATION = "declare void @llvm.memcpy.inline.p0.p0.i64(ptr, ptr, i64, i1)"


def repeat_name(lanes: int) -> str:
    return f"lw_repeat_{lanes}"


def fed_back(plan: Plan) -> dict[int, int]:
    """Number of an input -> number of the output that is fed back to it."""
    numbers = {output.name: k for k, output in enumerate(plan.program.outputs)}
    return {k: numbers[x.name] for k, x in enumerate(plan.program.inputs) if x.name in numbers}


def repeat_workspace_bytes(plan: Plan, scalar: VectorType) -> int:
    """What the one-lane driver needs: slots, then the rows it keeps for itself."""
    return _scalar_layout(plan, scalar)[2]


def scalar_repeat(plan: Plan, scalar: VectorType) -> list[str]:
    """Sample by sample; inputs that are not fed back are read where they are."""
    inputs, outputs, back = plan.program.inputs, plan.program.outputs, fed_back(plan)
    own_inputs, own_outputs, _ = _scalar_layout(plan, scalar)
    size, number = scalar.in_arrays.bytes, scalar.in_arrays.scalar
    start, body, feedback, record = [], [], [], []
    for k, array in enumerate(inputs):
        start += [
            f"%offset{k} = mul i64 %sample, %stride{k}",
            f"%row{k} = getelementptr {number}, ptr %base{k}, i64 %offset{k}",
        ]
        if k in back:
            start.append(_copy(f"%in{k}", f"%row{k}", array.size * size, size))
            feedback.append(_copy(f"%in{k}", f"%out{back[k]}", array.size * size, size))
        else:
            body += [
                f"%advanced{k} = mul i64 %step, %advance{k}",
                f"%in{k} = getelementptr {number}, ptr %row{k}, i64 %advanced{k}",
            ]
    for k, result in enumerate(outputs):
        n = len(inputs) + k
        start += [
            f"%elements_before{k} = mul i64 %sample, %stride{n}",
            f"%record_base{k} = getelementptr {number}, ptr %base{n}, i64 %elements_before{k}",
        ]
        record += [
            f"%within{k} = mul i64 %record, %advance{n}",
            f"%record_at{k} = getelementptr {number}, ptr %record_base{k}, i64 %within{k}",
            _copy(f"%record_at{k}", f"%out{k}", result.size * size, size),
        ]
    return [
        *_head(1, len(inputs), len(outputs)),
        *(f"%in{k} = getelementptr i8, ptr %workspace, i64 {at}" for k, at in own_inputs.items()),
        *(f"%out{k} = getelementptr i8, ptr %workspace, i64 {at}" for k, at in enumerate(own_outputs)),
        "%count = sub i64 %end, %begin",
        "br label %samples",
        "samples:",
        "%k = phi i64 [ 0, %entry ], [ %k_next, %samples_next ]",
        "%more_samples = icmp slt i64 %k, %count",
        "br i1 %more_samples, label %samples_body, label %done",
        "samples_body:",
        "%place = add i64 %begin, %k",
        "%sample_at = getelementptr i64, ptr %order, i64 %place",
        "%sample = load i64, ptr %sample_at, align 8",
        *start,
        "br label %stepping",
        *_steps_head("samples_body", "samples_next"),
        *body,
        *chunk_calls(plan, scalar, "%in", "%out"),
        *feedback,
        "br label %due",
        *_due("record_now"),
        "record_now:",
        *record,
        "br label %steps_next",
        *_steps_next("record_now"),
        "samples_next:",
        "%k_next = add i64 %k, 1",
        "br label %samples",
        "done:",
        "ret void",
        "}",
    ]


def batch_repeat(plan: Plan, vector: VectorType) -> list[str]:
    """Tile by tile, all steps of a tile before the next; within a step chunk by chunk over the tile's blocks."""
    inputs, outputs, back = plan.program.inputs, plan.program.outputs, fed_back(plan)
    layout, lanes, size = block_layout(plan, vector), vector.lanes, block_bytes(plan, vector)
    number = vector.in_arrays.scalar

    def pack(label: str, k: int, base: str, count: str) -> list[str]:
        return [
            f"%{label}_to{k} = getelementptr i8, ptr %block_{label}, i64 {layout.input_start[k]}",
            f"call void @{PACK_ORDERED}(ptr {base}, i64 %stride{k}, i64 {count}, ptr %{label}_to{k}, "
            f"i64 %sample_{label}, i64 %last, ptr %order)",
        ]

    start = [line for k, array in enumerate(inputs) for line in pack("start", k, f"%base{k}", str(array.size))]
    moving = [k for k in range(len(inputs)) if k not in back]
    ahead, feed = [], []
    for k in moving:
        ahead += [
            f"%advanced{k} = mul i64 %step, %advance{k}",
            f"%ahead{k} = getelementptr {number}, ptr %base{k}, i64 %advanced{k}",
            f"%advances{k} = icmp ne i64 %advance{k}, 0",
            f"%length{k} = select i1 %advances{k}, i64 {inputs[k].size}, i64 0",  # what stays is packed once
        ]
        feed += pack("feed", k, f"%ahead{k}", f"%length{k}")
    copies = []
    for k, output in back.items():
        copies += [
            f"%back_to{k} = getelementptr i8, ptr %block_back, i64 {layout.input_start[k]}",
            f"%back_from{k} = getelementptr i8, ptr %block_back, i64 {layout.output_start[output]}",
            _copy(f"%back_to{k}", f"%back_from{k}", inputs[k].size * vector.bytes, vector.bytes),
        ]
    record, targets = ["%left_in_batch = sub i64 %end, %sample_store"], []
    for k, array in enumerate(outputs):
        n = len(inputs) + k
        targets += [
            f"%within{k} = mul i64 %record, %advance{n}",
            f"%record_base{k} = getelementptr {number}, ptr %base{n}, i64 %within{k}",
        ]
        record += [
            f"%record_from{k} = getelementptr i8, ptr %block_store, i64 {layout.output_start[k]}",
            f"call void @{UNPACK_ORDERED}(ptr %record_from{k}, ptr %record_base{k}, i64 %stride{n}, i64 {array.size}, "
            "i64 %sample_store, i64 %left_in_batch, ptr %order)",
        ]
    loops = [("feed", feed), *block_calls(plan, lanes), ("back", copies)]

    def over_blocks(label: str, body: list[str], after: str, before: str) -> list[str]:
        return counting_loop(
            label, f"b_{label}", "%blocks", block_start(label, lanes, size) + body, after, before=before
        )

    step, previous = [], "stepping_body"
    for position, (label, body) in enumerate(loops):
        after = loops[position + 1][0] if position + 1 < len(loops) else "due"
        step += over_blocks(label, body, after, previous)
        previous = label
    return [
        *packing_functions(vector, ordered=True),
        *_head(lanes, len(inputs), len(outputs)),
        "%last = sub i64 %end, 1",
        "br label %tile",
        "tile:",
        "%first = phi i64 [ %begin, %entry ], [ %first_next, %tile_next ]",
        "%any = icmp slt i64 %first, %end",
        "br i1 %any, label %tile_body, label %done",
        "tile_body:",
        "%remaining = sub i64 %end, %first",
        f"%rounded = add i64 %remaining, {lanes - 1}",
        f"%remaining_blocks = sdiv i64 %rounded, {lanes}",
        f"%full_tile = icmp sgt i64 %remaining_blocks, {tile_blocks(plan, vector)}",
        f"%blocks = select i1 %full_tile, i64 {tile_blocks(plan, vector)}, i64 %remaining_blocks",
        "br label %start",
        *over_blocks("start", start, "stepping", "tile_body"),
        *_steps_head("start", "tile_next"),
        *ahead,
        "br label %feed",
        *step,
        *_due("record_start"),
        "record_start:",
        *targets,
        "br label %store",
        *over_blocks("store", record, "recorded", "record_start"),
        "recorded:",
        "br label %steps_next",
        *_steps_next("recorded"),
        *next_tile(lanes),
    ]


def _head(lanes: int, inputs: int, outputs: int) -> list[str]:
    return [
        f"define void @{repeat_name(lanes)}(ptr %inputs, ptr %outputs, ptr %strides, ptr %advances, i64 %begin, "
        "i64 %end, i64 %steps, i64 %every, ptr %order, ptr %workspace) nounwind {",
        "entry:",
        *load_table("%strides", "stride", "i64", 0, inputs + outputs),
        *load_table("%advances", "advance", "i64", 0, inputs + outputs),
        *load_table("%inputs", "base", "ptr", 0, inputs),
        *load_table("%outputs", "base", "ptr", inputs, outputs),
    ]


def _steps_head(before: str, after: str) -> list[str]:
    """The loop over steps: %step counts them, %wait those until the next record, %record the records so far."""
    return [
        "stepping:",
        f"%step = phi i64 [ 0, %{before} ], [ %step_next, %steps_next ]",
        f"%wait = phi i64 [ %every, %{before} ], [ %wait_next, %steps_next ]",
        f"%record = phi i64 [ 0, %{before} ], [ %record_next, %steps_next ]",
        "%more_steps = icmp slt i64 %step, %steps",
        f"br i1 %more_steps, label %stepping_body, label %{after}",
        "stepping_body:",
    ]


def _due(record: str) -> list[str]:
    return [
        "due:",
        "%step_next = add i64 %step, 1",
        "%waited = sub i64 %wait, 1",
        "%is_time = icmp eq i64 %waited, 0",
        "%is_last = icmp eq i64 %step_next, %steps",
        "%is_due = or i1 %is_time, %is_last",
        "%wait_next = select i1 %is_due, i64 %every, i64 %waited",
        "%record_after = add i64 %record, 1",
        f"br i1 %is_due, label %{record}, label %steps_next",
    ]


def _steps_next(recorded: str) -> list[str]:
    return [
        "steps_next:",
        f"%record_next = phi i64 [ %record, %due ], [ %record_after, %{recorded} ]",
        "br label %stepping",
    ]


def _copy(target: str, source: str, size: int, alignment: int) -> str:
    """Never a library call, so the object file needs nothing from outside."""
    return (
        f"call void @llvm.memcpy.inline.p0.p0.i64(ptr align {alignment} {target}, ptr align {alignment} {source}, "
        f"i64 {size}, i1 false)"
    )


def _scalar_layout(plan: Plan, scalar: VectorType) -> tuple[dict[int, int], list[int], int]:
    """Bytes from the workspace's start to the rows of fed-back inputs and of outputs, and its size."""

    def rounded(n: int) -> int:
        return -(-n // ALIGNMENT) * ALIGNMENT

    position = rounded(single_workspace_bytes(plan, scalar))
    own_inputs, own_outputs = {}, []
    for k in fed_back(plan):
        own_inputs[k] = position
        position += rounded(plan.program.inputs[k].size * scalar.in_arrays.bytes)
    for array in plan.program.outputs:
        own_outputs.append(position)
        position += rounded(array.size * scalar.in_arrays.bytes)
    return own_inputs, own_outputs, position
