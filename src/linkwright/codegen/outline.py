"""A program with loops -> stretches of straight-line code, and the loops around them.

Values get numbers that hold for the whole program: the nodes of the program keep their own, nodes of loop bodies
follow. What a loop carries lives in *cells*: values in memory that the stretch before the loop writes first, each pass
writes anew, and whoever comes after the loop reads as its results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ..trace import Op, Program, Repeat, Until
from ..trace.graph import CARRIED, OUTER, ROW
from ..trace.ops import LEAVES, TRUTH_VALUED, WITH_BODY, operands_of
from .lower import Instruction, lower
from .machine import Machine
from .schedule import schedule
from .tables import Memory, Move, Place, TableWriter


@dataclass
class Stretch:
    """Instructions in the order of execution, and what is written to cells, at the end where these are still read
    before: (value, cell)."""

    instructions: list[Instruction]
    writes: list[tuple[int, int]] = field(default_factory=list)
    around: tuple[int, ...] = ()  # the loops it is in, outermost first


@dataclass
class CodeLoop:
    """Parts to run over and over, `limit` times at the most, as long as the cell `running` is not zero.

    Without such a cell it is a counted loop. `rows` is what it copies before each pass, `found` the fixed values that
    hold the results of a pass, and `results` for each of these the fixed values that are its results, one a pass.
    `carried` are its cells, `expected` the passes of a typical sample.
    """

    number: int
    parts: list[Stretch | CodeLoop]
    limit: int
    running: int | None
    carried: list[int]
    expected: float
    rows: list[Move] = field(default_factory=list)
    found: list[int] = field(default_factory=list)
    results: list[list[int]] = field(default_factory=list)

    @property
    def stretches(self) -> Iterator[Stretch]:
        return _stretches(self.parts)

    @property
    def with_inner(self) -> list[CodeLoop]:
        return [self, *(inner for part in self.parts if isinstance(part, CodeLoop) for inner in part.with_inner)]


@dataclass
class Outline:
    """leaves    value -> its node, an input or a constant
    truths    values that are truth values
    cells     values that loops carry
    tables    what counted loops read and write by index
    """

    program: Program
    parts: list[Stretch | CodeLoop]
    leaves: dict[int, tuple]
    truths: set[int]
    cells: set[int]
    tables: TableWriter
    results: list[int]  # nodes of the program -> values

    @property
    def stretches(self) -> list[Stretch]:
        return list(_stretches(self.parts))

    @property
    def loops(self) -> list[CodeLoop]:
        return [inner for part in self.parts if isinstance(part, CodeLoop) for inner in part.with_inner]


def _stretches(parts) -> Iterator[Stretch]:
    for part in parts:
        if isinstance(part, Stretch):
            yield part
        else:
            yield from part.stretches


def make_outline(program: Program, machine: Machine) -> Outline:
    writer = _Writer(machine)
    values, parts = writer.parts(program, {}, ())
    return Outline(program, parts, writer.leaves, writer.truths, writer.cells, writer.tables, values)


class _Writer:
    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self.leaves: dict[int, tuple] = {}
        self.truths: set[int] = set()
        self.cells: set[int] = set()
        self.tables = TableWriter(self._new, self._leaf_place)
        self._values = self._loops = 0

    def _new(self) -> int:
        self._values += 1
        return self._values - 1

    def _result_table(self, loop: Until | Repeat) -> list[int]:
        """Values for the results of a counted loop, pass by pass; in memory an element of all passes lies together."""
        if not isinstance(loop, Repeat):
            return []
        reserved = self.tables.reserve(loop.limit * loop.row_results)
        return [reserved[k * loop.limit + p] for p in range(loop.limit) for k in range(loop.row_results)]

    def _leaf_place(self, value: int) -> Place | None:
        op, *rest = self.leaves.get(value, (Op.CONST,))
        return (Memory.INPUT, rest[0], rest[1]) if op is Op.INPUT else None

    def _number(self, value: int) -> float | None:
        op, *rest = self.leaves.get(value, (Op.INPUT,))
        return rest[0] if op is Op.CONST else None

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
        instructions = lower(program)
        uses = Counter(x for node in program.nodes for x in operands_of(node))
        uses.update(x for output in program.outputs for x in output.nodes)
        late = _late_reads(program, instructions) if given else {}
        for index, node in enumerate(program.nodes):
            if node[0] in WITH_BODY:
                loop = program.loops[node[1]]
                # What is only there to start from it was carried by an earlier loop: this one goes on in its cell. One
                # of a single pass may also read it from there: what it carries is written when all has been read.
                starts = Counter(node[2 : 2 + loop.carried])
                reads = Counter(node[2:]) if isinstance(loop, Until) and loop.limit == 1 else starts
                # So does a guard that starts from what the loop around it carries, if nobody reads that afterwards.
                guard = isinstance(loop, Until) and loop.limit == 1
                cells[index] = [
                    values[x] if values[x] in self.cells and starts[x] == 1 and (
                        uses[x] == reads[x] if program.nodes[x][0] is Op.RESULT else guard and late.get(x) == index
                    )
                    else self._new()
                    for x in node[2 : 2 + loop.carried]
                ]  # fmt: skip
                self.cells.update(cells[index])
                cells[index] += self._result_table(loop)
            elif node[0] is Op.RESULT:
                values[index] = cells[node[1]][node[2]]
        parts: list[Stretch | CodeLoop] = []
        pending: list[Instruction] = []
        left: set[int] = set()  # cells of the loops since the last stretch
        home: dict[int, Stretch] = {}  # value -> where it is computed, so far

        def finish(writes: list[tuple[int, int]], *, joins: bool = False) -> None:
            """End a stretch with these writes; if it `joins`, and needs nothing that loops since the last one left, it
            becomes part of that: guards one after the other then have no code between them."""
            named = [
                Instruction(op, tuple([x if x < 0 else values[x] for x in found]), tuple([values[x] for x in operands]))
                for op, found, operands in pending
            ]
            pending.clear()
            last = next((part for part in reversed(parts) if isinstance(part, Stretch)), None)
            needed = {x for instruction in named for x in instruction.operands}.union(*writes)
            if joins and last is not None and not needed & left:
                last.instructions = schedule([*last.instructions, *named], self._machine)
                last.writes = [*last.writes, *writes]
            else:
                last = Stretch(schedule(named, self._machine), writes, around)
                parts.append(last)
                left.clear()
            home.update(dict.fromkeys((x for instruction in named for x in instruction.results), last))

        for instruction in instructions:
            if instruction.op not in WITH_BODY:
                pending.append(instruction)
                continue
            index = instruction.results[0]
            node = program.nodes[index]
            loop = program.loops[node[1]]
            carried, results = cells[index][: loop.carried], cells[index][loop.carried :]
            given_to, operands = [values[x] for x in node[2:]], loop.carried + loop.body.inputs[OUTER].size
            writes = [(x, cell) for x, cell in zip(given_to, carried, strict=False) if x != cell]
            number, self._loops = self._loops, self._loops + 1
            running = carried[-1] if isinstance(loop, Until) else None
            part = CodeLoop(number, [], loop.limit, running, carried, loop.expected)
            body_inputs = {CARRIED: carried, OUTER: given_to[loop.carried : operands]}
            if isinstance(loop, Repeat):
                body_inputs[ROW] = self.tables.reserve(loop.row)
                for k, cell in enumerate(body_inputs[ROW]):
                    line, gathered = self.tables.source(given_to[operands + k :: loop.row], self._number)
                    part.rows.append(Move(line, self.tables.line(cell)))
                    for value, cell in gathered:  # where it is computed: just before the loop, loads wait for stores
                        (home[value].writes if value in home else writes).append((value, cell))
                part.results = [results[k :: loop.row_results] for k in range(loop.row_results)]
            finish(writes, joins=isinstance(loop, Until) and loop.limit == 1)
            left |= {*carried, *results}
            inside, part.parts = self.parts(loop.body, body_inputs, (*around, number))
            following = [inside[x] for x in loop.body.outputs[0].nodes]
            last: Stretch = part.parts[-1]  # type: ignore[assignment]  # the last part of a program is a stretch
            last.writes = [(value, cell) for value, cell in zip(following, carried, strict=True) if value != cell]
            if isinstance(loop, Repeat):
                for value in (inside[x] for x in loop.body.outputs[1].nodes):
                    if value not in self.tables.fixed:
                        (cell,) = self.tables.reserve(1)
                        last.writes.append((value, cell))
                        value = cell
                    part.found.append(value)
            parts.append(part)
        finish([])
        return values, parts


def _late_reads(program: Program, instructions: list[Instruction]) -> dict[int, int]:
    """What the loop around a body carries -> the last guard or loop in it that reads it, if nothing does afterwards."""
    carried = {x for x, node in enumerate(program.nodes) if node[0] is Op.INPUT and node[1] == CARRIED}
    last: dict[int, int] = {}
    for instruction in instructions:
        if instruction.op in WITH_BODY:
            index = instruction.results[0]
            last |= dict.fromkeys(carried.intersection(program.nodes[index][2:]), index)
        else:
            last |= dict.fromkeys(carried.intersection(instruction.operands), -1)
    for output in program.outputs:
        last |= dict.fromkeys(carried.intersection(output.nodes), -1)
    return last
