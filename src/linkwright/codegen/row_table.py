"""Where functions for one lane find a sample's rows: a table of pointers in the sample's workspace.

Loops and guards call many small functions. With a pointer per input and output as parameters most of those would go
through the stack in every call; so functions have two parameters, and load the pointers that they use.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .vector_type import VectorType

if TYPE_CHECKING:
    from .plan import Plan

_POINTER_BYTES = 8


@dataclass(frozen=True)
class RowTable:
    """After the slots."""

    start: int  # bytes from the workspace
    inputs: int
    outputs: int

    @property
    def end(self) -> int:
        return self.start + _POINTER_BYTES * (self.inputs + self.outputs)

    def _names(self, inputs: str, outputs: str) -> list[str]:
        return [f"{inputs}{k}" for k in range(self.inputs)] + [f"{outputs}{k}" for k in range(self.outputs)]

    def stores(self, workspace: str, inputs: str, outputs: str) -> list[str]:
        """Of rows at <inputs>0, ..., <outputs>0, ...; before anything is computed."""
        lines = []
        for k, row in enumerate(self._names(inputs, outputs)):
            lines += [
                f"%table_at{k} = getelementptr i8, ptr {workspace}, i64 {self.start + _POINTER_BYTES * k}",
                f"store ptr {row}, ptr %table_at{k}, align {_POINTER_BYTES}",
            ]
        return lines

    def loads(self, lines: Iterable[str]) -> list[str]:
        used = {name for line in lines for name in re.findall(r"%(?:in|out)\d+\b", line)}
        text = []
        for k, name in enumerate(self._names("%in", "%out")):
            if name in used:
                text += [
                    f"{name}_at = getelementptr i8, ptr %read, i64 {self.start + _POINTER_BYTES * k}",
                    f"{name} = load ptr, ptr {name}_at, align {_POINTER_BYTES}",
                ]
        return text


def row_table(plan: Plan, vector: VectorType) -> RowTable:
    start = -(-plan.slots * vector.scalar_bytes // _POINTER_BYTES) * _POINTER_BYTES
    return RowTable(start, len(plan.program.inputs), len(plan.program.outputs))
