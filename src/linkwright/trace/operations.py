"""Exact operation counts of a program."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, fields

from .ops import LEAVES, LOOPS, OPERATIONS
from .program import Program


@dataclass(frozen=True)
class Operations:
    """How many operations of each kind one evaluation takes. Subtractions count as additions.

    Those in the body of a loop count as often as a typical sample goes round (`Until.expected`). `loops` has the exact
    parts: the straight line, the passes reckoned with, and what one of them takes.
    """

    additions: int = 0
    multiplications: int = 0
    divisions: int = 0
    negations: int = 0
    square_roots: int = 0
    sines_and_cosines: int = 0
    others: int = 0  # comparisons, selections, minima, exponentials, ...
    loops: tuple[LoopOperations, ...] = ()

    @property
    def total(self) -> int:
        return sum(getattr(self, kind) for kind in _KINDS)

    @property
    def setup(self) -> int:
        """Operations outside all loops."""
        return self.total - sum(_in_loops(self.loops, kind) for kind in _KINDS)

    def __str__(self) -> str:
        parts = [f"{getattr(self, kind)} {kind.replace('_', ' ')}" for kind in _KINDS if getattr(self, kind)]
        text = f"{self.total} operations ({', '.join(parts) or 'none'})"
        if self.loops:
            loops = " + ".join(f"{loop.passes:g} x {loop.body.total}" for loop in self.loops)
            text += f" = {self.setup} + {loops} in loops"
        return text


@dataclass(frozen=True)
class LoopOperations:
    """passes   of a typical sample
    limit    passes at the most
    body     one pass, loops within it included
    """

    passes: float
    limit: int
    body: Operations


_KINDS = tuple(f.name for f in fields(Operations) if f.name != "loops")


def _in_loops(loops: tuple[LoopOperations, ...], kind: str) -> int:
    return round(sum(loop.passes * getattr(loop.body, kind) for loop in loops))


def count_operations(program: Program) -> Operations:
    """Count the nodes of a simplified program (dead nodes would be counted too, so simplify first)."""
    counts: Counter[str] = Counter(
        OPERATIONS[node[0]].counted_as for node in program.nodes if node[0] not in LEAVES | LOOPS
    )
    loops = tuple(LoopOperations(x.expected, x.limit, count_operations(x.body)) for x in program.loops)
    for kind in _KINDS if loops else ():
        counts[kind] += _in_loops(loops, kind)
    return Operations(**counts, loops=loops)
