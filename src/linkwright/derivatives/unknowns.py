"""Solutions within programs (`linkwright.scalar.solved`): unknowns in place of the way to them.

For its derivatives a function is run twice. Once on symbols with every solution a symbol of its own, an input "@k" of
the program, whose equations are an output: nothing in that program iterates. And once as it is, with a note of every
solution and of how to solve its equations again with other right-hand sides. What a last step of Newton's method starts
from (`linkwright.scalar.corrected`) is an unknown without equations: it does not vary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..scalar import Scalar, witnessed
from ..trace import Expr, Input, Op, Program, simplify, trace
from ..trace.graph import Graph

EQUATIONS = "{}_equations"


@dataclass(frozen=True)
class FoundSolution:
    """z, and again(sides, transposed) -> (w, status or None) with the matrix of its equations, if it has any."""

    z: Sequence[Scalar]
    again: Callable[[Sequence[Scalar], bool], tuple[Sequence[Scalar], Scalar | None]]


@dataclass(frozen=True)
class Subject:
    """A function to differentiate.

    name, labels   of programs made of it
    shapes         of its inputs
    shifts         of inputs that shift configurations among them: in `wrt`, the name of a configuration -> that input
    moved          values of the inputs with configurations shifted, and without the shifts
    evaluate       outputs by name, at values of the inputs
    measured       the same of values with shifts, and charts of configurations that come out
    charts         names of the charts of outputs, where they have one
    order          of derivatives that will be taken of it
    """

    name: str
    labels: Mapping[str, tuple[str, ...]]
    shapes: Mapping[str, tuple[int, ...]]
    shifts: Mapping[str, tuple[int, ...]]
    moved: Callable[[Mapping[str, Any]], dict[str, Any]]
    evaluate: Callable[[Mapping[str, Any]], dict[str, Any]]
    measured: Callable[..., dict[str, Any]]
    of: tuple[str, ...]
    wrt: Mapping[str, str | None]
    values: tuple[str, ...]
    charts: Mapping[str, str]
    order: int = 1


def with_unknowns(subject: Subject) -> tuple[Program, list[Input]]:
    """The program of a function with unknowns as inputs, before those that shift configurations; and these unknowns."""
    unknowns: list[Input] = []
    function, shapes = subject.measured, {**subject.shapes, **subject.shifts}

    def evaluate(**values):
        graph = _graph_of(values)
        equations_of: dict[str, Any] = {}

        def witness(find, equations, again, size):
            with witnessed(None):
                if graph is None or graph.root.current is not graph.root:  # in a loop or guard: part of its own steps
                    return find()
                unknown = Input(f"@{len(unknowns)}", (size,))
                number = len(shapes) + len(unknowns)
                unknowns.append(unknown)
                z = [Expr(graph, graph.input(number, k)) for k in range(size)]
                if equations is not None:
                    equations_of[EQUATIONS.format(unknown.name)] = np.array(list(equations(z)), dtype=object)
            return z, None

        with witnessed(witness, subject.order):
            results = function(**values)
        return {**results, **equations_of}

    traced = trace(evaluate, shapes, name=subject.name, further=unknowns)
    return _before_the_last(simplify(traced), len(unknowns), len(subject.shifts)), unknowns


def _graph_of(values: Mapping[str, Any]) -> Graph | None:
    """That of the traced values; None of a mechanism without joints, say, which has no numbers that could vary."""
    return next((x.graph for array in values.values() for x in np.asarray(array, dtype=object).flat), None)


def _before_the_last(program: Program, moved: int, last: int) -> Program:
    """The program with its `moved` last inputs moved before the `last` ones of the others."""
    if not moved or not last:
        return program
    count = len(program.inputs)
    own = count - moved - last
    order = [*range(own), *range(own + last, count), *range(own, own + last)]
    place = {old: new for new, old in enumerate(order)}
    nodes = tuple((Op.INPUT, place[x[1]], x[2]) if x[0] is Op.INPUT else x for x in program.nodes)
    return replace(program, nodes=nodes, inputs=tuple(program.inputs[k] for k in order))


def with_notes(subject: Subject, values: Mapping[str, Any]) -> tuple[dict[str, Any], list[FoundSolution]]:
    """What the function returns, and every solution it found, in order. Whoever differentiates this function in turn is
    asked for the solutions."""
    notes: list[FoundSolution] = []
    graph = _graph_of(values)

    def witness(find, equations, again, size):
        z, more = around(find, equations, again, size)
        if graph is not None and graph.root.current is graph.root:
            notes.append(FoundSolution(z, again))
        return z, more

    with witnessed(witness, subject.order) as around:
        return subject.evaluate(values), notes
