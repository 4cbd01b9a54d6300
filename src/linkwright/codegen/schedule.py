"""The order of instructions.

The order of the trace is a good one: values are used soon after they are computed. But it follows one chain of
dependent instructions after the other, limb by limb, and a processor looks only some two hundred instructions ahead
for others to run meanwhile. So instructions are taken in the order of the trace as long as their operands will be
ready when the processor gets to them; where they will not, the first later ones that are ready go before.

Measured on Talos' forward dynamics (cycles per block of four samples): 7900 in the order of the trace with sines and
cosines moved ahead, 7500 with this; reordering more eagerly (slack 0) 8200 to 8500, because values live longer and
spill.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from ..trace import Op
from .lower import LATENCY, Fused, Instruction
from .machine import Machine

WINDOW = 4000  # no instruction moves ahead of more than this many
# A sincos takes some sixty cycles from angle to result. Right before the instructions that wait for it, it stalls
# the processor; this far ahead, among other sines and cosines, it does not.
SINCOS_LEAD = 2000
SINCOS_GROUP = 8  # they stay together, so that one sample's can share a vector (see emit.py)
_ISSUE_SLOTS = {Fused.SINCOS: 25, Op.DIV: 4, Op.SQRT: 6, Op.ATAN2: 40, Op.EXP: 25, Op.LOG: 30}


def schedule(instructions: list[Instruction], machine: Machine) -> list[Instruction]:
    count = len(instructions)
    producer = {result: index for index, x in enumerate(instructions) for result in x.results}
    users: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count  # operands not yet scheduled
    rank = list(range(count))
    leader, group = 0, 0
    for index, (op, _, operands) in enumerate(instructions):
        sources = {producer[x] for x in operands if x in producer}
        waiting[index] = len(sources)
        for source in sources:
            users[source].append(index)
        if op is Fused.SINCOS and not sources:
            if group % SINCOS_GROUP == 0:
                leader = index
            group += 1
            rank[index] = leader - SINCOS_LEAD

    available_at = [0.0] * count  # when the operands are ready
    ready = [(rank[index], index) for index in range(count) if not waiting[index]]
    heapify(ready)
    pending: list[tuple[float, int]] = []  # operands scheduled, but not ready in time
    scheduled = bytearray(count)
    order: list[Instruction] = []
    now, oldest = 0.0, 0
    while len(order) < count:
        while pending and pending[0][0] <= now + machine.hidden_cycles:
            index = heappop(pending)[1]
            heappush(ready, (rank[index], index))
        while scheduled[oldest]:
            oldest += 1
        if not ready or ready[0][0] > oldest + WINDOW:
            now = pending[0][0] - machine.hidden_cycles  # nothing to do but wait
            continue
        index = heappop(ready)[1]
        scheduled[index] = 1
        op = instructions[index].op
        order.append(instructions[index])
        now += _ISSUE_SLOTS.get(op, 1) / machine.issue_per_cycle
        finished = max(now, available_at[index]) + LATENCY[op]
        for user in users[index]:
            waiting[user] -= 1
            available_at[user] = max(available_at[user], finished)
            if not waiting[user]:
                heappush(pending, (available_at[user], user))
    return order
