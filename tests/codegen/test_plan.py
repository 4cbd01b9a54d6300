"""The passes between a program and its code: fusing, ordering, and placing loads and stores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from programs import random_program

from linkwright import scalar
from linkwright.codegen.addressing import REACH, Reference, resolve
from linkwright.codegen.lower import Fused, lower
from linkwright.codegen.machine import AVX2, NEON
from linkwright.codegen.plan import make_plan
from linkwright.codegen.registers import Action
from linkwright.codegen.schedule import schedule
from linkwright.trace import Op, trace
from linkwright.trace.ops import LEAVES

SEEDS = range(5)


def ops_of(function, **inputs):
    return [x.op for x in lower(trace(function, inputs))]


def test_products_fuse_with_sums():
    assert ops_of(lambda x: x[0] * x[1] + x[2], x=3) == [Fused.MUL_ADD]
    assert ops_of(lambda x: x[0] * x[1] - x[2], x=3) == [Fused.MUL_SUB]
    assert ops_of(lambda x: x[2] - x[0] * x[1], x=3) == [Fused.NEG_MUL_ADD]
    assert ops_of(lambda x: x[0] * x[1] + x[2] * x[3] + x[4] * x[5], x=6) == [Op.MUL, Fused.MUL_ADD, Fused.MUL_ADD]


def test_products_with_other_uses_do_not():
    assert ops_of(lambda x: [x[0] * x[1], x[0] * x[1] + x[2]], x=3) == [Op.MUL, Op.ADD]
    assert ops_of(lambda x: [x[0] * x[1] + x[2], x[0] * x[1] + x[3]], x=4) == [Op.MUL, Op.ADD, Op.ADD]


def test_the_later_product_fuses():
    (first, root, last) = lower(trace(lambda x: x[0] * x[1] + scalar.sqrt(x[2]) * x[3], {"x": 4}))
    assert {first.op, root.op} == {Op.MUL, Op.SQRT} and last.op is Fused.MUL_ADD
    assert root.results[0] in last.operands[:2] or first.results[0] == last.operands[2]


def test_sine_and_cosine_come_together():
    program = trace(lambda x: [scalar.cos(x[0]), x[0] + 1.0, scalar.sin(x[0]), scalar.sin(x[1])], {"x": 2})
    instructions = lower(program)
    pair, _, alone = instructions
    cos, _, sin, lone = program.outputs[0].nodes
    assert pair.op is Fused.SINCOS and pair.results == (sin, cos)
    assert alone.op is Fused.SINCOS and alone.results == (lone, -1)


@pytest.mark.parametrize("seed", SEEDS)
def test_schedule_keeps_dependencies(seed):
    instructions = lower(random_program(seed, operations=800))
    order = schedule(instructions, AVX2)
    assert sorted(order) == sorted(instructions)
    computed = {result for x in instructions for result in x.results}
    available: set[int] = set()
    for instruction in order:
        assert all(x in available for x in instruction.operands if x in computed)
        available.update(instruction.results)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("registers", [10, 15, 31])
@pytest.mark.parametrize("chunk_size", [5, 50, 10_000])
@pytest.mark.parametrize("machine", [AVX2, NEON], ids=lambda machine: machine.name)
def test_every_operand_is_there(seed, registers, chunk_size, machine):
    """Walk through the plan with symbolic memory: right values in slots, and never too many values in registers."""
    program = random_program(seed, operations=400)
    plan = make_plan(program, replace(machine, vector_registers=registers + 1), chunk_size)
    slots: dict[int, int] = {}
    computed: set[int] = set()
    for chunk in plan.chunks:
        defined: dict[int, int] = {}  # node -> position of its latest definition in this chunk
        last_use: dict[int, int] = {}  # definition -> position
        for position, step in enumerate(chunk):
            if step.action is Action.LOAD:
                if step.slot < 0:
                    assert program.nodes[step.subject][0] in LEAVES
                else:
                    assert slots[step.slot] == step.subject
                defined[step.subject] = position
            elif step.action is Action.STORE:
                slots[step.slot] = step.subject
                last_use[defined[step.subject]] = position
            else:
                instruction = plan.instructions[step.subject]
                for operand in instruction.operands:
                    last_use[defined[operand]] = position
                for result in instruction.results:
                    defined[result] = position
                computed.update(instruction.results)
        changes = np.zeros(len(chunk) + 2, int)
        for start, end in last_use.items():
            changes[start + 1] += 1
            changes[end + 1] -= 1
        # one operand may stay in memory
        assert np.cumsum(changes).max(initial=0) <= registers + machine.memory_operands
    wanted = {x for output in program.outputs for x in output.nodes if program.nodes[x][0] not in LEAVES}
    assert wanted <= computed
    assert max(slots, default=-1) < plan.slots


@pytest.mark.parametrize("unit", [1, 64])
def test_short_addresses(unit):
    near = [Reference(f"%p{k}", "%base", unit * (1000 + 8 * k), unit) for k in range(8)]
    lines = ["first", *near, Reference("%far", "%base", unit * 5000, unit)]
    plain = resolve(lines, windows=0)
    assert plain[1] == f"%p0 = getelementptr i8, ptr %base, i64 {unit * 1000}"
    windows, offsets = {}, {}
    for line in resolve(lines, windows=12):
        name, _, text = line.partition(" = getelementptr i8, ptr ")
        base, _, offset = text.partition(", i64 ")
        if name.startswith("%window_at"):
            windows[name.replace("_at", "")] = int(offset)
        elif text:
            assert base == "%base" or -REACH * unit <= int(offset) < REACH * unit
            offsets[name] = windows.get(base, 0) + int(offset)
    assert windows
    assert offsets == {x.name: x.offset for x in lines[1:]}
