"""What a compiled function takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np

from ..errors import CodegenError
from ..trace import Program

OUT = "out"  # the keyword that takes arrays to write into


@dataclass(frozen=True)
class ArraySpec:
    """Name and shape, for one sample, of an input or output; labels name the entries along its first axis."""

    name: str
    shape: tuple[int, ...]
    labels: tuple[str, ...] = ()

    @cached_property
    def size(self) -> int:
        return prod(self.shape)


@dataclass(frozen=True)
class Signature:
    name: str
    inputs: tuple[ArraySpec, ...]
    outputs: tuple[ArraySpec, ...]
    dtype: str

    @cached_property
    def numpy_dtype(self) -> np.dtype:
        return np.dtype(self.dtype)

    @cached_property
    def input_names(self) -> dict[str, int]:
        """Their numbers."""
        return {spec.name: k for k, spec in enumerate(self.inputs)}

    @cached_property
    def output_names(self) -> dict[str, int]:
        """Their numbers."""
        return {spec.name: k for k, spec in enumerate(self.outputs)}

    @classmethod
    def of(cls, program: Program, dtype: str) -> Signature:
        inputs = tuple(ArraySpec(x.name, tuple(x.shape)) for x in program.inputs)
        outputs = tuple(ArraySpec(x.name, tuple(x.shape), x.labels) for x in program.outputs)
        if not outputs:
            raise CodegenError(f"program {program.name!r} has no outputs, so there is nothing to compile")
        for kind, arrays in (("input", inputs), ("output", outputs)):
            names = [x.name for x in arrays]
            for name in names:
                if names.count(name) > 1:
                    raise CodegenError(f"program {program.name!r} has two {kind}s named {name!r}")
        if any(x.name == OUT for x in inputs):
            raise CodegenError(f"program {program.name!r} has an input named {OUT!r}, which a call takes as keyword")
        return cls(program.name, inputs, outputs, dtype)

    def __str__(self) -> str:
        def listed(arrays):
            return ", ".join(f"{x.name}{list(x.shape)}" for x in arrays)

        return f"{self.name}({listed(self.inputs)}) -> {listed(self.outputs)}"
