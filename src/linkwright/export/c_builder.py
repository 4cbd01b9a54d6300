"""A builder of straight-line C: what `codegen/instruction_builder.py` is for LLVM's code.

Sines, logarithms and the rest are written once, in `codegen/elementary.py`, and come out in C as they do in machine
code, every rounding the same.
"""

from __future__ import annotations

import math
import struct

from ..codegen.instruction_builder import Builder
from ..errors import UnsupportedError

_NAMES = {"float64": ("double", 64, ""), "float32": ("float", 32, "f")}
_INTRINSICS = {"fmuladd": "fma", "sqrt": "sqrt", "fabs": "fabs"}
_ARITHMETIC = {"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/"}
_COMPARED = {"olt": "{x} < {y}", "ole": "{x} <= {y}", "ogt": "{x} > {y}", "oeq": "{x} == {y}", "une": "{x} != {y}"}
_WHOLE = {"add": "+", "sub": "-", "and": "&", "or": "|", "xor": "^", "shl": "<<", "lshr": ">>"}
_LOGIC = {"and": "&", "or": "|", "xor": "^"}


class CType:
    """How numbers of a type, their bits and truth values are written in C; answers what builders ask a `VectorType`."""

    def __init__(self, dtype: str):
        self.dtype = dtype
        self.text, self.bits, self.suffix = _NAMES[dtype]

    @property
    def unsigned(self) -> str:
        return f"uint{self.bits}_t"

    def number(self, value: float) -> str:
        """Exact, in hexadecimal."""
        if self.dtype == "float32":
            value = _as_float(value)
        if math.isnan(value):
            return f"({self.text})NAN"
        if math.isinf(value):
            return f"({self.text}){'-' if value < 0 else ''}INFINITY"
        text = float(value).hex() + self.suffix
        return f"({text})" if text.startswith("-") else text

    def whole(self, value: int) -> str:
        return f"UINT{self.bits}_C({value % 2**self.bits})"

    def boolean(self, value: bool) -> str:
        return str(int(value))


def _as_float(value: float) -> float:
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


class CBuilder(Builder):
    """Appends statements to `lines`; each method returns the name of the variable that holds its result."""

    type: CType  # type: ignore[assignment]  # it answers the same questions
    lines: list[str]  # type: ignore[assignment]

    def __init__(self, kind: CType, lines: list[str], prefix: str = "x"):
        self.type, self.lines, self._prefix, self._count = kind, lines, prefix, 0

    def define(self, kind: str, expression: str) -> str:
        self._count += 1
        name = f"{self._prefix}{self._count}"
        self.lines.append(f"const {kind} {name} = {expression};")
        return name

    def emit(self, instruction: str) -> str:
        raise UnsupportedError(
            f"an operation is written in an instruction of LLVM's, which has no C: {instruction!r}; write it by the "
            "builder's methods (docs/adding/op.md)"
        )

    def constant(self, value: float) -> str:
        return self.type.number(value)

    def widened(self) -> CBuilder:
        self._count += 1
        return CBuilder(CType("float64"), self.lines, f"{self._prefix}{self._count}_")

    def binary(self, op: str, x: str, y: str) -> str:
        return self.define(self.type.text, f"{x} {_ARITHMETIC[op]} {y}")

    def neg(self, x: str) -> str:
        return self.define(self.type.text, f"-{x}")

    def call(self, intrinsic: str, *operands: str) -> str:
        return self.define(self.type.text, f"{_INTRINSICS[intrinsic]}{self.type.suffix}({', '.join(operands)})")

    def extended(self, narrow: Builder, x: str) -> str:
        return self.define(self.type.text, x)

    def narrowed(self, wide: Builder, x: str) -> str:
        return self.define(self.type.text, f"({self.type.text}){x}")

    def compare(self, predicate: str, x: str, y: str) -> str:
        if predicate == "uno":
            return self.define("int", f"({x} != {x}) | ({y} != {y})")
        return self.define("int", _COMPARED[predicate].format(x=x, y=y))

    def select(self, condition: str, if_true: str, if_false: str) -> str:
        return self.define(self.type.text, f"{condition} ? {if_true} : {if_false}")

    def opaque(self, x: str) -> str:
        return x

    def logic(self, op: str, x: str, y: str) -> str:
        return self.define("int", f"{x} {_LOGIC[op]} {y}")

    def as_bits(self, x: str) -> str:
        return self.define(self.type.unsigned, f"lw_bits{self.type.bits}({x})")

    def as_number(self, bits: str) -> str:
        return self.define(self.type.text, f"lw_number{self.type.bits}({bits})")

    def whole(self, op: str, x: str, y: str) -> str:
        return self.define(self.type.unsigned, f"{x} {_WHOLE[op]} {y}")

    def compare_whole(self, predicate: str, x: str, y: str) -> str:
        assert predicate == "slt" and y == self.type.whole(0)  # all that is needed
        return self.define("int", f"(int)({x} >> {self.type.bits - 1})")

    def low_bits(self, wide: Builder, bits: str) -> str:
        return self.define(self.type.unsigned, f"({self.type.unsigned}){bits}")


# What statements may call, by name.
CALLED = {
    "lw_bits64": "uint64_t lw_bits64(double x) { uint64_t bits; memcpy(&bits, &x, sizeof bits); return bits; }",
    "lw_number64": "double lw_number64(uint64_t bits) { double x; memcpy(&x, &bits, sizeof x); return x; }",
    "lw_bits32": "uint32_t lw_bits32(float x) { uint32_t bits; memcpy(&bits, &x, sizeof bits); return bits; }",
    "lw_number32": "float lw_number32(uint32_t bits) { float x; memcpy(&x, &bits, sizeof x); return x; }",
}
