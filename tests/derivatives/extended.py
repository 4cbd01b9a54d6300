"""Central differences in extended precision: what derivatives are compared with.

Programs are run node by node on NumPy's long doubles, which leave about 12 digits to a central difference.
"""

from __future__ import annotations

import numpy as np

from linkwright.model import configuration
from linkwright.trace import Op, Program
from linkwright.trace.ops import OPERATIONS

STEP = np.longdouble(1e-6)
CONFIGURATIONS = ("q", "q0", "q1")


def run(program: Program, inputs: dict) -> dict[str, np.ndarray]:
    """Outputs of a program, without a batch; loops and guards too."""
    flat = [np.asarray(inputs[x.name], np.longdouble).ravel() for x in program.inputs]
    values: list = []
    with np.errstate(all="ignore"):
        for op, *operands in program.nodes:
            if op is Op.INPUT:
                values.append(flat[operands[0]][operands[1]])
            elif op is Op.CONST:
                values.append(np.longdouble(operands[0]))
            elif op in (Op.UNTIL, Op.REPEAT):
                loop = program.loops[operands[0]]
                around = loop_until if op is Op.UNTIL else loop_counted
                values.append(around(loop, np.array([values[x] for x in operands[1:]], np.longdouble)))
            elif op is Op.RESULT:
                values.append(values[operands[0]][operands[1]])
            else:
                values.append(OPERATIONS[op].meaning(*(values[x] for x in operands)))
    return {x.name: np.array([values[n] for n in x.nodes], np.longdouble).reshape(x.shape) for x in program.outputs}


def loop_until(loop, values):
    carried, outer = np.split(values, [loop.carried])
    for _ in range(loop.limit):
        if not carried[-1]:
            break
        carried = run(loop.body, {"carried": carried, "outer": outer})["next"]
    return carried


def loop_counted(loop, values):
    carried, outer, table = np.split(values, np.cumsum([x.size for x in loop.body.inputs[:2]]))
    rows = []
    for row in table.reshape(loop.limit, loop.row):
        found = run(loop.body, {"carried": carried, "outer": outer, "row": row})
        carried = found["next"]
        rows.append(found["results"])
    return np.concatenate([carried, *rows])


def moved(model, name: str, value, direction, step):
    direction = np.asarray(direction, np.longdouble) * step
    if model is not None and name in CONFIGURATIONS:
        value = np.array(list(np.asarray(value, np.longdouble)), dtype=object)
        return np.array(configuration.integrate(model, value, list(direction)), np.longdouble)
    return np.asarray(value, np.longdouble) + direction


def central_difference(program: Program, inputs: dict, directions: dict, of: str, model=None, size=STEP):
    """The derivative of output `of` along `directions`, {input: direction}."""
    ends = []
    for step in (size, -size):
        given = {**inputs, **{k: moved(model, k, inputs[k], d, step) for k, d in directions.items()}}
        ends.append(run(program, given)[of])
    if model is not None and of in CONFIGURATIONS:
        up, down = (np.array(list(x), dtype=object) for x in ends)
        change = np.array(configuration.difference(model, down, up), np.longdouble)
    else:
        change = ends[0] - ends[1]
    return np.asarray(change / (2 * size), float)
