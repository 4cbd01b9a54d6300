"""A function as plain data: operations one after the other, to be stored in a model and run on any scalars."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ... import scalar
from ...errors import ModelError
from ...scalar import Scalar

_MEANING = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "sqrt": scalar.sqrt, "abs": abs, "min": scalar.minimum, "max": scalar.maximum, "sin": scalar.sin,
    "cos": scalar.cos, "atan2": scalar.atan2, "exp": scalar.exp, "log": scalar.log, "lt": operator.lt,
    "le": operator.le, "and": operator.and_, "or": operator.or_, "not": lambda x: ~x, "select": scalar.where,
}  # fmt: skip


@dataclass(frozen=True)
class StraightLine:
    """steps    ("input", number, element), ("const", value) or (operation, indices of earlier steps)
    outputs  by name, the steps that hold them
    """

    steps: tuple[tuple, ...]
    outputs: Mapping[str, tuple[int, ...]]

    def __post_init__(self):
        for index, (op, *operands) in enumerate(self.steps):
            if op in ("input", "const"):
                continue
            if op not in _MEANING:
                raise ModelError(f"a function of a constraint has operation {op!r}; known are {', '.join(_MEANING)}")
            if not all(isinstance(x, int) and 0 <= x < index for x in operands):
                raise ModelError(f"step {index} of a constraint's function, {op}, uses steps that come after it")
        for name, nodes in self.outputs.items():
            if not all(isinstance(x, int) and 0 <= x < len(self.steps) for x in nodes):
                raise ModelError(f"output {name!r} of a constraint's function refers to steps that do not exist")

    def __call__(self, *inputs: Sequence[Scalar]) -> dict[str, list[Scalar]]:
        values: list[Any] = []
        for op, *operands in self.steps:
            if op == "input":
                values.append(inputs[operands[0]][operands[1]])
            elif op == "const":
                values.append(float(operands[0]))
            else:
                values.append(_MEANING[op](*(values[x] for x in operands)))
        return {name: [values[x] for x in nodes] for name, nodes in self.outputs.items()}

    def to_dictionary(self) -> dict[str, Any]:
        return {"steps": [list(step) for step in self.steps], "outputs": {k: list(v) for k, v in self.outputs.items()}}

    @classmethod
    def from_dictionary(cls, data: Mapping[str, Any]) -> StraightLine:
        return cls(
            tuple(tuple(step) for step in data["steps"]), {k: tuple(v) for k, v in data["outputs"].items()}
        )
