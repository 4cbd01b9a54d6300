"""Loops and guards that hardly any sample enters: lanes go round one by one, in the code for one sample.

That code is there anyhow, for single calls; so what is rare is compiled once, not once more for several lanes (half of
a solver's code stands behind such loops), and a lane that has to does not take its block along. Before a lane's turn
what the loop reads is copied from the lane's places in the block to the block's scratch memory, which is laid out like
the memory of a single call; afterwards what the loop carries is copied back. The code for that: visiting.py.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..trace import Op
from .registers import Action, RegisterStep
from .row_table import row_table
from .vector_type import VectorType

if TYPE_CHECKING:
    from .outline import CodeLoop, Outline
    from .plan import Plan

RARE = 0.05  # passes of a typical sample: then most blocks that enter do so for the sake of one lane
MOST_SLOTS = 1 << 16  # of a program: scratch memory grows with it


class Visit(NamedTuple):
    """What a lane brings along and takes back.

    read     slots that the loop reads and has not written itself
    inputs   (number of the input, element) that it reads
    results  slots of what it carries
    """

    read: tuple[int, ...]
    inputs: tuple[tuple[int, int], ...]
    results: tuple[int, ...]


def is_rare(loop: CodeLoop, slots: int) -> bool:
    """Counted loops read inputs and write outputs by index, so loops around them do not qualify."""
    counted = any(inner.running is None for inner in loop.with_inner)
    return loop.expected < RARE and not counted and slots <= MOST_SLOTS


def make_visit(
    loop: CodeLoop, chunks: Sequence[Sequence[RegisterStep]], outline: Outline, cell_slots: Mapping[int, int]
) -> Visit:  # fmt: skip
    own = {x for stretch in loop.stretches for instruction in stretch.instructions for x in instruction.results}
    results = tuple(sorted(cell_slots[cell] for cell in loop.carried if cell in cell_slots))
    read, inputs = set(results), set()
    for step in (step for chunk in chunks for step in chunk if step.action is Action.LOAD and step.subject not in own):
        if step.slot >= 0:
            read.add(step.slot)
        elif outline.leaves[step.subject][0] is Op.INPUT:
            inputs.add(outline.leaves[step.subject][1:])
    return Visit(tuple(sorted(read)), tuple(sorted(inputs)), results)


def scratch_bytes(plan: Plan, vector: VectorType) -> int:
    """Of a block: the slots of one sample, then its inputs."""
    if not plan.visited:
        return 0
    inputs = sum(x.size for x in plan.program.inputs)
    return row_table(plan, vector).end + inputs * vector.in_arrays.scalar_bytes
