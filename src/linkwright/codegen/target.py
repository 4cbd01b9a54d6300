"""What code is generated for: a processor as LLVM describes it, and the machine it is taken for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ..errors import InputError, UnsupportedError
from .machine import LARGEST_LANES, Machine, machine_for

DTYPES = ("float64", "float32")


@dataclass(frozen=True)
class Target:
    triple: str
    cpu: str
    features: str  # LLVM's "+avx2,-avx512f,..." list

    def has(self, feature: str) -> bool:
        return f"+{feature}" in self.features.split(",")

    @property
    def machine(self) -> Machine:
        return machine_for(self.triple, self.has)

    def identity(self) -> str:
        """Everything about machine and compiler that changes the generated code: part of every cache key."""
        import llvmlite
        import llvmlite.binding as llvm

        version = ".".join(map(str, llvm.llvm_version_info))
        return f"{self.triple}|{self.cpu}|{self.features}|llvm {version}|llvmlite {llvmlite.__version__}"


@cache
def host_target() -> Target:
    import llvmlite.binding as llvm

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
        return target.machine.lanes(dtype)
    allowed = [2**k for k in range(5) if 2**k <= LARGEST_LANES[dtype]]
    if lanes not in allowed or isinstance(lanes, bool):
        raise InputError(f'lanes={lanes!r} is not possible for {dtype}; use "auto" or one of {allowed}')
    return int(lanes)
