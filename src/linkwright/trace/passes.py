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
    """All passes on the program and on the bodies of its loops."""
    for transform in PASSES:
        program = transform(program).check()
    return program


def _factored(program: Program) -> Program:
    loops = tuple(replace(loop, body=_factored(loop.body)) for loop in program.loops)
    return factor_products(replace(program, loops=loops))


PASSES = (drop_dead, _factored, drop_dead)  # dead code is dropped from bodies as well
