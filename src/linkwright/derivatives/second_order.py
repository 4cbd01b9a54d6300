"""Second derivatives, forward over reverse: how a gradient changes when its inputs move along a direction.

The gradient of a weighted sum of outputs is a function like others, with solutions in it: those of the program, and the
weights of their equations. It is differentiated as any function is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..trace import Measured, Program, Varied, pullback, pushforward, simplify
from .implicit import ImplicitProgram
from .unknowns import Subject


def gradient_along(
    program: Program, of: Sequence[Measured], wrt: Sequence[Varied], values: Sequence[str] = ()
) -> Program:  # fmt: skip
    """Inputs of the program, y_bar, then x_dot; outputs x_bar (of `values`: if there are any) and x_bar_dot."""
    gradient = simplify(pullback(program, of, wrt))
    names = [f"{x.name}_bar" for x in wrt]
    return pushforward(gradient, [Measured(name) for name in names], wrt, names if values else ())


def second_order(subject: Subject) -> Program:
    """The same of a function with solutions."""
    first = ImplicitProgram(replace(subject, values=()))
    gradient = first.gradient()
    names = tuple(f"{name}_bar" for name in subject.wrt)

    def measured(**values: Any) -> dict[str, Any]:
        return gradient.evaluate(subject.moved(values))

    along = replace(
        subject, labels={}, shapes={**subject.shapes, **gradient.further}, evaluate=gradient.evaluate,
        measured=measured, of=names, values=names if subject.values else (), charts={},
    )  # fmt: skip
    return ImplicitProgram(along).program("jvp")
