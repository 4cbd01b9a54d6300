"""Short addresses.

A sample computed alone runs once through code that is larger than the instruction cache, so its speed is that of
fetching the code (12 bytes a cycle here): bytes count. x86 encodes an address in one byte instead of four if it lies
within 128 bytes of a register. So a few registers (`Machine.address_windows`) are pointed into the middle of the
256-byte stretches a function uses most. Talos' forward dynamics, windows on slots alone: 114 kB and 3.4 us before,
98 kB and 2.75 us after; in a batch, where code is fetched once for several blocks, it gains 2 to 3 %.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

REACH = 128  # bytes either way


class Reference(NamedTuple):
    """The instruction that computes an address; its text depends on the windows chosen for the function."""

    name: str
    base: str
    offset: int  # bytes


def resolve(lines: list[str | Reference], *, windows: int) -> list[str]:
    """The lines of a function body with every reference written out, relative to a window if that is in reach."""
    names: dict[tuple[str, int], str] = {}
    text: list[str] = []
    if windows:
        counts = Counter((x.base, x.offset) for x in lines if isinstance(x, Reference))
        for number, (base, start) in enumerate(_choose_windows(counts, windows)):
            names[base, start] = f"%window{number}"
            text.append(f"%window_at{number} = getelementptr i8, ptr {base}, i64 {start + REACH}")
            # An empty piece of assembly, so that LLVM does not see through to the original base.
            text.append(f'%window{number} = call ptr asm "", "=r,0"(ptr %window_at{number})')
    for line in lines:
        if isinstance(line, str):
            text.append(line)
        else:
            start = line.offset // (2 * REACH) * (2 * REACH)
            window = names.get((line.base, start))
            base, offset = (line.base, line.offset) if window is None else (window, line.offset - start - REACH)
            text.append(f"{line.name} = getelementptr i8, ptr {base}, i64 {offset}")
    return text


def _choose_windows(counts: Counter, number: int) -> list[tuple[str, int]]:
    """The stretches with most references beyond what the base reaches anyhow."""
    totals: Counter = Counter()
    for (base, offset), count in counts.items():
        if offset >= REACH or base.startswith("@"):
            totals[base, offset // (2 * REACH) * (2 * REACH)] += count
    return [window for window, count in totals.most_common(number) if count > 2]
