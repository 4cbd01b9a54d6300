"""A chunk of a plan -> the text of one LLVM function. The order of the plan is the order of the code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..trace import Op
from . import elementary
from .addressing import resolve
from .instruction_builder import Builder, Constants
from .lower import Fused
from .places import Place, Places
from .plan import Plan
from .registers import Action, RegisterStep
from .vector_type import VectorType

_ZERO = str((Op.CONST, 0.0))  # as text: -0.0 equals it as a number


class ChunkEmitter:
    """Emits chunks of one plan for one vector type.

    `sincos_lanes` says how many sines and cosines of one sample to compute at once.
    """

    def __init__(self, plan: Plan, vector: VectorType, places: Places, *, sincos_lanes: int):
        self.plan = plan
        self.vector = vector
        self.places = places
        self.sincos_type = VectorType(sincos_lanes, vector.dtype)
        self.declarations: set[str] = set()

    def function(self, number: int, name: str) -> list[str]:
        body = _ChunkBody(self, name)
        body.emit(self.plan.chunks[number])
        if number == len(self.plan.chunks) - 1:
            body.copy_leaves()
        lines = resolve(body.builder.lines, windows=self.plan.machine.address_windows)
        return [
            *body.builder.constants.definition(),
            *body.sincos_builder.constants.definition(),
            f"define void @{name}({self.places.parameters}) nounwind {{",
            *self.places.prologue(lines),
            *lines,
            "ret void",
            "}",
        ]


class _ChunkBody:
    def __init__(self, emitter: ChunkEmitter, name: str):
        self.plan, self.places = emitter.plan, emitter.places
        self.outline = emitter.plan.outline
        constants = Constants(emitter.vector, f"{name}_constants", emitter.plan.machine)
        self.builder = Builder(emitter.vector, [], emitter.declarations, constants)
        self.sincos_builder = self.builder.sibling(emitter.sincos_type, f"{name}_sincos_constants")
        self.values: dict[int, str] = {}  # node -> name of its value in this function

    def emit(self, steps: list[RegisterStep]) -> None:
        position, several = 0, self.sincos_builder.type.lanes > 1
        while position < len(steps):
            step = steps[position]
            zeros = self._zeros_side_by_side(steps, position)
            if zeros:
                self._store_zeros(steps[position + 1].slot, zeros)
                position += 2 * zeros
                continue
            if several and step.action is Action.LOAD and step.slot < 0:
                together, after = self._independent_sincos(steps, position)
                if len(together) > 1:
                    self._compute_sincos(together)
                    position = after
                    continue
            self._emit_step(step)
            position += 1

    def _zeros_side_by_side(self, steps: list[RegisterStep], position: int) -> int:
        """How many steps from here on put a zero into one cell of a table after the other: those of loops over columns
        are mostly zeros. What is read one by one soon afterwards is better written one by one; so is what has room for
        the first lanes only."""
        start, count = None, 0
        for k in range(position, len(steps) - 1, 2):
            load, store = steps[k : k + 2]
            constant = (load.action, load.slot, store.action) == (Action.LOAD, -1, Action.STORE)
            if not constant or store.subject != load.subject or store.slot < self.plan.fixed_start:
                break
            base, offset = self.places.slot_written(store.slot)
            if self.places.first_lanes((base, offset)):
                break
            start = start or (base, offset)
            following = start[0], start[1] + count * self.builder.type.bytes
            if str(self.outline.leaves[load.subject]) != _ZERO or (base, offset) != following:
                break
            count += 1
        return count

    def _store_zeros(self, slot: int, count: int) -> None:
        """As many at once as fit a register, and what is left over in smaller pieces."""
        one, (base, offset) = self.builder.type, self.places.slot_written(slot)
        size = max(1, self.plan.machine.register_bytes // one.bytes)
        while count:
            size = min(size, 1 << (count.bit_length() - 1))
            kind = VectorType(size * one.lanes, one.dtype)
            self.builder.store(kind.number(0.0), (base, offset), self.places.alignment, kind)
            offset, count = offset + size * one.bytes, count - size

    def _emit_step(self, step: RegisterStep) -> None:
        if step.action is Action.COMPUTE:
            self._compute(step.subject)
        elif step.action is Action.LOAD:
            self.values[step.subject] = self._fetch(step.subject, step.slot)
        elif step.action is Action.STORE:
            self._store_slot(step.subject, step.slot)
        else:
            self._define(step.subject, self.values[step.subject])

    def _independent_sincos(
        self, steps: list[RegisterStep], position: int
    ) -> tuple[list[tuple[RegisterStep, ...]], int]:
        """A run of (load an input, sincos, store results ...), as many as fit a vector; and where it ends."""
        together: list[tuple[RegisterStep, ...]] = []
        while len(together) < self.sincos_builder.type.lanes and position + 1 < len(steps):
            load, compute = steps[position : position + 2]
            if load.action is not Action.LOAD or load.slot >= 0 or compute.action is not Action.COMPUTE:
                break
            if self.plan.instructions[compute.subject].op is not Fused.SINCOS:
                break
            end = position + 2
            while end < len(steps) and steps[end].action is Action.STORE:
                end += 1
            together.append(tuple(steps[position:end]))
            position = end
        return together, position

    def _compute_sincos(self, together: list[tuple[RegisterStep, ...]]) -> None:
        """Sines and cosines of several angles of one sample in the lanes of one vector."""
        wide, vector = self.sincos_builder, "poison"
        for load, *_ in together:
            self._emit_step(load)
        angles = [self.values[load.subject] for load, *_ in together]
        angles += [angles[-1]] * (wide.type.lanes - len(angles))
        for lane, angle in enumerate(angles):
            vector = wide.emit(f"insertelement {wide.type.text} {vector}, {wide.type.scalar} {angle}, i32 {lane}")
        both = elementary.sincos(wide, vector)
        for lane, (_, compute, *stores) in enumerate(together):
            results = self.plan.instructions[compute.subject].results
            for node, values in zip(results, both, strict=True):
                if node >= 0:
                    self._define(node, wide.emit(f"extractelement {wide.type.text} {values}, i32 {lane}"))
            for store in stores:
                self._emit_step(store)

    def _compute(self, index: int) -> None:
        op, results, operands = self.plan.instructions[index]
        found = LOWERING[op](self.builder, *[self.values[x] for x in operands])
        for node, value in zip(results, found if op is Fused.SINCOS else (found,), strict=True):
            self._define(node, value)

    def _define(self, node: int, value: str) -> None:
        self.values[node] = value
        for output, element in self.plan.output_elements.get(node, ()):
            self._store_output(value, self.places.output(output, element))

    def copy_leaves(self) -> None:
        """Outputs that are constants or copies of inputs."""
        for node, elements in self.plan.output_elements.items():
            if node in self.outline.leaves:
                value = self._fetch(node, -1)
                for output, element in elements:
                    self._store_output(value, self.places.output(output, element))

    def _fetch(self, node: int, slot: int) -> str:
        if node in self.outline.leaves:
            op, *rest = self.outline.leaves[node]
            return self.builder.constant(rest[0]) if op is Op.CONST else self._load_input(self.places.input(*rest))
        place, shared = self.places.slot_read(slot), self.places.is_shared(slot)
        value = self._load_shared(place, self.builder.type.one) if shared else self._load(place)
        if node in self.outline.truths:
            return self.builder.compare("une", value, self.builder.type.number(0.0))
        return value

    def _store_slot(self, node: int, slot: int) -> None:
        value = self.values[node]
        if node in self.outline.truths:  # slots hold numbers
            value = self.builder.select(value, self.builder.type.number(1.0), self.builder.type.number(0.0))
        self._store(value, self.places.slot_written(slot))

    def _load_input(self, place: Place) -> str:
        kind = self.builder.type
        if self.places.is_shared(None):
            return self._load_shared(place, kind.one.in_arrays)
        if not (kind.converts and self.places.in_arrays):
            return self._load(place)
        return self.builder.emit(kind.from_arrays(self.builder.load(place, kind.in_arrays.bytes, kind.in_arrays)))

    def _store_output(self, value: str, place: Place) -> None:
        """Rounded to what the arrays hold, also where it is only going to be copied there: what is fed back to an input
        must be the same whichever way it went."""
        kind = self.builder.type
        if not kind.converts:
            self._store(value, place)
            return
        rounded = self.builder.emit(kind.to_arrays(value))
        if self.places.in_arrays:
            self.builder.store(rounded, place, kind.in_arrays.bytes, kind.in_arrays)
        else:
            self._store(self.builder.emit(kind.from_arrays(rounded)), place)

    def _load_shared(self, place: Place, kind: VectorType) -> str:
        """One number of memory in all lanes."""
        number = self.builder.load(place, kind.bytes, kind)
        if kind.dtype != self.builder.type.dtype:
            number = self.builder.emit(self.builder.type.one.from_arrays(number))
        return self.builder.spread(number)

    def _load(self, place: Place) -> str:
        return self.builder.load(place, self.places.alignment, lanes=self.places.first_lanes(place))

    def _store(self, value: str, place: Place) -> None:
        self.builder.store(value, place, self.places.alignment, lanes=self.places.first_lanes(place))


def _extremum(predicate: str):
    """NaN if either is NaN, as in NumPy. llvm.minimum also orders -0 and 0, which costs three more instructions."""

    def emit(b: Builder, x: str, y: str) -> str:
        chosen = b.select(b.compare(predicate, x, y), x, y)  # one min or max instruction; NaN in x is lost here
        return b.select(b.compare("uno", x, x), x, chosen)

    return emit


def _bounded(predicate: str):
    """Of a number that is not NaN and a value, which is what the instruction gives where it is: NaN stays NaN."""
    return lambda b, bound, x: b.select(b.compare(predicate, bound, x), bound, x)


# Methods are looked up when they are called: builders of other languages have their own (export/c_builder.py).
LOWERING: dict[Op | Fused, Callable[..., Any]] = {
    Op.ADD: lambda b, x, y: b.add(x, y),
    Op.SUB: lambda b, x, y: b.sub(x, y),
    Op.MUL: lambda b, x, y: b.mul(x, y),
    Op.DIV: lambda b, x, y: b.div(x, y),
    Op.NEG: lambda b, x: b.neg(x),
    Op.SQRT: lambda b, x: b.call("sqrt", x),
    Op.ABS: lambda b, x: b.call("fabs", x),
    Op.MIN: _extremum("olt"),
    Op.MAX: _extremum("ogt"),
    Op.ATAN2: elementary.atan2,
    Op.EXP: elementary.exp,
    Op.LOG: elementary.log,
    Op.LT: lambda b, x, y: b.compare("olt", x, y),
    Op.LE: lambda b, x, y: b.compare("ole", x, y),
    Op.AND: lambda b, x, y: b.logic("and", x, y),
    Op.OR: lambda b, x, y: b.logic("or", x, y),
    Op.NOT: lambda b, x: b.logic("xor", x, b.type.boolean(True)),
    Op.SELECT: lambda b, condition, x, y: b.select(condition, b.opaque(x), y),
    Fused.MUL_ADD: lambda b, x, y, z: b.fma(x, y, z),
    Fused.MUL_SUB: lambda b, x, y, z: b.fma(x, y, b.neg(z)),
    Fused.NEG_MUL_ADD: lambda b, x, y, z: b.fma(b.neg(x), y, z),
    Fused.SINCOS: elementary.sincos,
    Fused.AT_LEAST: _bounded("ogt"),
    Fused.AT_MOST: _bounded("olt"),
}
