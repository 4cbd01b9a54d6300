"""Programs without loops as plain data, to be stored in files, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import TraceError
from .ops import ARITY, Op
from .program import Input, Output, Program


def program_to_data(program: Program) -> dict[str, Any]:
    """steps    ["input", number, element], ["const", value] or [operation, indices of earlier steps ...]
    outputs  by name, the steps that hold them
    """
    if program.loops:
        raise TraceError(f"program {program.name!r} has loops or guards, and only straight lines are written as data")
    return {
        "steps": [[op.name.lower(), *operands] for op, *operands in program.nodes],
        "outputs": {output.name: list(output.nodes) for output in program.outputs},
    }


def program_from_data(data: Mapping[str, Any], inputs: Sequence[Input], name: str) -> Program:
    """Inverse of `program_to_data`; raises `TraceError` on what is no program."""
    known = {"input": Op.INPUT, "const": Op.CONST, **{op.name.lower(): op for op in ARITY}}
    nodes = []
    for op, *operands in data["steps"]:
        if op not in known:
            raise TraceError(f"{name} has operation {op!r}; known are {', '.join(known)}")
        if op == "const":
            operands = [float(operands[0])]
        elif not all(type(x) is int for x in operands):
            raise TraceError(f"{name} has {op} of {operands}; expected whole numbers")
        nodes.append((known[op], *operands))
    outputs = tuple(Output(key, (len(at),), tuple(at)) for key, at in data["outputs"].items())
    return Program(name, tuple(nodes), tuple(inputs), outputs).check()
