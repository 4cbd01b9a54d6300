"""A builder of straight-line LLVM IR on vectors.

Every floating-point operation carries `contract` (a multiplication and an addition may fuse) and no other fast-math
flag, so that NaN and infinity behave and results repeat. All identifiers are generated from numbers; no text from a
user's file reaches the IR.
"""

from __future__ import annotations

from .addressing import Reference
from .machine import Machine
from .vector_type import VectorType, float_literal, load_first, store_first


class Constants:
    """The numbers one function needs as a table in memory: in all lanes each, or once where the processor spreads
    them over the lanes of a register when it reads them.

    Literals would do, but LLVM loads each into a register of its own, early, and keeps it there; instructions can
    read their operand from a table for free.
    """

    def __init__(self, vector: VectorType, name: str, machine: Machine):
        self.type = vector
        self.machine = machine
        self.name = f"@{name}"
        self.spread = machine.broadcasts and machine.is_whole(vector.bytes)
        self.entry = vector.one if self.spread else vector
        self._index: dict[str, int] = {}

    def offset(self, value: float) -> int:
        literal = float_literal(value, self.type.dtype)
        return self._index.setdefault(literal, len(self._index)) * self.entry.bytes

    def definition(self) -> list[str]:
        """Not declared constant: LLVM would merge the loads of one number into one again."""
        if not self._index:
            return []
        table = ", ".join(f"{self.entry.text} {self.entry.splat(x)}" for x in self._index)
        kind = f"[{len(self._index)} x {self.entry.text}]"
        return [f"{self.name} = private global {kind} [{table}], align 64"]


class Builder:
    """Appends instructions on `type` to `lines`; each method returns the name of its result.

    Names are numbers, 1, 2, ... after the function's only block, 0, in the order of the lines: LLVM keeps no table of
    those. Other builders that append to the same lines have a `prefix`.
    """

    def __init__(
        self, vector: VectorType, lines: list[str | Reference], declarations: set[str], constants: Constants,
        prefix: str = "",
    ):  # fmt: skip
        self.type = vector
        self.lines = lines
        self.declarations = declarations
        self.constants = constants
        self._prefix = prefix
        self._count = self._others = 0
        self._masks = declarations if constants.machine.masks else None
        self._scaled = constants.machine.scaled_addresses and constants.machine.is_whole(vector.bytes)

    def constant(self, value: float) -> str:
        """The number in all lanes, read from the function's table if that is of this type."""
        table, kind = self.constants, self.type
        if table.type != kind:
            return kind.number(value)
        entry = self.load((table.name, table.offset(value)), table.entry.bytes, table.entry)
        if not table.spread:
            return entry
        return self.spread(entry)

    def spread(self, number: str) -> str:
        """One number in all lanes."""
        kind = self.type
        lane = self.emit(f"insertelement {kind.text} poison, {kind.scalar} {number}, i32 0")
        return self.emit(f"shufflevector {kind.text} {lane}, {kind.text} poison, <{kind.lanes} x i32> zeroinitializer")

    def widened(self) -> Builder:
        """A builder of double-precision code that appends to the same lines."""
        return self._other(VectorType(self.type.lanes, "float64"), self.constants)

    def sibling(self, vector: VectorType, table: str) -> Builder:
        """A builder for another vector type, with a table of constants of its own, that appends to the same lines."""
        return self._other(vector, Constants(vector, table, self.constants.machine))

    def _other(self, vector: VectorType, constants: Constants) -> Builder:
        self._others += 1
        prefix = f"{self._prefix or 'x'}{self._others}_"
        return Builder(vector, self.lines, self.declarations, constants, prefix)

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

    def opaque(self, x: str) -> str:
        """The same number, of which LLVM does not see that it was loaded, if it is a scalar.

        A selection of two loaded scalars it would turn into a load from a selected address, with all addresses computed
        early and spilled: five times as long to compile, and slower.
        """
        return self.emit(f"freeze {self.type.text} {x}") if self.type.lanes == 1 else x

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

    def load(
        self, place: tuple[str, int], alignment: int, kind: VectorType | None = None, lanes: int | None = None
    ) -> str:
        """Or the first lanes, and zeros."""
        kind = kind or self.type
        address = self._address(place, kind)
        return load_first(self.emit, kind, lanes or kind.lanes, address, alignment, self._masks)

    def store(
        self, value: str, place: tuple[str, int], alignment: int, kind: VectorType | None = None,
        lanes: int | None = None,
    ) -> None:  # fmt: skip
        """Or the first lanes."""
        kind = kind or self.type
        address = self._address(place, kind)
        self.lines.append(store_first(self.emit, kind, lanes or kind.lanes, value, address, alignment, self._masks))

    def _address(self, place: tuple[str, int], kind: VectorType) -> str:
        """Of something as long as `kind`, which an instruction on `type` reads or writes."""
        name = self._new()
        self.lines.append(Reference(name, *place, kind.bytes if self._scaled else 1))
        return name
