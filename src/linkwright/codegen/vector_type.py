"""How a vector of lanes is written in LLVM IR: types and constants."""

from __future__ import annotations

import math
import struct
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
