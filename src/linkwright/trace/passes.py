"""Simplification passes, in the order in which they run.

Constructing a node already folds what can be seen locally (see graph.py). A pass sees the whole program. Each takes
a program and returns one that computes the same outputs; `simplify` checks the result of every pass against the
specification of a program.
"""

from __future__ import annotations

from dataclasses import replace

from .dead_code import drop_dead
from .factoring import factor_products
from .program import Program


def simplify(program: Program) -> Program:
    """All passes on the program, each also on the bodies of its loops: those first, since what a body no longer reads
    need not be computed."""
    for transform in PASSES:
        program = _everywhere(transform, program).check()
    return program


def _everywhere(transform, program: Program) -> Program:
    loops = tuple(replace(loop, body=_everywhere(transform, loop.body)) for loop in program.loops)
    return transform(replace(program, loops=loops))


PASSES = (drop_dead, factor_products, drop_dead)
