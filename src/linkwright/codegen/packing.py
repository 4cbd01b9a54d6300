"""Moving samples between row-major arrays and vectors with one sample per lane.

`pack` takes L rows and writes column k of them as vector k; `unpack` does the reverse. Both work on L x L tiles that
are transposed in registers, with whole-vector loads and stores; gathering element by element is several times slower.
A row whose length is no multiple of L gets a last tile that overlaps the one before it, and writes the same values
again. Rows shorter than L, and the ragged last block of a batch, go element by element.
"""

from __future__ import annotations

from .vector_type import VectorType

PACK, UNPACK = "lw_pack", "lw_unpack"
PACK_ORDERED, UNPACK_ORDERED = "lw_pack_ordered", "lw_unpack_ordered"


def packing_functions(vector: VectorType, *, ordered: bool = False) -> list[str]:
    """With `ordered`, those with a table more, the last argument: which sample comes at which place."""
    return [*_pack(vector, ordered), *_unpack(vector, ordered)]


def _looked_up(ordered: bool, place: str, sample: str) -> list[str]:
    """Define `sample`, the one that comes at a place."""
    if not ordered:
        return [f"{sample} = add i64 {place}, 0"]
    return [
        f"{sample}_at = getelementptr i64, ptr %order, i64 {place}",
        f"{sample} = load i64, ptr {sample}_at, align 8",
    ]


def _pack(v: VectorType, ordered: bool) -> list[str]:
    """void pack(base, elements from sample to sample, row length, block, first sample, last valid sample)

    Samples beyond the last are replaced by the last one, so nothing outside the array is read.
    """
    name, table = (PACK_ORDERED, ", ptr %order") if ordered else (PACK, "")
    lines = [
        f"define internal void @{name}(ptr %base, i64 %stride, i64 %n, ptr %block, i64 %first, i64 %last{table}) "
        "nounwind noinline {",
        "entry:",
    ]
    for lane in range(v.lanes):
        lines += [
            f"%place{lane} = add i64 %first, {lane}",
            f"%valid{lane} = icmp slt i64 %place{lane}, %last",
            f"%clamped{lane} = select i1 %valid{lane}, i64 %place{lane}, i64 %last",
            *_looked_up(ordered, f"%clamped{lane}", f"%sample{lane}"),
            f"%offset{lane} = mul i64 %sample{lane}, %stride",
            f"%row{lane} = getelementptr {v.in_arrays.scalar}, ptr %base, i64 %offset{lane}",
        ]
    tile = _tile_loop(v, "%row", load_from_rows=True)
    element, rows = [], v.in_arrays
    vector_name = "poison"
    for lane in range(v.lanes):
        element += [
            f"%p{lane} = getelementptr {rows.scalar}, ptr %row{lane}, i64 %k",
            f"%e{lane} = load {rows.scalar}, ptr %p{lane}, align {rows.scalar_bytes}",
            f"%i{lane} = insertelement {rows.text} {vector_name}, {rows.scalar} %e{lane}, i32 {lane}",
        ]
        vector_name = f"%i{lane}"
    if v.converts:
        element.append(f"%wide = {v.from_arrays(vector_name)}")
        vector_name = "%wide"
    element += [
        f"%to = getelementptr {v.text}, ptr %block, i64 %k",
        f"store {v.text} {vector_name}, ptr %to, align {v.bytes}",
    ]
    return [
        *lines,
        f"%long = icmp sge i64 %n, {v.lanes}",
        "br i1 %long, label %tiles, label %elements",
        *tile,
        *counting_loop("elements", "k", "%n", element, "done", before="entry"),
        "done:",
        "ret void",
        "}",
    ]


def _unpack(v: VectorType, ordered: bool) -> list[str]:
    """void unpack(block, array, elements from sample to sample, row length, first sample, samples from there on)

    A table of the order is read up to a whole block, whatever is there.
    """
    name, table = (UNPACK_ORDERED, ", ptr %order") if ordered else (UNPACK, "")
    lines = [
        f"define internal void @{name}(ptr %block, ptr %base, i64 %stride, i64 %n, i64 %first, i64 %samples{table}) "
        "nounwind noinline {",
        "entry:",
    ]
    for lane in range(v.lanes):
        lines += [
            f"%place{lane} = add i64 %first, {lane}",
            *_looked_up(ordered, f"%place{lane}", f"%sample{lane}"),
            f"%offset{lane} = mul i64 %sample{lane}, %stride",
            f"%row{lane} = getelementptr {v.in_arrays.scalar}, ptr %base, i64 %offset{lane}",
        ]
    element = [
        f"%to = getelementptr {v.in_arrays.scalar}, ptr %row, i64 %k",
        f"%column = mul i64 %k, {v.lanes}",
        "%source = add i64 %column, %lane",
        f"%from = getelementptr {v.scalar}, ptr %block, i64 %source",
        f"%e = load {v.scalar}, ptr %from, align {v.scalar_bytes}",
        *([f"%narrow = {v.one.to_arrays('%e')}"] if v.converts else []),
        f"store {v.in_arrays.scalar} {'%narrow' if v.converts else '%e'}, ptr %to, align {v.in_arrays.scalar_bytes}",
    ]
    inner = counting_loop("columns", "k", "%n", element, "rows_next", before="rows_body")
    return [
        *lines,
        f"%long = icmp sge i64 %n, {v.lanes}",
        f"%full = icmp sge i64 %samples, {v.lanes}",
        f"%count = select i1 %full, i64 {v.lanes}, i64 %samples",
        "%fast = and i1 %long, %full",
        "br i1 %fast, label %tiles, label %rows",
        *_tile_loop(v, "%row", load_from_rows=False),
        "rows:",
        "%lane = phi i64 [ 0, %entry ], [ %lane_next, %rows_next ]",
        "%more_rows = icmp slt i64 %lane, %count",
        "br i1 %more_rows, label %rows_body, label %done",
        "rows_body:",
        "%place = add i64 %first, %lane",
        *_looked_up(ordered, "%place", "%sample"),
        "%offset = mul i64 %sample, %stride",
        f"%row = getelementptr {v.in_arrays.scalar}, ptr %base, i64 %offset",
        "br label %columns",
        *inner,
        "rows_next:",
        "%lane_next = add i64 %lane, 1",
        "br label %rows",
        "done:",
        "ret void",
        "}",
    ]


