"""Everything code generation assumes of a processor, in one table.

What is not here is the same on every machine, on purpose: which products fuse with which sums decides the last bits of
results (`lower.py`, with its latencies), and programs and operation counts know no machine at all. What has a default
here was measured on AVX2 (Zen 3; docs/compiling.md) and is taken over by the other rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# Memory begins at a multiple of this: a cache line; no vector is longer.
ALIGNMENT = 64
# One AVX-512 register; wider vectors would only be split again.
LARGEST_LANES = {"float64": 8, "float32": 16}


@dataclass(frozen=True)
class Machine:
    """register_bytes    of a vector register: decides how many samples are computed at once
    vector_registers  how many there are
    memory_operands   whether an instruction may read one operand from memory, for free
    address_windows   registers pointed into memory for the sake of short addresses (addressing.py); 0: addresses have
                      one length
    broadcasts        whether that operand may be one number for all lanes of a whole register
    scaled_addresses  whether short addresses of what whole registers read are counted in units of it
    masks             whether loads and stores may leave lanes out
    chunk_size        instructions to a function
    largest_tile      blocks that a function serves before the next one is fetched
    tile_bytes        what a tile may take, so that it stays in the second-level cache
    second_cache      bytes of that cache
    step_bytes        of code for an instruction, a load or a store
    issue_per_cycle   instructions on vectors that start in a cycle
    hidden_cycles     waiting that out-of-order execution hides by itself (schedule.py)
    serves            serves(triple, has): whether a target is such a machine; has(feature) asks for a feature of LLVM's
    """

    name: str
    register_bytes: int
    vector_registers: int
    memory_operands: bool = True
    address_windows: int = 12  # of 15 general registers; 8 to 13 are equally good
    broadcasts: bool = False
    scaled_addresses: bool = False
    masks: bool = False
    chunk_size: int = 1500  # Talos in batches: 0.63 us with 300, 0.61 with 1000, 0.60 with 1500, 0.63 with 2500
    largest_tile: int = 8  # Talos' forward dynamics (25 kB a block): 1 is 3 % slower, 4 is 1 % slower
    tile_bytes: int = 256 * 1024
    second_cache: int = 512 * 1024
    step_bytes: int = 5  # 5.4 on AVX-512: many loads are part of an instruction
    issue_per_cycle: float = 2.0
    hidden_cycles: float = 40.0
    serves: Callable[[str, Callable[[str], bool]], bool] = lambda triple, has: True

    def is_whole(self, size: int) -> bool:
        """Whether a vector of so many bytes fills a register."""
        return size == self.register_bytes

    def lanes(self, dtype: str) -> int:
        """Samples that fit one register."""
        return self.register_bytes // (8 if dtype == "float64" else 4)


def _is_x86(triple: str) -> bool:
    return triple.startswith(("x86_64", "amd64"))


AVX512 = Machine(
    "AVX-512", register_bytes=64, vector_registers=32, broadcasts=True, scaled_addresses=True, masks=True,
    second_cache=1024 * 1024,  # of all with such registers but a few of the first
    # without the latter, no 32 registers for shorter vectors and scalars
    serves=lambda triple, has: _is_x86(triple) and has("avx512f") and has("avx512vl"),
)  # fmt: skip
AVX2 = Machine(
    "AVX2", register_bytes=32, vector_registers=16, serves=lambda triple, has: _is_x86(triple) and has("avx2")
)
SSE2 = Machine("SSE2", register_bytes=16, vector_registers=16, serves=lambda triple, has: _is_x86(triple))
NEON = Machine("NEON", register_bytes=16, vector_registers=32, memory_operands=False, address_windows=0)
MACHINES = [AVX512, AVX2, SSE2, NEON]
"""The first that serves a target is taken; what is no x86 and has no row of its own is taken for NEON's like."""


def machine_for(triple: str, has: Callable[[str], bool]) -> Machine:
    """The row for a target; `has` tells whether it has a feature of LLVM's."""
    return next(machine for machine in MACHINES if machine.serves(triple, has))
