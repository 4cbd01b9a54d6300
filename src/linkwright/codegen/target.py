"""The machine code is generated for: processor, features, and how many samples fit in one register."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import llvmlite
import llvmlite.binding as llvm

from ..errors import InputError, UnsupportedError

DTYPES = ("float64", "float32")
_LARGEST_LANES = {"float64": 8, "float32": 16}  # one AVX-512 register; wider vectors would only be split again


@dataclass(frozen=True)
class Target:
    triple: str
    cpu: str
    features: str  # LLVM's "+avx2,-avx512f,..." list

    def has(self, feature: str) -> bool:
        return f"+{feature}" in self.features.split(",")

    @property
    def has_fma(self) -> bool:
        return self.has("fma") or self.triple.startswith(("aarch64", "arm64"))

    @property
    def register_bytes(self) -> int:
        if self.has("avx512f"):
            return 64
        return 32 if self.has("avx2") else 16

    @property
    def is_x86(self) -> bool:
        return self.triple.startswith(("x86_64", "amd64"))

    @property
    def vector_registers(self) -> int:
        return 16 if self.is_x86 and not self.has("avx512vl") else 32

    def natural_lanes(self, dtype: str) -> int:
        return self.register_bytes // (8 if dtype == "float64" else 4)

    def identity(self) -> str:
        """Everything about machine and compiler that changes the generated code: part of every cache key."""
        version = ".".join(map(str, llvm.llvm_version_info))
        return f"{self.triple}|{self.cpu}|{self.features}|llvm {version}|llvmlite {llvmlite.__version__}"


@cache
def host_target() -> Target:
    features = llvm.get_host_cpu_features()
    return Target(llvm.get_process_triple(), llvm.get_host_cpu_name(), features.flatten())


def check_dtype(dtype: object) -> str:
    name = getattr(dtype, "__name__", None) or str(dtype)  # accepts np.float32 and np.dtype("float32") too
    if name not in DTYPES:
        raise UnsupportedError(f"dtype {dtype!r} cannot be compiled; use one of {', '.join(DTYPES)}")
    return name


def check_arithmetic(arithmetic: object, dtype: str) -> str:
    """The precision to compute in: that of the arrays, or double for arrays of floats."""
    name = dtype if arithmetic is None else check_dtype(arithmetic)
    if (dtype, name) == ("float64", "float32"):
        raise UnsupportedError("arithmetic is 'float32' for arrays of float64; leave it out, or give dtype='float32'")
    return name


def choose_lanes(lanes: int | str, dtype: str, target: Target) -> int:
    """The lane count meant by `lanes`, which is a number or "auto"."""
    if lanes == "auto":
        return target.natural_lanes(dtype)
    allowed = [2**k for k in range(5) if 2**k <= _LARGEST_LANES[dtype]]
    if lanes not in allowed or isinstance(lanes, bool):
        raise InputError(f'lanes={lanes!r} is not possible for {dtype}; use "auto" or one of {allowed}')
    return int(lanes)