def _tile_loop(v: VectorType, row: str, *, load_from_rows: bool) -> list[str]:
    """for c in 0, L, 2L, ... < n: one tile at column min(c, n - L). Enters at `tiles`, leaves to `done`."""
    rows, columns = [], []
    for lane in range(v.lanes):
        rows.append((f"%rowat{lane}", [f"%rowat{lane} = getelementptr {v.in_arrays.scalar}, ptr {row}{lane}, i64 %c"]))
        columns.append((
            f"%columnat{lane}",
            [
                f"%column{lane} = add i64 %c, {lane}",
                f"%columnat{lane} = getelementptr {v.text}, ptr %block, i64 %column{lane}",
            ],
        ))  # fmt: skip
    body = []
    if load_from_rows:
        for lane, (pointer, address) in enumerate(rows):
            name = f"%loaded{lane}" if v.converts else f"%t0_{lane}"
            body += [*address, f"{name} = load {v.in_arrays.text}, ptr {pointer}, align {v.in_arrays.scalar_bytes}"]
            body += [f"%t0_{lane} = {v.from_arrays(name)}"] if v.converts else []
    else:
        for lane, (pointer, address) in enumerate(columns):
            body += [*address, f"%t0_{lane} = load {v.text}, ptr {pointer}, align {v.bytes}"]
    transposed, names = transpose(v)
    body += transposed
    if load_from_rows:
        for (pointer, address), name in zip(columns, names, strict=True):
            body += [*address, f"store {v.text} {name}, ptr {pointer}, align {v.bytes}"]
    else:
        for lane, ((pointer, address), name) in enumerate(zip(rows, names, strict=True)):
            body += [f"%stored{lane} = {v.to_arrays(name)}"] if v.converts else []
            name = f"%stored{lane}" if v.converts else name
            body += [*address, f"store {v.in_arrays.text} {name}, ptr {pointer}, align {v.in_arrays.scalar_bytes}"]
    return [
        "tiles:",
        f"%last_column = sub i64 %n, {v.lanes}",
        "br label %tile",
        "tile:",
        "%c0 = phi i64 [ 0, %tiles ], [ %c_next, %tile ]",
        "%inside = icmp slt i64 %c0, %last_column",
        "%c = select i1 %inside, i64 %c0, i64 %last_column",
        *body,
        f"%c_next = add i64 %c0, {v.lanes}",
        "%more_tiles = icmp slt i64 %c_next, %n",
        "br i1 %more_tiles, label %tile, label %done",
    ]


def transpose(v: VectorType) -> tuple[list[str], list[str]]:
    """Transpose the vectors %t0_0, %t0_1, ... : log2(L) rounds, each interleaving vector i with vector i + L/2."""
    lanes, half = v.lanes, v.lanes // 2
    low = [x for k in range(half) for x in (k, lanes + k)]
    high = [x for k in range(half, lanes) for x in (k, lanes + k)]
    lines, names = [], [f"%t0_{k}" for k in range(lanes)]
    for stage in range(1, lanes.bit_length()):
        new: list[str] = []
        for k in range(half):
            for part in (low, high):
                name = f"%t{stage}_{len(new)}"
                mask = ", ".join(f"i32 {x}" for x in part)
                lines.append(
                    f"{name} = shufflevector {v.text} {names[k]}, {v.text} {names[k + half]}, <{lanes} x i32> <{mask}>"
                )
                new.append(name)
        names = new
    return lines, names


def counting_loop(
    label: str, index: str, count: str, body: list[str], after: str, *, before: str, last: str | None = None
) -> list[str]:
    """for index in range(count): body. Entered at `label` from the block `before`, left to `after`; the body is one
    block, or ends in the block `last`."""
    return [
        f"{label}:",
        f"%{index} = phi i64 [ 0, %{before} ], [ %{index}_next, %{last or f'{label}_body'} ]",
        f"%{label}_more = icmp slt i64 %{index}, {count}",
        f"br i1 %{label}_more, label %{label}_body, label %{after}",
        f"{label}_body:",
        *body,
        f"%{index}_next = add i64 %{index}, 1",
        f"br label %{label}",
    ]
