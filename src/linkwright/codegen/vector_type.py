"""How a vector of lanes is written in LLVM IR: types, constants, and what memory has a part of."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

_SCALAR = {"float64": ("double", "f64", 8), "float32": ("float", "f32", 4)}


@dataclass(frozen=True)
class VectorType:
    """`lanes` numbers of `dtype`; with one lane a plain scalar.

    The user's arrays may hold numbers of another type, `array_dtype`: what is computed in double precision may come
    from and go to arrays of floats.
    """

    lanes: int
    dtype: str
    array_dtype: str = ""

    @cached_property
    def in_arrays(self) -> VectorType:
        """As the user's arrays hold these numbers."""
        return VectorType(self.lanes, self.array_dtype or self.dtype)

    @cached_property
    def one(self) -> VectorType:
        """A single lane of this."""
        return VectorType(1, self.dtype, self.array_dtype)

    @property
    def converts(self) -> bool:
        """Whether arrays hold other numbers than are computed with."""
        return self.in_arrays.dtype != self.dtype

    def from_arrays(self, name: str) -> str:
        """The instruction that makes a number of `name`, which an array holds."""
        return f"fpext {self.in_arrays.text} {name} to {self.text}"

    def to_arrays(self, name: str) -> str:
        """The instruction that makes of `name` what an array holds."""
        return f"fptrunc {self.text} {name} to {self.in_arrays.text}"

    @cached_property
    def scalar(self) -> str:
        return _SCALAR[self.dtype][0]

    @cached_property
    def scalar_bytes(self) -> int:
        return _SCALAR[self.dtype][2]

    @cached_property
    def bits(self) -> int:
        return 8 * self.scalar_bytes

    @cached_property
    def bytes(self) -> int:
        return self.lanes * self.scalar_bytes

    @cached_property
    def text(self) -> str:
        return self._of(self.scalar)

    @cached_property
    def integer(self) -> str:
        """Integers as wide as the numbers."""
        return self._of(f"i{self.bits}")

    @cached_property
    def truth(self) -> str:
        return self._of("i1")

    @cached_property
    def suffix(self) -> str:
        """As in llvm.fma.v4f64."""
        return (f"v{self.lanes}" if self.lanes > 1 else "") + _SCALAR[self.dtype][1]

    def number(self, value: float) -> str:
        """The constant `value` in all lanes."""
        return self.splat(float_literal(value, self.dtype))

    def whole(self, value: int) -> str:
        """The integer constant `value` in all lanes."""
        return self._splat(f"i{self.bits}", str(value))

    def boolean(self, value: bool) -> str:
        return self._splat("i1", "true" if value else "false")

    def splat(self, literal: str) -> str:
        """A number already written as a literal, in all lanes."""
        return self._splat(self.scalar, literal)

    def _of(self, element: str) -> str:
        return f"<{self.lanes} x {element}>" if self.lanes > 1 else element

    def _splat(self, element: str, literal: str) -> str:
        return f"splat ({element} {literal})" if self.lanes > 1 else literal


def float_literal(value: float, dtype: str) -> str:
    """LLVM writes doubles *and* floats as the bits of a double."""
    if dtype == "float32":
        try:
            value = struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            value = math.copysign(math.inf, value)
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


Emit = Callable[[str], str]  # an instruction -> the name of its result


def load_first(
    emit: Emit, kind: VectorType, lanes: int, address: str, alignment: int, masks: set[str] | None = None
) -> str:
    """A vector of which memory has the first lanes only: what lies behind these is not read, and zero.

    Where instructions may leave lanes out, `masks` is given: a set for the declarations of what is called. Elsewhere
    the lanes go in pieces that are vectors by themselves.
    """
    text = kind.text
    if lanes == kind.lanes:
        return emit(f"load {text}, ptr {address}, align {alignment}")
    if masks is not None:
        name = f"@llvm.masked.load.{kind.suffix}.p0"
        masks.add(f"declare {text} {name}(ptr, i32, {kind.truth}, {text})")
        mask = _mask(kind, lanes)
        return emit(f"call {text} {name}(ptr {address}, i32 {alignment}, {mask}, {text} zeroinitializer)")
    there = VectorType(lanes, kind.dtype).text
    found = emit(f"load {there}, ptr {address}, align {alignment}")
    order = _order(min(lane, lanes) for lane in range(kind.lanes))
    return emit(f"shufflevector {there} {found}, {there} zeroinitializer, {order}")


def store_first(
    emit: Emit, kind: VectorType, lanes: int, value: str, address: str, alignment: int, masks: set[str] | None = None
) -> str:
    """The last instruction of writing the first lanes, and nothing behind them; `masks` as above."""
    text = kind.text
    if lanes == kind.lanes:
        return f"store {text} {value}, ptr {address}, align {alignment}"
    if masks is not None:
        name = f"@llvm.masked.store.{kind.suffix}.p0"
        masks.add(f"declare void {name}({text}, ptr, i32, {kind.truth})")
        return f"call void {name}({text} {value}, ptr {address}, i32 {alignment}, {_mask(kind, lanes)})"
    there = VectorType(lanes, kind.dtype).text
    first = emit(f"shufflevector {text} {value}, {text} poison, {_order(range(lanes))}")
    return f"store {there} {first}, ptr {address}, align {alignment}"


def _mask(kind: VectorType, lanes: int) -> str:
    return f"{kind.truth} <{', '.join('i1 true' if lane < lanes else 'i1 false' for lane in range(kind.lanes))}>"


def _order(lanes: Iterable[int]) -> str:
    numbers = [f"i32 {lane}" for lane in lanes]
    return f"<{len(numbers)} x i32> <{', '.join(numbers)}>"
