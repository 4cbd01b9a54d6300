"""The drivers around the chunks: one for a single sample, one for a batch.

A batch is worked off in tiles of several blocks, a block being as many samples as there are lanes. Within a tile the
order is chunk by chunk and, for each chunk, block by block: a program's code is much larger than the instruction
cache, so a chunk that has just been fetched from L2 should serve several blocks before the next one replaces it.
"""

from __future__ import annotations

from .calls import called_name
from .machine import ALIGNMENT
from .packing import PACK, UNPACK, counting_loop, packing_functions
from .places import block_layout
from .plan import ChunkCall, Plan
from .row_table import row_table
from .together import own_memory
from .vector_type import VectorType

SINGLE, KERNEL = "lw_single", "lw_kernel"


def block_bytes(plan: Plan, vector: VectorType) -> int:
    return -(-block_layout(plan, vector).size // ALIGNMENT) * ALIGNMENT


def tile_blocks(plan: Plan, vector: VectorType) -> int:
    """As many as stay in the second-level cache from chunk to chunk. Where not even one and the code fit, the code
    comes from beyond that cache for every tile, however small: then it serves two at least, which wait for it once."""
    machine, used = plan.machine, max(1, block_layout(plan, vector).scratch_start)
    steps = sum(len(plan.chunks[call.number]) for call in plan.called(vector.lanes) if isinstance(call, ChunkCall))
    least = 1 if steps * machine.step_bytes + used <= machine.second_cache else 2
    return max(least, min(machine.largest_tile, machine.tile_bytes // used))


def workspace_bytes(plan: Plan, vector: VectorType) -> int:
    """What a call of the batch kernel needs."""
    if vector.lanes == 1:
        return single_workspace_bytes(plan, vector)
    return tile_blocks(plan, vector) * block_bytes(plan, vector)


def single_workspace_bytes(plan: Plan, vector: VectorType) -> int:
    return row_table(plan, vector).end + own_memory(plan, vector)


def chunk_calls(plan: Plan, scalar: VectorType, inputs: str, outputs: str) -> list[str]:
    """The whole program for one sample whose rows are at <inputs>0, <inputs>1, ..., <outputs>0, ..."""
    calls = [f"call void @{called_name(1, call)}(ptr %workspace, ptr %workspace)" for call in plan.calls]
    return [*row_table(plan, scalar).stores("%workspace", inputs, outputs), *calls]


def block_calls(plan: Plan, lanes: int) -> list[tuple[str, list[str]]]:
    """(label, the call) of every step of the program on one packed block, %block_<label>."""
    steps = []
    for k, call in enumerate(plan.calls):
        block = f"ptr %block_c{k}"
        steps.append((f"c{k}", [f"call void @{called_name(lanes, call)}({block}, {block})"]))
    return steps


def single_driver(plan: Plan, scalar: VectorType) -> list[str]:
    """void single(ptr io, ptr workspace): one sample; io holds the rows of the inputs, then those of the outputs."""
    inputs, outputs = len(plan.program.inputs), len(plan.program.outputs)
    return [
        f"define void @{SINGLE}(ptr %io, ptr %workspace) nounwind {{",
        *load_table("%io", "row", "ptr", 0, inputs + outputs),
        *(f"%out{k} = getelementptr i8, ptr %row{inputs + k}, i64 0" for k in range(outputs)),
        *chunk_calls(plan, scalar, "%row", "%out"),
        "ret void",
        "}",
    ]


_KERNEL_HEAD = (
    f"define void @{KERNEL}(ptr %inputs, ptr %strides, ptr %outputs, i64 %begin, i64 %end, ptr %workspace) nounwind {{"
)


def scalar_kernel(plan: Plan, vector: VectorType) -> list[str]:
    """The batch kernel for one lane: the single-sample code, sample by sample."""
    inputs, outputs = plan.program.inputs, plan.program.outputs
    body = []
    for k in range(len(inputs)):
        body += [f"%offset{k} = mul i64 %sample, %stride{k}", *_row(vector, f"{k}", f"%base{k}", f"%offset{k}", k)]
    for k, output in enumerate(outputs):
        slot = len(inputs) + k
        body += [f"%offset{slot} = mul i64 %sample, {output.size}"]
        body += _row(vector, f"{slot}", f"%base{slot}", f"%offset{slot}", slot)
    body.append(f"call void @{SINGLE}(ptr %io, ptr %workspace)")
    return [
        _KERNEL_HEAD,
        "entry:",
        f"%io = alloca [{len(inputs) + len(outputs)} x ptr], align 8",
        *load_table("%inputs", "base", "ptr", 0, len(inputs)),
        *load_table("%strides", "stride", "i64", 0, len(inputs)),
        *load_table("%outputs", "base", "ptr", len(inputs), len(outputs)),
        "%count = sub i64 %end, %begin",
        "br label %samples",
        *counting_loop("samples", "k", "%count", ["%sample = add i64 %begin, %k", *body], "done", before="entry"),
        "done:",
        "ret void",
        "}",
    ]


def _row(vector: VectorType, tag: str, base: str, offset: str, slot: int) -> list[str]:
    return [
        f"%row{tag} = getelementptr {vector.in_arrays.scalar}, ptr {base}, i64 {offset}",
        f"%io{tag} = getelementptr ptr, ptr %io, i64 {slot}",
        f"store ptr %row{tag}, ptr %io{tag}, align 8",
    ]


def load_table(table: str, name: str, kind: str, first: int, count: int) -> list[str]:
    lines = []
    for k in range(count):
        tag = f"{name}{first + k}"
        lines.append(f"%{tag}_at = getelementptr {kind}, ptr {table}, i64 {k}")
        lines.append(f"%{tag} = load {kind}, ptr %{tag}_at, align 8")
    return lines


def batch_kernel(plan: Plan, vector: VectorType) -> list[str]:
    """The batch kernel for several lanes."""
    inputs, outputs = plan.program.inputs, plan.program.outputs
    layout, lanes, size = block_layout(plan, vector), vector.lanes, block_bytes(plan, vector)
    tile = tile_blocks(plan, vector)

    pack = []
    for k, array in enumerate(inputs):
        pack += [
            f"%pack_to{k} = getelementptr i8, ptr %block_pack, i64 {layout.input_start[k]}",
            f"call void @{PACK}(ptr %base{k}, i64 %stride{k}, i64 {array.size}, ptr %pack_to{k}, i64 %sample_pack, "
            "i64 %last)",
        ]
    unpack = ["%left = sub i64 %end, %sample_unpack"]
    for k, output in enumerate(outputs):
        unpack += [
            f"%unpack_from{k} = getelementptr i8, ptr %block_unpack, i64 {layout.output_start[k]}",
            f"call void @{UNPACK}(ptr %unpack_from{k}, ptr %base{len(inputs) + k}, i64 {output.size}, "
            f"i64 {output.size}, i64 %sample_unpack, i64 %left)",
        ]
    steps = [("pack", pack), *block_calls(plan, lanes), ("unpack", unpack)]

    lines = [
        *packing_functions(vector),
        _KERNEL_HEAD,
        "entry:",
        *load_table("%inputs", "base", "ptr", 0, len(inputs)),
        *load_table("%strides", "stride", "i64", 0, len(inputs)),
        *load_table("%outputs", "base", "ptr", len(inputs), len(outputs)),
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
        f"%full_tile = icmp sgt i64 %remaining_blocks, {tile}",
        f"%blocks = select i1 %full_tile, i64 {tile}, i64 %remaining_blocks",
        f"br label %{steps[0][0]}",
    ]
    previous = "tile_body"
    for position, (label, body) in enumerate(steps):
        after = steps[position + 1][0] if position + 1 < len(steps) else "tile_next"
        lines += counting_loop(
            label, f"b_{label}", "%blocks", block_start(label, lanes, size) + body, after, before=previous
        )
        previous = label
    return [*lines, *next_tile(lanes)]


def next_tile(lanes: int) -> list[str]:
    """The end of a function that goes from tile to tile, and of its text."""
    return [
        "tile_next:",
        f"%samples = mul i64 %blocks, {lanes}",
        "%first_next = add i64 %first, %samples",
        "br label %tile",
        "done:",
        "ret void",
        "}",
    ]


def block_start(label: str, lanes: int, size: int) -> list[str]:
    """Define %block_<label>, the memory of the loop's block, and %sample_<label>, its first sample."""
    return [
        f"%at_{label} = mul i64 %b_{label}, {size}",
        f"%block_{label} = getelementptr i8, ptr %workspace, i64 %at_{label}",
        f"%ahead_{label} = mul i64 %b_{label}, {lanes}",
        f"%sample_{label} = add i64 %first, %ahead_{label}",
    ]
