"""The reference interpreter: the living definition of what each operation means.

Slow and obvious on purpose. Compiled code is tested against it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .ops import Op
from .program import Program, Repeat, Until

_MEANING: dict[Op, Callable[..., Any]] = {
    Op.ADD: np.add,
    Op.SUB: np.subtract,
    Op.MUL: np.multiply,
    Op.DIV: np.divide,
    Op.NEG: np.negative,
    Op.SQRT: np.sqrt,
    Op.ABS: np.abs,
    Op.MIN: np.minimum,
    Op.MAX: np.maximum,
    Op.SIN: np.sin,
    Op.COS: np.cos,
    Op.ATAN2: np.arctan2,
    Op.EXP: np.exp,
    Op.LOG: np.log,
    Op.LT: np.less,
    Op.LE: np.less_equal,
    Op.AND: np.logical_and,
    Op.OR: np.logical_or,
    Op.NOT: np.logical_not,
    Op.SELECT: np.where,
}


def interpret(program: Program, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Evaluate `program`. Each input has its declared shape, or (B, *shape) for a batch; so have the outputs."""
    with np.errstate(all="ignore"):
        return _interpret(program, inputs)


def _interpret(program: Program, inputs: Mapping[str, np.ndarray], batch: tuple[int, ...] = ()) -> dict:
    flat = []
    for declared in program.inputs:
        array = np.asarray(inputs[declared.name], dtype=float)
        if array.shape != declared.shape:
            batch = array.shape[:1]
        flat.append(array.reshape(*array.shape[: array.ndim - len(declared.shape)], declared.size))
    values: list = [None] * len(program.nodes)
    for index, (op, *operands) in enumerate(program.nodes):
        if op is Op.INPUT:
            values[index] = flat[operands[0]][..., operands[1]]
        elif op is Op.CONST:
            values[index] = np.float64(operands[0])
        elif op is Op.UNTIL:
            values[index] = _until(program.loops[operands[0]], [values[x] for x in operands[1:]], batch)
        elif op is Op.REPEAT:
            values[index] = _repeat(program.loops[operands[0]], [values[x] for x in operands[1:]], batch)
        elif op is Op.RESULT:
            values[index] = values[operands[0]][..., operands[1]]
        else:
            values[index] = _MEANING[op](*(values[x] for x in operands))
    results = {}
    for output in program.outputs:
        columns = [np.broadcast_to(values[x], batch) for x in output.nodes]
        stacked = np.stack(columns, axis=-1) if columns else np.zeros((*batch, 0))
        results[output.name] = stacked.reshape((*batch, *output.shape))
    return results


def _stacked(values: list, batch: tuple[int, ...]) -> np.ndarray:
    return np.stack([np.broadcast_to(x, batch) for x in values], axis=-1) if values else np.zeros((*batch, 0))


def _repeat(loop: Repeat, values: list, batch: tuple[int, ...]) -> np.ndarray:
    """What a counted loop carries in the end, and the rows of its results."""
    every, reads = _stacked(values, batch), loop.body.inputs[1].size
    carried, outer, table = np.split(every, [loop.carried, loop.carried + reads], axis=-1)
    table = table.reshape((*batch, loop.limit, loop.row))
    rows = []
    for k in range(loop.limit):
        found = _interpret(loop.body, {"carried": carried, "outer": outer, "row": table[..., k, :]}, batch)
        carried = found["next"]
        rows.append(found["results"])
    return np.concatenate([carried, *rows], axis=-1)


def _until(loop: Until, values: list, batch: tuple[int, ...]) -> np.ndarray:
    """What a loop carries in the end. A body leaves samples alone that are done, so it runs while any is not."""
    every = _stacked(values, batch)
    carried, outer = every[..., : loop.carried], every[..., loop.carried :]
    for _ in range(loop.limit):
        if not carried[..., -1].any():
            break
        carried = _interpret(loop.body, {"carried": carried, "outer": outer}, batch)["next"]
    return carried
