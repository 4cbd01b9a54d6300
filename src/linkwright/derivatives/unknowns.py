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

EQUATIONS = "{}_equations"


@dataclass(frozen=True)
class FoundSolution:
    """z, and again(sides, transposed) -> (w, status or None) with the matrix of its equations, if it has any."""

    z: Sequence[Scalar]
    again: Callable[[Sequence[Scalar], bool], tuple[Sequence[Scalar], Scalar | None]]


def with_unknowns(
    function: Callable[..., dict[str, Any]], shapes: Mapping[str, tuple[int, ...]], vanishing: int, name: str
) -> tuple[Program, list[Input]]:
    """The program with unknowns as inputs, before the `vanishing` last ones of `shapes`; and these unknowns."""
    unknowns: list[Input] = []

    def evaluate(**values):
        graph = next(x.graph for array in values.values() for x in np.asarray(array, dtype=object).flat)
        equations_of: dict[str, Any] = {}

        def witness(find, equations, again, size):
            with witnessed(None):
                if graph.root.current is not graph.root:  # in a loop or guard: part of its own steps
                    return find()
                unknown = Input(f"@{len(unknowns)}", (size,))
                number = len(shapes) + len(unknowns)
                unknowns.append(unknown)
                z = [Expr(graph, graph.input(number, k)) for k in range(size)]
                if equations is not None:
                    equations_of[EQUATIONS.format(unknown.name)] = np.array(list(equations(z)), dtype=object)
            return z, None

        with witnessed(witness):
            results = function(**values)
        return {**results, **equations_of}

    traced = trace(evaluate, shapes, name=name, further=unknowns)
    return _before_the_last(simplify(traced), len(unknowns), vanishing), unknowns


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


def with_notes(function: Callable[[], dict[str, Any]], graph) -> tuple[dict[str, Any], list[FoundSolution]]:
    """What the function returns, and every solution it found, in order."""
    notes: list[FoundSolution] = []

    def witness(find, equations, again, size):
        with witnessed(None):
            z, more = find()
        if graph.root.current is graph.root:
            notes.append(FoundSolution(z, again))
        return z, more

    with witnessed(witness):
        return function(), notes
