"""Machine code of operations that a module of the user's defines (trace/defined_ops.py, docs/adding/op.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable

from ..errors import CodegenError
from ..trace.ops import ARITY, DefinedOp, Op
from .elementary import in_double
from .emit import LOWERING
from .instruction_builder import Builder, Constants
from .lower import LATENCY, TEMPORARIES
from .machine import SSE2
from .vector_type import VectorType


def lower_op(op: DefinedOp, code: Callable[..., str], *, latency: int = 40, temporaries: int = 6) -> None:
    """Give an operation its machine code.

    code         code(builder, *operands) appends instructions on vectors of doubles (`instruction_builder.py`) and
                 returns the name of the result; in single precision it is computed in double and rounded
    latency      cycles from operands to result
    temporaries  registers it needs beside operands and result
    """
    LOWERING[op], LATENCY[op], TEMPORARIES[op] = in_double(code), latency, temporaries  # type: ignore[index]


def check_lowered(ops: Iterable[Op | DefinedOp]) -> None:
    for op in ops:
        if isinstance(op, DefinedOp) and op not in LOWERING:
            raise CodegenError(
                f"operation {op.name.lower()!r} has no machine code: give it some with linkwright.codegen.lower_op "
                f"(docs/adding/op.md); `reference` runs it as it is"
            )


def defined_content(op: DefinedOp) -> str:
    """Identifies an operation in cache keys: by name, and by the code it has here."""
    check_lowered([op])
    vector = VectorType(2, "float64")
    builder = Builder(vector, [], set(), Constants(vector, "constants", SSE2))
    result = LOWERING[op](builder, *(f"%operand{k}" for k in range(ARITY[op])))  # type: ignore[index]
    text = repr((builder.lines, builder.constants.definition(), sorted(builder.declarations), result))
    return f"{op.name}:{hashlib.sha256(text.encode()).hexdigest()}"
