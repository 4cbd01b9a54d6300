"""A program with loops -> stretches of straight-line code, and the loops around them.

Values get numbers that hold for the whole program: the nodes of the program keep their own, nodes of loop bodies
follow. What a loop carries lives in *cells*: values in memory that the stretch before the loop writes first, each pass
writes anew, and whoever comes after the loop reads as its results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..trace import Op, Program
from ..trace.graph import CARRIED, OUTER
from ..trace.ops import LEAVES, TRUTH_VALUED, operands_of
from .lower import Instruction, lower
from .schedule import schedule


@dataclass
class Stretch:
    """Instructions in the order of execution, and what is written to cells at their end: (value, cell)."""

    instructions: list[Instruction]
    writes: list[tuple[int, int]] = field(default_factory=list)
    around: tuple[int, ...] = ()  # the loops it is in, outermost first


@dataclass
class Loop:
    """Parts to run over and over, `limit` times at the most, as long as the cell `running` is not zero."""

    number: int
    parts: list[Stretch | Loop]
    limit: int
    running: int

    @property
    def stretches(self) -> Iterator[Stretch]:
        return _stretches(self.parts)


@dataclass
class Outline:
    """leaves    value -> its node, an input or a constant
    truths    values that are truth values
    cells     values that loops carry
    """

    program: Program
    parts: list[Stretch | Loop]
    leaves: dict[int, tuple]
    truths: set[int]
    cells: set[int]
    results: list[int]  # nodes of the program -> values

    @property
    def stretches(self) -> list[Stretch]:
        return list(_stretches(self.parts))


def _stretches(parts) -> Iterator[Stretch]:
    for part in parts:
        if isinstance(part, Stretch):
            yield part
        else:
            yield from part.stretches


def make_outline(program: Program) -> Outline:
    writer = _Writer()
    values, parts = writer.parts(program, {}, ())
    return Outline(program, parts, writer.leaves, writer.truths, writer.cells, values)


class _Writer:
    def __init__(self) -> None:
        self.leaves: dict[int, tuple] = {}
        self.truths: set[int] = set()
        self.cells: set[int] = set()
        self._values = self._loops = 0

    def _new(self) -> int:
        self._values += 1
        return self._values - 1

    def parts(self, program: Program, given: dict[int, list[int]], around: tuple[int, ...]):
        """(value of every node, the parts of the program); `given` holds the values of a body's inputs."""
        values: list[int] = []
        own = [self._new() for _ in program.nodes]
        for index, node in enumerate(program.nodes):
            value, op = own[index], node[0]
            if op is Op.INPUT and given:
                value = given[node[1]][node[2]]
            elif op in LEAVES:
                self.leaves[value] = node
            elif op in TRUTH_VALUED:
                self.truths.add(value)
            values.append(value)
        cells: dict[int, list[int]] = {}
        uses = Counter(x for node in program.nodes for x in operands_of(node))
        uses.update(x for output in program.outputs for x in output.nodes)
        for index, node in enumerate(program.nodes):
            if node[0] is Op.UNTIL:
                # what is only there to start from it is a result of an earlier loop: this one goes on in its cell
                cells[index] = [
                    values[x] if program.nodes[x][0] is Op.RESULT and uses[x] == 1 else self._new()
                    for x in node[2 : 2 + program.loops[node[1]].carried]
                ]
                self.cells.update(cells[index])
            elif node[0] is Op.RESULT:
                values[index] = cells[node[1]][node[2]]
        parts: list[Stretch | Loop] = []
        pending: list[Instruction] = []

        def finish() -> Stretch:
            named = [
                x._replace(
                    results=tuple(r if r < 0 else values[r] for r in x.results),
                    operands=tuple(values[o] for o in x.operands),
                )
                for x in pending
            ]
            pending.clear()
            parts.append(Stretch(schedule(named), [], around))
            return parts[-1]

        for instruction in lower(program):
            if instruction.op is not Op.UNTIL:
                pending.append(instruction)
                continue
            index = instruction.results[0]
            node = program.nodes[index]
            loop = program.loops[node[1]]
            starts = [values[x] for x in node[2 : 2 + loop.carried]]
            finish().writes = [(x, cell) for x, cell in zip(starts, cells[index], strict=True) if x != cell]
            number, self._loops = self._loops, self._loops + 1
            outer = [values[x] for x in node[2 + loop.carried :]]
            inside, body = self.parts(loop.body, {CARRIED: cells[index], OUTER: outer}, (*around, number))
            following = [inside[x] for x in loop.body.outputs[0].nodes]
            body[-1].writes = [  # type: ignore[union-attr]  # the last part of a program is a stretch
                (value, cell) for value, cell in zip(following, cells[index], strict=True) if value != cell
            ]
            parts.append(Loop(number, body, loop.limit, cells[index][-1]))
        finish()
        return values, parts
