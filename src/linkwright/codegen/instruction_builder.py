"""A builder of straight-line LLVM IR on vectors.

Every floating-point operation carries `contract` (a multiplication and an addition may fuse) and no other fast-math
flag, so that NaN and infinity behave and results repeat. All identifiers are generated from numbers; no text from a
user's file reaches the IR.
"""

from __future__ import annotations

from .addressing import Reference
from .vector_type import VectorType, float_literal


class Constants:
    """The numbers one function needs, in all lanes each, as a table in memory.

    Literals would do, but LLVM loads each into a register of its own, early, and keeps it there; instructions can
    read their operand from a table for free.
    """

    def __init__(self, vector: VectorType, name: str):
        self.type = vector
        self.name = f"@{name}"
        self._index: dict[str, int] = {}

    def offset(self, value: float) -> int:
        literal = float_literal(value, self.type.dtype)
        return self._index.setdefault(literal, len(self._index)) * self.type.bytes

    def definition(self) -> list[str]:
        """Not declared constant: LLVM would merge the loads of one number into one again."""
        if not self._index:
            return []
        table = ", ".join(f"{self.type.text} {self.type.splat(x)}" for x in self._index)
        kind = f"[{len(self._index)} x {self.type.text}]"
        return [f"{self.name} = internal global {kind} [{table}], align 64"]


class Builder:
    """Appends instructions on `type` to `lines`; each method returns the name of its result."""

    def __init__(
        self, vector: VectorType, lines: list[str | Reference], declarations: set[str], constants: Constants,
        prefix: str = "x",
    ):  # fmt: skip
        self.type = vector
        self.lines = lines
        self.declarations = declarations
        self.constants = constants
        self._prefix = prefix
        self._count = 0

    def constant(self, value: float) -> str:
        """The number in all lanes, read from the function's table if that is of this type."""
        if self.constants.type != self.type:
            return self.type.number(value)
        return self.load((self.constants.name, self.constants.offset(value)), self.type.bytes)

    def widened(self) -> Builder:
        """A builder of double-precision code that appends to the same lines."""
        return self._other(VectorType(self.type.lanes, "float64"), self.constants)

    def sibling(self, vector: VectorType, table: str) -> Builder:
        """A builder for another vector type, with a table of constants of its own, that appends to the same lines."""
        return self._other(vector, Constants(vector, table))

    def _other(self, vector: VectorType, constants: Constants) -> Builder:
        return Builder(vector, self.lines, self.declarations, constants, f"{self._new()[1:]}_")

    def _new(self) -> str:
        self._count += 1
        return f"%{self._prefix}{self._count}"

    def emit(self, instruction: str) -> str:
        name = self._new()
        self.lines.append(f"{name} = {instruction}")
        return name

    # numbers

    def binary(self, op: str, x: str, y: str) -> str:
        return self.emit(f"{op} contract {self.type.text} {x}, {y}")

    def add(self, x: str, y: str) -> str:
        return self.binary("fadd", x, y)

    def sub(self, x: str, y: str) -> str:
        return self.binary("fsub", x, y)

    def mul(self, x: str, y: str) -> str:
        return self.binary("fmul", x, y)

    def div(self, x: str, y: str) -> str:
        return self.binary("fdiv", x, y)

    def neg(self, x: str) -> str:
        return self.emit(f"fneg contract {self.type.text} {x}")

    def call(self, intrinsic: str, *operands: str) -> str:
        """An intrinsic from numbers to a number."""
        text, name = self.type.text, f"@llvm.{intrinsic}.{self.type.suffix}"
        self.declarations.add(f"declare {text} {name}({', '.join([text] * len(operands))})")
        return self.emit(f"call contract {text} {name}({', '.join(f'{text} {x}' for x in operands)})")

    def fma(self, x: str, y: str, z: str) -> str:
        """x*y + z, fused where the processor can (never a library call)."""
        return self.call("fmuladd", x, y, z)

    def polynomial(self, x: str, coefficients: tuple[float, ...]) -> str:
        """Horner's rule, highest coefficient first."""
        value = self.constant(coefficients[0])
        for coefficient in coefficients[1:]:
            value = self.fma(value, x, self.constant(coefficient))
        return value

    def extended(self, narrow: Builder, x: str) -> str:
        """A number of a less precise builder as one of this."""
        return self.emit(f"fpext {narrow.type.text} {x} to {self.type.text}")

    def narrowed(self, wide: Builder, x: str) -> str:
        """A number of a more precise builder, rounded to one of this."""
        return self.emit(f"fptrunc {wide.type.text} {x} to {self.type.text}")

    # truth values

    def compare(self, predicate: str, x: str, y: str) -> str:
        return self.emit(f"fcmp {predicate} {self.type.text} {x}, {y}")

    def select(self, condition: str, if_true: str, if_false: str) -> str:
        text = self.type.text
        return self.emit(f"select {self.type.truth} {condition}, {text} {if_true}, {text} {if_false}")

    def logic(self, op: str, x: str, y: str) -> str:
        return self.emit(f"{op} {self.type.truth} {x}, {y}")

    # the bits of numbers

    def as_bits(self, x: str) -> str:
        return self.emit(f"bitcast {self.type.text} {x} to {self.type.integer}")

    def as_number(self, bits: str) -> str:
        return self.emit(f"bitcast {self.type.integer} {bits} to {self.type.text}")

    def whole(self, op: str, x: str, y: str) -> str:
        return self.emit(f"{op} {self.type.integer} {x}, {y}")

    def compare_whole(self, predicate: str, x: str, y: str) -> str:
        return self.emit(f"icmp {predicate} {self.type.integer} {x}, {y}")

    def low_bits(self, wide: Builder, bits: str) -> str:
        """Of those of a number of a more precise builder."""
        return self.emit(f"trunc {wide.type.integer} {bits} to {self.type.integer}")

    # memory

    def load(self, place: tuple[str, int], alignment: int, kind: VectorType | None = None) -> str:
        return self.emit(f"load {(kind or self.type).text}, ptr {self._address(place)}, align {alignment}")

    def store(self, value: str, place: tuple[str, int], alignment: int, kind: VectorType | None = None) -> None:
        text = (kind or self.type).text
        self.lines.append(f"store {text} {value}, ptr {self._address(place)}, align {alignment}")

    def _address(self, place: tuple[str, int]) -> str:
        name = self._new()
        self.lines.append(Reference(name, *place))
        return name
