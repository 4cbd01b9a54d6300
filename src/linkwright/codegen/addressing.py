"""Short addresses.

A sample computed alone runs once through code that is larger than the instruction cache, so its speed is that of
fetching the code (12 bytes a cycle here): bytes count. x86 encodes an address in one byte instead of four if it lies
within 128 bytes of a register. So a few registers (`Machine.address_windows`) are pointed into the middle of the
256-byte stretches a function uses most. Talos' forward dynamics, windows on slots alone: 114 kB and 3.4 us before,
98 kB and 2.75 us after; in a batch, where code is fetched once for several blocks, it gains 2 to 3 %.

On AVX-512 an instruction on a whole register counts that byte in units of what it reads: a vector, or one number for
all lanes (`Machine.scaled_addresses`). A window then reaches as many of those either way.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

REACH = 128  # bytes, or units of them, either way


class Reference(NamedTuple):
    """The instruction that computes an address; its text depends on the windows chosen for the function."""

    name: str
    base: str
    offset: int  # bytes
    unit: int = 1  # bytes that short addresses count in

    @property
    def window(self) -> tuple[str, int, int]:
        """The stretch it lies in: base, start, and how far a register in the middle reaches."""
        reach = REACH * self.unit
        return self.base, self.offset // (2 * reach) * (2 * reach), reach


def resolve(lines: list[str | Reference], *, windows: int) -> list[str]:
    """The lines of a function body with every reference written out, relative to a window if that is in reach."""
    names: dict[tuple[str, int, int], str] = {}
    text: list[str] = []
    if windows:
        for number, (base, start, reach) in enumerate(_choose_windows(lines, windows)):
            names[base, start, reach] = f"%window{number}"
            text.append(f"%window_at{number} = getelementptr i8, ptr {base}, i64 {start + reach}")
            # An empty piece of assembly, so that LLVM does not see through to the original base.
            text.append(f'%window{number} = call ptr asm "", "=r,0"(ptr %window_at{number})')
    for line in lines:
        if isinstance(line, str):
            text.append(line)
        else:
            window = line.window
            base, offset = line.base, line.offset
            if window in names:
                base, offset = names[window], offset - window[1] - window[2]
            text.append(f"{line.name} = getelementptr i8, ptr {base}, i64 {offset}")
    return text


def _choose_windows(lines: list[str | Reference], number: int) -> list[tuple[str, int, int]]:
    """The stretches with most references beyond what the base reaches anyhow."""
    totals = Counter(
        x.window for x in lines
        if isinstance(x, Reference) and (x.offset >= REACH * x.unit or x.base.startswith("@"))
    )  # fmt: skip
    return [window for window, count in totals.most_common(number) if count > 2]
