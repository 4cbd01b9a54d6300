"""A program cut in two: what is known early, and what waits for inputs that come late.

Early values that late operations use are handed over in an array, the state. No algorithm need say what its state is:
the trace knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..trace import Input, Op, Output, Program
from ..trace.ops import TRUTH_VALUED, operands_of
from ..trace.passes import drop_dead


@dataclass(frozen=True)
class Stages:
    """`early` takes the early inputs and gives one state per output of the whole, named like it; `late[name]` takes
    that state, as input "state", and the late inputs it was said to need.
    """

    early: Program
    late: Mapping[str, Program]


def cut(program: Program, late_inputs: Mapping[str, Sequence[str]]) -> Stages:
    """The stages of a simplified program; `late_inputs` names, for each output, the inputs of its late stage."""
    names = {name for needed in late_inputs.values() for name in needed}
    waits = _waiting(program, names)
    states, late = [], {}
    for output in program.outputs:
        state = _handed_over(program, waits, output)
        states.append(Output(output.name, (len(state),), tuple(state)))
        late[output.name] = _late_program(program, output, state, late_inputs[output.name])
    early = [x for x in program.inputs if x.name not in names]
    whole = replace(program, name=f"{program.name}_factor", outputs=tuple(states))
    return Stages(_with_inputs(whole, early), late)


def _waiting(program: Program, late: set[str]) -> list[bool]:
    """Which nodes depend on late inputs. Truth values cannot be handed over, so those that late ones use wait too."""
    waits: list[bool] = []
    for node in program.nodes:
        if node[0] is Op.INPUT:
            waits.append(program.inputs[node[1]].name in late)
        else:
            waits.append(any(waits[x] for x in operands_of(node)))
    for index in reversed(range(len(waits))):
        if waits[index]:
            for x in operands_of(program.nodes[index]):
                waits[x] = waits[x] or program.nodes[x][0] in TRUTH_VALUED
    return waits


def _handed_over(program: Program, waits: list[bool], output: Output) -> list[int]:
    """Nodes that are known early and read late, on the way to an output or as such."""
    found, seen, stack = set(), set(), list(output.nodes)
    while stack:
        index = stack.pop()
        if index in seen:
            continue
        seen.add(index)
        if waits[index]:
            stack += operands_of(program.nodes[index])
        elif program.nodes[index][0] is not Op.CONST:
            found.add(index)
    return sorted(found)


def _late_program(program: Program, output: Output, state: list[int], names: Sequence[str]) -> Program:
    place = {index: k for k, index in enumerate(state)}
    number = len(program.inputs)
    nodes = tuple(
        (Op.INPUT, number, place[index]) if index in place else node for index, node in enumerate(program.nodes)
    )
    inputs = (*program.inputs, Input("state", (len(state),)))
    whole = replace(program, name=f"{program.name}_{output.name}", nodes=nodes, inputs=inputs, outputs=(output,))
    return _with_inputs(whole, [inputs[-1], *(x for x in program.inputs if x.name in names)])


def _with_inputs(program: Program, inputs: Sequence[Input]) -> Program:
    """What the outputs need, with these inputs in this order."""
    program = drop_dead(program)
    position = {program.inputs.index(x): k for k, x in enumerate(inputs)}
    nodes = tuple((node[0], position[node[1]], node[2]) if node[0] is Op.INPUT else node for node in program.nodes)
    return replace(program, nodes=nodes, inputs=tuple(inputs)).check()
