"""A plan of a program -> C: the same chunks, loops and guards that machine code is made of, for one sample.

Chunks are functions of some hundred statements, which C compilers digest in linear time; what one leaves for another
lies in the workspace `w`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..codegen.emit import LOWERING
from ..codegen.lower import Fused
from ..codegen.machine import Machine
from ..codegen.plan import ChunkCall, LoopCall, Plan, make_plan
from ..codegen.registers import Action, RegisterStep
from ..codegen.tables import Line, Memory, Move
from ..trace import Op, Program
from .c_builder import CBuilder, CType

# C compilers see to registers themselves: all values of a chunk are variables.
ANY_PROCESSOR = Machine(
    "C", register_bytes=8, vector_registers=1 << 20, memory_operands=False, address_windows=0, chunk_size=500
)


class CSource:
    """The functions of a program, named lw_`called`_something.

    dtype        of arrays
    arithmetic   what is computed in
    """

    def __init__(self, program: Program, called: str, dtype: str, arithmetic: str):
        self.plan: Plan = make_plan(program, ANY_PROCESSOR)
        self.prefix = f"lw_{called}"
        self.array, self.kind = CType(dtype), CType(arithmetic)
        inputs, outputs = len(program.inputs), len(program.outputs)
        names = [*(f"in{k}" for k in range(inputs)), *(f"out{k}" for k in range(outputs))]
        kinds = [f"const {self.array.text} *"] * inputs + [f"{self.array.text} *"] * outputs
        self.parameters = ", ".join(
            [f"{self.kind.text} *w", *(f"{kind}{name}" for kind, name in zip(kinds, names, strict=True))]
        )
        self.arguments = ", ".join(["w", *names])

    @property
    def workspace(self) -> int:
        """Numbers that a call needs; an array of none is not C."""
        return max(1, self.plan.slots)

    def functions(self) -> Iterator[str]:
        """Every chunk and loop, each before it is called."""
        numbers = self.plan.outline.tables.constants
        if numbers:
            values = ", ".join(self.kind.number(x) for x in numbers)
            yield f"static const {self.kind.text} {self.prefix}_tables[{len(numbers)}] = {{{values}}};\n"
        yield from self._called(self.plan.calls)

    def calls(self) -> list[str]:
        return [self._call(call) for call in self.plan.calls]

    def _called(self, calls) -> Iterator[str]:
        for call in calls:
            if isinstance(call, ChunkCall):
                yield self._function(call, self._chunk(call.number))
            else:
                yield from self._called(call.calls)
                yield self._function(call, self._loop(call))

    def _name(self, call: ChunkCall | LoopCall) -> str:
        return f"{self.prefix}_{'chunk' if isinstance(call, ChunkCall) else 'loop'}{call.number}"

    def _call(self, call: ChunkCall | LoopCall) -> str:
        return f"{self._name(call)}({self.arguments});"

    def _function(self, call: ChunkCall | LoopCall, lines: list[str]) -> str:
        body = "\n".join(f"  {line}" for line in lines)
        return f"LW_APART static void {self._name(call)}({self.parameters})\n{{\n{body}\n}}\n"

    def _chunk(self, number: int) -> list[str]:
        chunk = _Chunk(self)
        for step in self.plan.chunks[number]:
            chunk.add(step)
        if number == len(self.plan.chunks) - 1:
            chunk.copy_leaves()
        names = self.arguments.split(", ")
        return [*chunk.lines, *(f"(void){name};" for name in names)]

    def _loop(self, loop: LoopCall) -> list[str]:
        running = "" if loop.running is None else f" && w[{loop.running}] != 0"
        head = f"for (long p = 0; p < {loop.limit}{running}; ++p)"
        body = [*self._moves(loop.rows), *(self._call(call) for call in loop.calls), *self._moves(loop.results)]
        return [head + " {", *(f"  {line}" for line in body), "}"]

    def _moves(self, moves: tuple[Move, ...]) -> list[str]:
        lines = []
        for move in moves:
            text = f"{self._place(move.target)} = {self._place(move.source)};"
            if move.target.memory is Memory.OUTPUT:
                text = f"{self._place(move.target)} = ({self.array.text}){self._place(move.source)};"
            lines.append(f"for (long k = 0; k < {move.columns}; ++k) {text}")
        return lines

    def _place(self, line: Line) -> str:
        base = {
            Memory.FIXED: "w", Memory.INPUT: f"in{line.array}", Memory.OUTPUT: f"out{line.array}",
            Memory.CONSTANTS: f"{self.prefix}_tables",
        }[line.memory]  # fmt: skip
        first = line.first + (self.plan.fixed_start if line.memory is Memory.FIXED else 0)
        return f"{base}[{first} + p * {line.per_pass} + k * {line.per_column}]"


class _Chunk:
    """As `codegen/emit.py`'s, for one lane."""

    def __init__(self, source: CSource):
        self.plan, self.source = source.plan, source
        self.lines: list[str] = []
        self.builder = CBuilder(source.kind, self.lines)
        self.values: dict[int, str] = {}

    def add(self, step: RegisterStep) -> None:
        if step.action is Action.COMPUTE:
            op, results, operands = self.plan.instructions[step.subject]
            found = LOWERING[op](self.builder, *(self.values[x] for x in operands))
            for node, value in zip(results, found if op is Fused.SINCOS else (found,), strict=True):
                self._define(node, value)
        elif step.action is Action.LOAD:
            self.values[step.subject] = self._fetch(step.subject, step.slot)
        elif step.action is Action.STORE:
            self.lines.append(f"w[{step.slot}] = {self.values[step.subject]};")  # truth values as 0 and 1
        else:
            self._define(step.subject, self.values[step.subject])

    def copy_leaves(self) -> None:
        """Outputs that are constants or copies of inputs."""
        for node in self.plan.output_elements:
            if node in self.plan.outline.leaves:
                self._define(node, self._fetch(node, -1))

    def _define(self, node: int, value: str) -> None:
        if node < 0:  # a sine or cosine that nobody needs
            self.lines.append(f"(void){value};")
        self.values[node] = value
        for output, element in self.plan.output_elements.get(node, ()):
            self.lines.append(f"out{output}[{element}] = ({self.source.array.text}){value};")

    def _fetch(self, node: int, slot: int) -> str:
        leaf = self.plan.outline.leaves.get(node)
        if leaf is not None and leaf[0] is Op.CONST:
            return self.builder.constant(leaf[1])
        if leaf is not None:
            return self.builder.define(self.source.kind.text, f"in{leaf[1]}[{leaf[2]}]")
        if node in self.plan.outline.truths:
            return self.builder.define("int", f"w[{slot}] != 0")
        return self.builder.define(self.source.kind.text, f"w[{slot}]")
