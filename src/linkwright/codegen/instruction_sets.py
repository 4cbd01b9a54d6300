"""Which instructions saved code may contain, and whether the processor at hand has them, asked without LLVM."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from pathlib import Path

from ..errors import CodegenError, InputError, unknown_name
from .target import Target

# Sets that compilers use on their own: LLVM's name -> the one in /proc/cpuinfo. Others (encryption, random numbers,
# instructions of operating systems) are used only where a program asks for them, and ours never do.
LINUX_NAMES = {
    "cmov": "cmov", "cx16": "cx16", "sahf": "lahf_lm", "sse3": "pni", "ssse3": "ssse3", "sse4.1": "sse4_1",
    "sse4.2": "sse4_2", "sse4a": "sse4a", "popcnt": "popcnt", "movbe": "movbe", "lzcnt": "abm", "bmi": "bmi1",
    "bmi2": "bmi2", "tbm": "tbm", "adx": "adx", "f16c": "f16c", "avx": "avx", "avx2": "avx2", "fma": "fma",
    "fma4": "fma4", "xop": "xop", "gfni": "gfni", "avxvnni": "avx_vnni", "avxifma": "avx_ifma",
    "avxneconvert": "avx_ne_convert", "avxvnniint8": "avx_vnni_int8", "avx512f": "avx512f", "avx512dq": "avx512dq",
    "avx512cd": "avx512cd", "avx512bw": "avx512bw", "avx512vl": "avx512vl", "avx512ifma": "avx512ifma",
    "avx512vbmi": "avx512vbmi", "avx512vbmi2": "avx512_vbmi2", "avx512vnni": "avx512_vnni",
    "avx512bitalg": "avx512_bitalg", "avx512vpopcntdq": "avx512_vpopcntdq", "avx512bf16": "avx512_bf16",
    "avx512fp16": "avx512_fp16", "avx512vp2intersect": "avx512_vp2intersect",
}  # fmt: skip
# The levels of the x86-64 ABI, each with what it adds.
_V2 = ("cmov", "cx16", "sahf", "popcnt", "sse3", "ssse3", "sse4.1", "sse4.2")
_V3 = (*_V2, "avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe")
_V4 = (*_V3, "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
LEVELS = {"x86-64-v2": _V2, "x86-64-v3": _V3, "x86-64-v4": _V4}
PLATFORM = "x86_64 Linux"


def level_target(processor: str, triple: str) -> Target:
    """Any processor of a level, on the operating system at hand."""
    if not isinstance(processor, str) or processor not in LEVELS:
        raise unknown_name("processor", processor, LEVELS)
    if not triple.startswith("x86_64"):
        raise InputError(f"processor={processor!r} is for x86-64, and this computer is {triple}; leave it out")
    return Target(triple, processor, ",".join(f"+{name}" for name in LEVELS[processor]))


def sets_used(target: Target) -> list[str]:
    """Those that code for a target may contain, by LLVM's names."""
    return sorted(name for name in LINUX_NAMES if target.has(name))


def check_processor(name: str, needed: Iterable[str], compiled_for: str) -> None:
    """Raise unless the processor at hand has what the code of function `name` needs."""
    here = f"{platform.machine()} {platform.system()}"
    if here != PLATFORM:
        raise CodegenError(f"{name!r} was saved for {PLATFORM} ({compiled_for}), and this computer is {here}")
    flags = processor_flags()
    missing = [x for x in needed if LINUX_NAMES.get(x, x) not in flags]
    if missing:
        fitting = [level for level, names in LEVELS.items() if all(LINUX_NAMES[x] in flags for x in names)]
        advice = f"save it with processor={fitting[-1]!r}" if fitting else "compile it on this computer"
        raise CodegenError(
            f"{name!r} was saved for a processor ({compiled_for}) with {', '.join(missing)}, which the one at hand "
            f"lacks; {advice}"
        )


def processor_flags() -> frozenset[str]:
    """What the processor at hand has, by Linux' names."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError as error:
        raise CodegenError(f"/proc/cpuinfo, which says what this processor has, could not be read: {error}") from None
    return frozenset(next((line.split(":", 1)[1].split() for line in lines if line.startswith("flags")), ()))
